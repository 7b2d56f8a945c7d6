import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { worldOf } from "./inside-tests.js";
import { KERNEL_SOURCES, PROJECT } from "./kernel.js";

/** The user `nobody` and its group `nogroup` (Debian, base-passwd). */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** Where i2c-stub answers: two ADS1115, a seesaw moisture sensor. It takes ten addresses at most. */
const STUB_CHIPS = [0x36, 0x48, 0x49];

/** The first process, in the folder. */
export const INIT = "init.sh";

/** For spawn; empty: whoever runs this. */
export type User = { readonly uid?: number; readonly gid?: number };

/** What one boot needs, in a folder that whoever runs the kernel can read. */
export class RunFolder {
  readonly path = mkdtempSync(join(tmpdir(), "tendril-kernel-"));

  /** `kernel`: the folder that build.sh names. `test`: a compiled test file. */
  fill(kernel: string, test: string): void {
    if (/\s/.test(this.path)) throw new Error(`a kernel's command line splits at spaces: TMPDIR=${tmpdir()}`);
    chmodSync(this.path, 0o755);
    for (const name of ["linux", "i2c-stub.ko"]) copyFileSync(join(kernel, name), join(this.path, name));
    copyFileSync(join(KERNEL_SOURCES, worldOf(test).init), join(this.path, INIT));
    writeFileSync(join(this.path, "settings"), settings(test));
    const tree = ["-I", "dts", "-O", "dtb", "-o", join(this.path, "bench.dtb")];
    execFileSync(join(kernel, "dtc"), [...tree, join(KERNEL_SOURCES, "bench.dts")]);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /**
   * Whom to run the kernel as, since its root has that user's rights over the files of this machine: nobody in root's
   * place, unless that one cannot read what is to run. Then it is root, for whom too the files are mounted read-only.
   */
  giveToHarmlessUser(test: string): User {
    if (process.getuid?.() !== 0) return {};
    const needed = [process.execPath, test, join(PROJECT, "node_modules/tap/package.json"), this.path];
    const readable = needed.every((path) => spawnSync("test", ["-r", path], NOBODY).status === 0);
    if (!readable) return {};
    for (const name of readdirSync(this.path)) chownSync(join(this.path, name), NOBODY.uid, NOBODY.gid);
    chownSync(this.path, NOBODY.uid, NOBODY.gid);
    return NOBODY;
  }
}

/** Shell assignments for init.sh. */
const settings = (test: string): string =>
  Object.entries({ NODE: process.execPath, PROJECT, TEST: test, STUB_CHIPS: STUB_CHIPS.join(",") })
    .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join("");
