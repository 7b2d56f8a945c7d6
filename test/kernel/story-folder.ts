import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "../../systemd/deb/build-package.js";
import { releaseOf } from "../../systemd/deb/control.js";
import { HOST } from "../../systemd/deb/natives.js";
import { PROJECT } from "./kernel.js";
import { giveAway } from "./run-folder.js";

/** In preinst: the newest form of the state that a version knows. */
const STATE_FORMAT = /^format=\d+$/m;

/** What all boots of a story see: the clean disk, what each has written beside it, and the packages. */
export class StoryFolder {
  readonly path = mkdtempSync(join(tmpdir(), "tendril-story-"));
  private readonly packages = join(this.path, "packages");

  /** `image`: the clean disk. Builds the package of this clone, a newer one of the same, and one of an older state. */
  async fill(image: string): Promise<void> {
    chmodSync(this.path, 0o755);
    execFileSync("cp", ["--sparse=always", "--reflink=auto", image, join(this.path, "base.ext4")]);
    mkdirSync(this.packages);
    if (!HOST) throw new Error(`there is no package for ${process.arch}`);
    const release = releaseOf(PROJECT, process.env);
    const { file } = await buildPackage(PROJECT, join(this.path, "built"), HOST, release);
    copyFileSync(file, join(this.packages, "current.deb"));
    this.repack("newer", `${release.version}+newer`);
    this.repack("older", "0.0.1", (preinst) => preinst.replace(STATE_FORMAT, "format=0"));
    giveAway(this.path);
  }

  /** The disk `to` is what `from` is now. */
  copyDisk(from: string, to: string): void {
    execFileSync("cp", [
      "--sparse=always",
      "--preserve=ownership",
      join(this.path, from),
      join(this.path, to),
    ]);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  private repack(name: string, version: string, preinst = (script: string) => script): void {
    const tree = join(this.path, name);
    execFileSync("dpkg-deb", ["--raw-extract", join(this.packages, "current.deb"), tree]);
    edit(join(tree, "DEBIAN/control"), (control) => control.replace(/^Version: .*$/m, `Version: ${version}`));
    edit(join(tree, "DEBIAN/preinst"), preinst);
    const options = ["--root-owner-group", "-Znone", "--build"];
    execFileSync("dpkg-deb", [...options, tree, join(this.packages, `${name}.deb`)]);
    rmSync(tree, { recursive: true });
  }
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
