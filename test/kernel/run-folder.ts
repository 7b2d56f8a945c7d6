import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { KERNEL_SOURCES, PROJECT } from "./kernel.js";
import type { Machine } from "./machine.js";

/** The user `nobody` and its group `nogroup` (Debian, base-passwd). */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** For spawn; empty: whoever runs this. */
export type User = { readonly uid?: number; readonly gid?: number };

/** What one boot needs, in a folder that whoever runs the kernel can read. */
export class RunFolder {
  readonly path = mkdtempSync(join(tmpdir(), "tendril-kernel-"));

  fill({ kernel, scripts, settings }: Machine): void {
    if (/\s/.test(this.path)) throw new Error(`a kernel's command line splits at spaces: TMPDIR=${tmpdir()}`);
    chmodSync(this.path, 0o755);
    for (const name of ["linux", "i2c-stub.ko"]) copyFileSync(join(kernel, name), join(this.path, name));
    for (const name of scripts) copyFileSync(join(KERNEL_SOURCES, name), join(this.path, basename(name)));
    writeFileSync(join(this.path, "settings"), shellOf(settings));
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
  giveToHarmlessUser({ needs }: Machine): User {
    if (process.getuid?.() !== 0) return {};
    const needed = [...needs, join(PROJECT, "node_modules/tap/package.json"), this.path];
    const readable = needed.every((path) => spawnSync("test", ["-r", path], NOBODY).status === 0);
    if (!readable) return {};
    giveAway(this.path);
    return NOBODY;
  }
}

/** A folder and what is in it, to nobody, where root has it. */
export function giveAway(folder: string): void {
  if (process.getuid?.() !== 0) return;
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** Assignments. */
const shellOf = (settings: Machine["settings"]): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join("");
