import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { backup } from "../../../runtime/cli/backup.js";

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
