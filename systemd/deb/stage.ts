import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundle } from "../programs/bundle.js";
import { buildPage } from "../programs/page.js";
import { copyrightPage, foreignOf, type Release } from "./control.js";
import { type Architecture, stageNatives } from "./natives.js";

const HOME = "usr/lib/tendril";
const DOC = "usr/share/doc/tendril";

/** What programs find by their own place beside other programs (`new URL(…, import.meta.url)`). */
const ASSETS = ["firmware/build/interlock.wasm", "agent-client/harness/scenarios"];

const UNITS = "usr/lib/systemd/system";
/** Where the system looks for what is in systemd/, beside the units. */
const SYSTEM: readonly (readonly [string, string])[] = [
  ["tendril.service.d/restart-steps.conf", `${UNITS}/tendril.service.d`],
  ["system.conf.d/50-tendril-watchdog.conf", "usr/lib/systemd/system.conf.d"],
  ["sysusers.d/tendril.conf", "usr/lib/sysusers.d"],
  ["tmpfiles.d/tendril.conf", "usr/lib/tmpfiles.d"],
  ["modules-load.d/tendril.conf", "usr/lib/modules-load.d"],
  ["udev/60-tendril.rules", "usr/lib/udev/rules.d"],
];
const SCRIPTS = ["relays-off", "tell-failure"];
const COMMANDS = ["tendril", "tendril-agent", "tendril-bridge"];

/** Lays out below `to` all that the package installs; returns the files whose code or compiled form is in it. */
export async function stage(
  from: string,
  to: string,
  architecture: Architecture,
  release: Release,
): Promise<readonly string[]> {
  const built = join(to, HOME, "dist");
  const programs = await bundle(from, built, "package");
  const inputs = { ...programs, ...(await buildPage(from, built)) };
  for (const asset of ASSETS) putAll(join(from, asset), join(to, HOME, asset));
  write(join(to, HOME, "package.json"), manifest(from, release));
  stageNatives(from, join(to, HOME, "natives"), architecture);
  stageSystem(from, to);
  const natives = ["epoll", "i2c-bus", "nan", "node-addon-api", "sqlite3"].map(
    (name) => `node_modules/${name}/`,
  );
  const used = [...Object.keys(inputs), ...natives];
  stageDocs(from, join(to, DOC), used, release);
  return used;
}

/** What programs know of the package: that their files are modules, and the version, which is the package's own. */
function manifest(from: string, { version }: Release): string {
  const { name, type } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  return `${JSON.stringify({ name, version, type }, undefined, 2)}\n`;
}

function stageSystem(from: string, to: string): void {
  const systemd = join(from, "systemd");
  const units = readdirSync(systemd).filter((name) => /\.(service|timer)$/.test(name));
  for (const unit of units) put(join(systemd, unit), join(to, UNITS, unit), 0o644);
  for (const [file, place] of SYSTEM) put(join(systemd, file), join(to, place, lastOf(file)), 0o644);
  for (const name of SCRIPTS) put(join(systemd, name), join(to, HOME, "systemd", name), 0o755);
  for (const name of COMMANDS) {
    put(join(systemd, "deb/bin", name), join(to, "usr/bin", name), 0o755);
    const page = readFileSync(join(systemd, "deb/man", `${name}.1`));
    write(join(to, "usr/share/man/man1", `${name}.1.gz`), packed(page));
  }
}

function stageDocs(from: string, to: string, files: readonly string[], release: Release): void {
  putAll(join(from, "docs"), join(to, "docs"));
  put(join(from, "README.md"), join(to, "README.md"), 0o644);
  put(join(from, "systemd/config.txt"), join(to, "examples/config.txt"), 0o644);
  const copyright = copyrightPage(readFileSync(join(from, "LICENSE"), "utf8"), foreignOf(from, files));
  write(join(to, "copyright"), copyright);
  write(join(to, "changelog.gz"), packed(changelog(release)));
  write(join(to, "CHANGELOG.md.gz"), packed(readFileSync(join(from, "CHANGELOG.md"))));
}

/** As Debian Policy 4.4 wants it; what is new is told in our own. */
function changelog({ version, epoch }: Release): string {
  const date = new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");
  return `tendril (${version}) unstable; urgency=medium

  * /usr/share/doc/tendril/CHANGELOG.md.gz says what is new.

 -- The Tendril authors <maintainers@tendril.example>  ${date}
`;
}

/** Without name and time in it, and the same in every Node. */
function packed(contents: string | Uint8Array): Uint8Array {
  const bytes = gzipSync(contents, { level: 9 });
  bytes[9] = 3; // the system that packed it: zlib says its own
  return bytes;
}

function putAll(from: string, to: string): void {
  if (!statSync(from).isDirectory()) put(from, to, 0o644);
  else for (const name of readdirSync(from)) putAll(join(from, name), join(to, name));
}

function lastOf(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** Copies a file to `to`, with just these rights. */
export function put(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
  chmodSync(to, mode);
}

/** Writes a file, with just these rights. */
export function write(to: string, contents: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, contents);
  chmodSync(to, mode);
}
