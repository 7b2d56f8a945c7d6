import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { verifyBackup } from "../../../runtime/backup/manifest.js";
import { backup } from "../../../runtime/cli/backup.js";
import { openStore } from "../../../runtime/store/store.js";

t.test("a configuration that was named and is not there is no backup without one", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "tendril-backup-cli-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  const config = join(state, "typo.yaml");
  await t.rejects(backup({ state, config, to: join(state, "to"), keep: 14 }), {
    name: "CommandError",
    message: `there is no configuration ${config}: correct --config or TENDRIL_CONFIG`,
    exitCode: 2,
  });
  t.same(readdirSync(state), []);
});

t.test(
  "the configuration of the runtime that runs on the folder is in its backup, wherever it lies",
  async (t) => {
    const root = t.testdir({ state: {}, "elsewhere.yaml": "plants: [{ id: fern }]\n" });
    const [state, to] = [join(root, "state"), join(root, "to")];
    await (await openStore({ folder: state })).close();
    const url = "ws://127.0.0.1:1/mcp";
    writeFileSync(
      join(state, "runtime.json"),
      JSON.stringify({ url, pid: 1, config: join(root, "elsewhere.yaml") }),
    );
    await backup({ state, to, keep: 14 });
    const [file = ""] = readdirSync(to);
    const { members } = await verifyBackup(join(to, file));
    t.ok(members.some(({ name }) => name === "tendril.yaml"));
  },
);
