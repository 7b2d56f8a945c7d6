import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Role } from "../../runtime/wire/identity.js";
import { Child } from "./child.js";

const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const TENDRIL = built("../../runtime/cli/tendril.js");
const AGENT = built("../../agent-client/main.js");
const ECHO = built("./echo-server.js");

/** Nothing but Node. */
export const bareNode = (script: string): Child => new Child(["-e", script]);

/** As the first lines of all programs have it. */
const FRUGAL = ["--max-semi-space-size=2", "--v8-pool-size=1"];

/** The program a user starts, on the bench, as its first line has it started. */
export const runtime = (state: string, ...options: readonly string[]): Child =>
  runtimeUnder([], state, ...options);

/** The same, with further flags of Node. */
export const runtimeUnder = (flags: readonly string[], state: string, ...options: readonly string[]): Child =>
  runtimeBuilt(TENDRIL, flags, state, ...options);

/** The same, of another build. */
export const runtimeBuilt = (
  program: string,
  flags: readonly string[],
  state: string,
  ...options: readonly string[]
): Child =>
  new Child([
    ...[...FRUGAL, ...flags, program, "serve", "--bench"],
    ...["--state", state, "--port", "0", "--log-level", "error"],
    ...options,
  ]);

/** The agent without the `tendril` command in front of it, as a service runs it. */
export const agent = (state: string, ...options: readonly string[]): Child =>
  new Child([...FRUGAL, AGENT, "--state", state, "--agent-state", join(state, "agent"), ...options]);

export const echoServer = (): Child => new Child([...FRUGAL, ECHO]);

/** Resolves to the URL once the program serves. */
export const listening = (server: Child): Promise<string> => server.line(/^listening on (\S+)$/);

/** A configuration under which a benchmark is not told to slow down, nor that there are too many of it. */
export async function unlimited(state: string): Promise<string> {
  await mkdir(state, { recursive: true });
  const file = join(state, "bench.yaml");
  await writeFile(file, "server: { calls_per_second: 100000, max_connections: 100 }\n");
  return file;
}

export const tokenOf = async (state: string, role: Role): Promise<string> =>
  (await readFile(join(state, "tokens", role), "utf8")).trim();
