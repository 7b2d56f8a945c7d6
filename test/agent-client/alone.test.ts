import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { endOf } from "../run-tendril.js";
import { spawnNode } from "../spawn-node.js";
import { FixtureServer, TOKEN } from "./fixture-server.js";

/** `folders` of what was built, and nothing beside them: no other folder, no package of others. */
function installation(t: Test, folders: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "tendril-alone-"));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  cpSync("package.json", join(root, "package.json"));
  for (const folder of folders) cpSync(join("dist", folder), join(root, "dist", folder), { recursive: true });
  rmSync(join(root, "dist/agent-client/harness"), { recursive: true });
  return root;
}

async function care(t: Test, root: string, program: readonly string[]) {
  const server = new FixtureServer();
  const url = await server.listen();
  t.teardown(() => server.close());
  const token = join(t.testdir({ token: TOKEN }), "token");
  const [main = "", ...args] = program;
  const once = ["--url", url, "--token-file", token, "--once", "--log-dir", join(root, "runs")];
  return endOf(spawnNode([join(root, main), ...args, ...once]));
}

t.test("the agent cares as a folder of its own: without runtime, drivers and node_modules", async (t) => {
  const { code, out, err } = await care(t, installation(t, ["agent-client"]), ["dist/agent-client/main.js"]);
  t.equal(code, 0, err);
  t.match(out, /completed/);
});

t.test("tendril agent and tendril log start where no package is installed", async (t) => {
  const root = installation(t, ["agent-client", "runtime"]);
  const { code, err } = await care(t, root, ["dist/runtime/cli/tendril.js", "agent"]);
  t.equal(code, 0, err);
  const log = ["dist/runtime/cli/tendril.js", "log", "--log-dir", join(root, "runs")];
  const [program = "", ...args] = log;
  t.match(await endOf(spawnNode([join(root, program), ...args])), {
    code: 0,
    out: /1, of which 1 completed/,
  });
});
