import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import t from "tap";
import { RuntimeHere } from "../process.js";
import { endOf } from "../run-tendril.js";
import { spawnNode } from "../spawn-node.js";
import { ProgramHere } from "../tendril-here.js";
import { answerOf, type ForeignClient, refused, waterOnce } from "./water-once.js";

const PACKAGE = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const INSPECTOR = join(dirname(PACKAGE), "clients/launcher/build/index.js");
/** What the inspector loads for `--cli`. */
const { runCli, handleError } = await import(join(dirname(PACKAGE), "clients/cli/build/index.js"));
/** The inspector's exit code where the tool's result has isError; the result is on stdout all the same. */
const TOOL_REFUSED = 5;
/** A status may be 10 minutes old: slow enough for a loaded machine. */
const SPEED = 10;

/** Its command line, a program for each call, with a home of its own: the listing as a process, the calls as that process makes them. */
class InspectorCli implements ForeignClient {
  constructor(
    private readonly home: string,
    private readonly era: string,
    private readonly server: readonly string[],
  ) {}

  /** Strict: it names each schema that clients commonly stumble over. There is none. */
  async listTools(): Promise<readonly string[]> {
    const { code, out, err } = await endOf(
      spawnNode([INSPECTOR, "--cli", ...this.args(["tools/list", "--strict"])], this.env),
    );
    if (code !== 0 || err !== "") throw new Error(`the inspector ended with ${code}, and said: ${err}`);
    const { tools } = resultIn(out);
    return (tools as { name: string }[]).map(({ name }) => name);
  }

  async call(tool: string, args = {}) {
    const method = ["tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args)];
    const argv = [process.execPath, INSPECTOR, ...this.args(method)];
    const { code, out, err } = await new ProgramHere(argv, this.env, () => runCli(argv).catch(handleError))
      .ended;
    if (code !== null && code !== TOOL_REFUSED) throw new Error(`the inspector ended with ${code}: ${err}`);
    return answerOf(resultIn(out));
  }

  private args(method: readonly string[]): readonly string[] {
    return [...this.server, "--protocol-era", this.era, "--format", "json", "--method", ...method];
  }

  private get env(): NodeJS.ProcessEnv {
    return { HOME: this.home, BROWSER: "false" };
  }
}

const resultIn = (out: string): Record<string, unknown> => JSON.parse(out).result;

t.test("the MCP inspector waters a plant in either protocol era", async (t) => {
  const runtime = await RuntimeHere.start({ speed: SPEED });
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
