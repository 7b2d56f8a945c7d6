import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { RuntimeProcess } from "../process.js";
import { PLAIN_NODE } from "../spawn-node.js";
import { answerOf, type ForeignClient, refused, waterOnce } from "./water-once.js";

const run = promisify(execFile);
const [ENV, ...NODE] = PLAIN_NODE;
const PACKAGE = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const INSPECTOR = join(dirname(PACKAGE), "clients/launcher/build/index.js");
/** The inspector's exit code where the tool's result has isError; the result is on stdout all the same. */
const TOOL_REFUSED = 5;
/** A status may be 10 minutes old: slow enough for a call that is a process, on a loaded machine. */
const SPEED = 10;

/** The inspector's command line, a process for each call, with a home of its own. */
class InspectorCli implements ForeignClient {
  constructor(
    private readonly home: string,
    private readonly era: string,
    private readonly server: readonly string[],
  ) {}

  /** Strict: it names each schema that clients commonly stumble over. There is none. */
  async listTools(): Promise<readonly string[]> {
    const { tools } = await this.ask(["tools/list", "--strict"], mustBeSilent);
    return (tools as { name: string }[]).map(({ name }) => name);
  }

  async call(tool: string, args = {}) {
    return answerOf(
      await this.ask(["tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args)]),
    );
  }

  private async ask(
    method: readonly string[],
    heed = (_: string): void => undefined,
  ): Promise<Record<string, unknown>> {
    const args = [
      "--cli",
      ...this.server,
      "--protocol-era",
      this.era,
      "--format",
      "json",
      "--method",
      ...method,
    ];
    const env = { PATH: process.env.PATH, HOME: this.home, BROWSER: "false" };
    const { stdout, stderr } = await run(ENV, [...NODE, INSPECTOR, ...args], { env }).catch(orRefused);
    heed(stderr);
    return (JSON.parse(stdout) as { result: Record<string, unknown> }).result;
  }
}

function mustBeSilent(stderr: string): void {
  if (stderr !== "") throw new Error(`the inspector said: ${stderr}`);
}

function orRefused(failure: { code?: number; stdout: string; stderr: string }) {
  if (failure.code === TOOL_REFUSED) return failure;
  throw new Error(`the inspector ended with ${failure.code}: ${failure.stderr}`);
}

t.test("the MCP inspector waters a plant in either protocol era", async (t) => {
  const runtime = await RuntimeProcess.start({ speed: SPEED });
  t.teardown(() => runtime.stop());
  const authorization = `Authorization: Bearer ${await runtime.token("agent")}`;
  const server = [runtime.http, "--transport", "http", "--stored-auth-only", "--header", authorization];
  for (const era of ["legacy", "modern"]) {
    t.test(era, async (t) => {
      const inspector = new InspectorCli(t.testdir(), era, server);
      await waterOnce(t, inspector, 10);
      t.equal(await refused(t, inspector, "dispense_water", { ml: 10 }), "PLAN_EXCEEDED");
    });
  }
});
