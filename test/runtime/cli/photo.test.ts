import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { photo } from "../../../runtime/cli/photo.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "./rig-remote.js";

const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const START = "2026-06-01T08:00:00.000Z";

t.test(
  "a person is given a whole link; a photo is taken only where there is none, or on demand",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const remote = rigRemote(rig);
    const count = async () => (await rig.get("get_recent_photos", {})).count;
    const said = await photo(remote, {});
    t.match(
      said,
      /^photo of basil at 2026-06-01 08:00 UTC\n {2}http:\/\/127.0.0.1:8731\/photos\/.*signature=[\w-]{43}/,
    );
    await photo(remote, {});
    t.equal(await count(), 1);
    await photo(remote, { take: true, plant: "Basil" });
    t.equal(await count(), 2);
  },
);

t.test("a photo is saved where the person says, and never over a file that is there", async (t) => {
  const rig = await rigFor(t, { start: START });
  const file = join(t.testdir(), "basil.jpg");
  t.match(await photo(rigRemote(rig), { save: file }), `saved as ${file}`);
  t.same(readFileSync(file).subarray(0, 3), JPEG);
  await t.rejects(photo(rigRemote(rig), { save: file }), /exists already: name another file/);
  const nowhere = join(t.testdir(), "none", "basil.jpg");
  await t.rejects(photo(rigRemote(rig), { save: nowhere }), {
    message: `the picture was not saved: ${nowhere}: there is no such file or folder; correct the name (ENOENT)`,
  });
});

t.test("--open shows the file, or says where it is on a computer without a screen", async (t) => {
  const rig = await rigFor(t, { start: START });
  const file = join(t.testdir(), "basil.jpg");
  const opened: string[] = [];
  const opener = async (path: string) => opened.push(path) > 0;
  t.notMatch(await photo(rigRemote(rig), { open: true, save: file }, opener), /nothing on this computer/);
  t.same(opened, [file]);
  const said = await photo(rigRemote(rig), { open: true }, async () => false);
  t.match(
    said,
    /nothing on this computer opens pictures: the file is .*tendril-photo-basil.jpg, the link http/,
  );
});

t.test("without a screen, --open gives the link and says that nothing opened it", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { DISPLAY, WAYLAND_DISPLAY, ...env } = process.env;
  t.intercept(process, "env", { value: env });
  t.intercept(process, "platform", { value: "linux" });
  t.match(
    await photo(rigRemote(rig), { open: true }),
    /nothing on this computer opens pictures: .* the link http/,
  );
});

t.test("no line of the runtime's log holds a link's signature", async (t) => {
  const rig = await rigFor(t);
  await photo(rigRemote(rig), { take: true });
  t.notMatch(rig.log.join("\n"), /signature/);
});
