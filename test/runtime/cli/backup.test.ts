import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { verifyBackup } from "../../../runtime/backup/contents.js";
import { backup, restore } from "../../../runtime/cli/backup.js";
import { openStore } from "../../../runtime/store/store.js";
import { RuntimeHere } from "../../process.js";
import { tendrilHere } from "../../tendril-here.js";

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
    const root = t.testdir({ state: {}, to: {}, "elsewhere.yaml": "plants: [{ id: fern }]\n" });
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

t.test("a folder that was named and is not there is never made: a stick may not be plugged in", async (t) => {
  const root = t.testdir({ state: {} });
  const [state, to] = [join(root, "state"), join(root, "stick", "backups")];
  await (await openStore({ folder: state })).close();
  await t.rejects(backup({ state, to, keep: 14 }), {
    name: "CommandError",
    message: /there is no folder .*backups, so no backup was made: .*stick.*mkdir -p /,
    exitCode: 2,
  });
  t.same(readdirSync(root), ["state"]);
});

t.test("a backup counts what its owner knows, and nothing of which there is none", async (t) => {
  const root = t.testdir({ state: {}, to: {} });
  const [state, to] = [join(root, "state"), join(root, "to")];
  const runtime = await RuntimeHere.start({ state });
  await tendrilHere(["reply", "hello", "--state", state]);
  await runtime.stop();
  const { out } = await tendrilHere(["backup", "--state", state, "--to", to]);
  t.match(out, /files; records: readings \d+, messages 1\nread back and complete, 0\.[1-9] MB$/m);
});

t.test("a backup or restore that the system refuses says what, where and what to do next", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "tendril-backup-cli-"));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const state = join(root, "state");
  await (await openStore({ folder: state })).close();
  writeFileSync(join(root, "file"), "");
  await t.rejects(backup({ state, to: join(root, "file"), keep: 14 }), {
    name: "CommandError",
    message: /^no backup was made: .*file: .* \(E\w+\)$/,
  });
  const gone = join(root, "gone.tar.gz");
  const missing = `${gone}: there is no such file or folder; correct the name (ENOENT)`;
  await t.rejects(restore(gone, { state }), {
    message: `nothing was changed: there is no file ${gone}. Unless --to named another folder, backups are in ${state}-backups`,
  });
  await t.rejects(backup({ state, verify: gone, keep: 14 }), {
    message: `the backup cannot be read: ${missing}`,
  });
});

t.test("after a restore the commands that are named find the folder that was restored", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "tendril backup cli-"));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const state = join(root, "state");
  const to = join(root, "to");
  mkdirSync(to);
  const runtime = await RuntimeHere.start({ state });
  await runtime.stop();
  await backup({ state, to, keep: 14 });
  const [file = ""] = readdirSync(to);
  const { out } = await tendrilHere(["restore", join(to, file), "--state", join(root, "other")]);
  const told = out.replaceAll(/\s+/g, " ");
  t.match(told, `serve --state '${join(root, "other")}'"`);
  t.match(told, `resume --state '${join(root, "other")}'"`);
});
