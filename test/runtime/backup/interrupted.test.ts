import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { RuntimeHere } from "../../process.js";
import { rigFor } from "../../rig.js";
import { failsClearly } from "../../run-tendril.js";
import { tendrilHere } from "../../tendril-here.js";
import { backupOf, folderFor, killedAt, restoreTo } from "./backup-rig.js";

/** Kills a restore into `state` as soon as it is decided. */
async function interrupted(state: string, file: string): Promise<void> {
  await killedAt("decided", "restore", state, file);
  if (!(await readdir(state)).includes("restore.json")) throw new Error("it was not decided");
}

t.test(
  "an interrupted restore is carried out by the next start, and until then nobody else begins anything",
  async (t) => {
    const rig = await rigFor(t);
    await rig.get("send_message_to_human", { message: "before the backup" });
    const { file } = await backupOf(rig.state, await folderFor(t));
    await rig.stop();
    const state = join(await folderFor(t), "state");
    await restoreTo(state, file);
    await interrupted(state, file);
    const args = ["--state", state];
    failsClearly(
      t,
      await tendrilHere(["token", "add", "agent", "balcony", ...args]),
      /a restore into .* was interrupted/,
    );
    failsClearly(t, await tendrilHere(["backup", ...args]), /RESTORE_UNFINISHED/);
    const runtime = await RuntimeHere.start({ state });
    const { log } = await runtime.stop();
    t.match(log, /warn {2}an interrupted restore was carried out aside=/);
    t.match(await readFile(join(state, "journal", "messages.jsonl"), "utf8"), /before the backup/);
    t.notOk((await readdir(state)).some((name) => name === "restore.json" || name.startsWith(".restore-")));
    t.match(await tendrilHere(["backup", ...args, "--to", await folderFor(t)]), {
      code: 0,
      out: /read back and complete/,
    });
  },
);

t.test("another restore in place of the start does as well", async (t) => {
  const rig = await rigFor(t);
  const { file } = await backupOf(rig.state, await folderFor(t));
  await rig.stop();
  const state = join(await folderFor(t), "state");
  await restoreTo(state, file);
  await interrupted(state, file);
  t.match(await tendrilHere(["restore", file, "--state", state]), { code: 0, out: /is as it was at 2026-/ });
});

t.test("backups and restores say what is wrong in a line", async (t) => {
  const folder = await folderFor(t);
  failsClearly(
    t,
    await tendrilHere(["restore", join(folder, "none"), "--state", join(folder, "state")]),
    /nothing was changed: there is no file .*none\..*backups are in /s,
  );
  failsClearly(t, await tendrilHere(["backup", "--verify", folder]), /it is a folder/);
  failsClearly(
    t,
    await tendrilHere(["backup", "--state", join(folder, "none")]),
    /there is no state folder .*none/,
  );
  failsClearly(
    t,
    await tendrilHere(["backup", "--list", "/etc/hostname"]),
    /cannot be used .*BACKUP_INVALID/,
  );
});
