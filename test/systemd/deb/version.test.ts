import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { releaseOf } from "../../../systemd/deb/control.js";
import { run } from "../../../systemd/deb/natives.js";

const skip = spawnSync("dpkg", ["--version"]).error !== undefined && "NOT TESTED: there is no dpkg here";

t.test(
  "a version between two releases is less than the next, and more than that of an earlier commit",
  async (t) => {
    const clone = manifest(t);
    const git = (at: string, ...args: string[]) =>
      run(
        "env",
        `GIT_COMMITTER_DATE=${at}`,
        "git",
        "-C",
        clone,
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        ...args,
      );
    const commit = (at: string) => {
      git(at, "commit", "--allow-empty", "-m", "a step");
      return releaseOf(clone, {});
    };
    git("", "init", "-q");
    git("", "add", ".");
    const first = commit("2026-11-21T23:30:00Z");
    const second = commit("2026-11-22T00:10:00Z");
    t.match(first.version, /^0\.1\.0~git20261121233000\.[0-9a-f]{7}$/);
    t.equal(second.epoch - first.epoch, 40 * 60);
    writeFileSync(join(clone, "package.json"), '{ "version": "0.1.0" }\n');
    t.match(releaseOf(clone, {}).version, /\+changed$/, "what is in no commit shows");
    git("", "checkout", "-q", ".");
    git("", "tag", "v0.1.0");
    t.equal(releaseOf(clone, {}).version, "0.1.0");
    const less = (a: string, b: string) => spawnSync("dpkg", ["--compare-versions", a, "lt", b]);
    t.test("as dpkg orders them", { skip }, async (t) => {
      t.equal(less(first.version, second.version).status, 0);
      t.equal(less(second.version, "0.1.0").status, 0);
    });
    t.throws(() => releaseOf(manifest(t), {}), /SOURCE_DATE_EPOCH/);
  },
);

/** A folder with a package.json alone, and not in this clone, whose git would answer for it. */
function manifest(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "tendril-version-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{ "version": "0.1.0" }');
  return folder;
}
