import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { FORM } from "../../runtime/store/open-database.js";
import { controlFile, librariesOf, type Release } from "./control.js";
import { type Architecture, run } from "./natives.js";
import { put, stage, write } from "./stage.js";

const SCRIPTS = ["preinst", "postinst", "prerm", "postrm"];

/** xz's level that dpkg-deb takes by itself. */
const COMPRESSION = 6;

interface Package {
  /** Its path. */
  readonly file: string;
  /** The files whose code or compiled form is in it. */
  readonly used: readonly string[];
}

/**
 * Builds one package from the sources `from` into the folder `out`. The same sources give the same bytes.
 * `compression` 0 gives a file half as large again in a tenth of the time.
 */
export async function buildPackage(
  from: string,
  out: string,
  architecture: Architecture,
  release: Release,
  compression = COMPRESSION,
): Promise<Package> {
  const tree = mkdtempSync(join(tmpdir(), "tendril-deb-"));
  try {
    chmodSync(tree, 0o755);
    const used = await stage(from, tree, architecture, release);
    writeControl(from, tree, architecture, release);
    for (const path of [tree, ...below(tree)]) level(path, release);
    mkdirSync(out, { recursive: true });
    const file = join(out, `tendril_${release.version}_${architecture}.deb`);
    run(
      "env",
      `SOURCE_DATE_EPOCH=${release.epoch}`,
      "dpkg-deb",
      "--root-owner-group",
      "-Zxz",
      `-z${compression}`,
      "--build",
      tree,
      file,
    );
    return { file, used };
  } finally {
    rmSync(tree, { recursive: true });
  }
}

function writeControl(from: string, tree: string, architecture: Architecture, { version }: Release): void {
  const files = below(tree).filter((path) => statSync(path).isFile());
  const size = Math.ceil(files.reduce((sum, path) => sum + statSync(path).size, 0) / 1024);
  const libraries = librariesOf(files.filter((path) => path.endsWith(".node")));
  const control = join(tree, "DEBIAN");
  write(join(control, "control"), controlFile({ version, architecture, size, libraries }));
  write(join(control, "md5sums"), files.map((path) => `${md5(path)}  ${relative(tree, path)}\n`).join(""));
  put(join(from, "systemd/deb/debian/triggers"), join(control, "triggers"), 0o644);
  for (const name of SCRIPTS) {
    const text = readFileSync(join(from, "systemd/deb/debian", name), "utf8");
    write(join(control, name), text.replace("@STATE_FORMAT@", String(FORM)), 0o755);
  }
}

const md5 = (path: string): string => createHash("md5").update(readFileSync(path)).digest("hex");

/** Every file and folder, in the order of their names. */
function below(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...below(path)] : [path];
  });
}

/** Folders are open to all whatever the builder's umask is, and everything bears the release's time. */
function level(path: string, { epoch }: Release): void {
  if (statSync(path).isDirectory()) chmodSync(path, 0o755);
  utimesSync(path, epoch, epoch);
}
