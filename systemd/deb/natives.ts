import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { put } from "./stage.js";

/** Debian's names. */
export type Architecture = "amd64" | "arm64" | "armhf";

/** GNU's names, which Debian's cross compilers begin with. */
export const TRIPLE: Record<Architecture, string> = {
  amd64: "x86_64-linux-gnu",
  arm64: "aarch64-linux-gnu",
  armhf: "arm-linux-gnueabihf",
};

const NODE_NAMES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "armhf",
};

/** Of this computer; undefined where there is no package for it. */
export const HOST: Architecture | undefined = NODE_NAMES[process.arch];

/** Runs a program to its end and returns what it says. Throws with what it complained of where it fails. */
export function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 27,
  });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stderr.slice(-4000)}`);
  return stdout;
}

/** For any Node (Node-API), and for one NODE_MODULE_VERSION (nan). Packages, and what they are called once compiled. */
const ANY_NODE = [["sqlite3", "node_sqlite3.node"]] as const;
const ONE_NODE = [
  ["epoll", "epoll.node"],
  ["i2c-bus", "i2c.node"],
] as const;
/** serialport brings its own for every architecture; Debian's C library is glibc. */
const SERIALPORT: Record<Architecture, string> = {
  amd64: "linux-x64/@serialport+bindings-cpp.glibc.node",
  arm64: "linux-arm64/@serialport+bindings-cpp.armv8.glibc.node",
  armhf: "linux-arm/@serialport+bindings-cpp.armv7.glibc.node",
};

/** Packages whose sources are in the package, to be compiled for another Node where it is installed. */
const SOURCES = ["epoll", "i2c-bus", "nan"];

/** Puts the compiled natives, and what it takes to compile those that fit one Node only, below the folder `to`. */
export function stageNatives(from: string, to: string, architecture: Architecture): void {
  const compiled = architecture === HOST ? builtHere(from) : crossBuilt(from, architecture);
  const oneNode = join(to, `node-v${process.versions.modules}`);
  for (const [, file] of ANY_NODE) native(compiled(file), join(to, "any-node", file), architecture);
  for (const [, file] of ONE_NODE) native(compiled(file), join(oneNode, file), architecture);
  const serialport = join(from, "node_modules/@serialport/bindings-cpp/prebuilds", SERIALPORT[architecture]);
  native(serialport, join(to, "any-node/serialport.node"), architecture);
  put(join(from, "systemd/deb/natives/rebuild-natives"), join(to, "rebuild-natives"), 0o755);
  for (const name of SOURCES) stageSources(join(from, "node_modules", name), join(to, "src", name));
}

/** Without symbols: they are half of it. */
function native(file: string, to: string, architecture: Architecture): void {
  if (!existsSync(file)) throw new Error(`${file} is missing: npm ci compiles it`);
  put(file, to, 0o644);
  run(
    architecture === HOST ? "strip" : `${TRIPLE[architecture]}-strip`,
    "--strip-unneeded",
    "--remove-section=.comment",
    to,
  );
}

function stageSources(folder: string, to: string): void {
  const isSource = (name: string) => /\.(cc|h)$/.test(name);
  for (const place of ["", "src"]) {
    const names = existsSync(join(folder, place)) ? readdirSync(join(folder, place)) : [];
    for (const name of names.filter(isSource)) put(join(folder, place, name), join(to, name), 0o644);
  }
}

function builtHere(from: string): (file: string) => string {
  const packages = new Map<string, string>([...ANY_NODE, ...ONE_NODE].map(([name, file]) => [file, name]));
  return (file) => join(from, "node_modules", packages.get(file) ?? "", "build/Release", file);
}

/** Compiled once, three minutes an architecture; kept in ~/.cache by what it depends on. */
function crossBuilt(from: string, architecture: Architecture): (file: string) => string {
  const script = join(from, "systemd/deb/natives/cross-natives");
  const folder = join(
    homedir(),
    ".cache/tendril-natives",
    `${architecture}-${inputs(from, script, architecture)}`,
  );
  if (!existsSync(folder)) {
    process.stderr.write(`compiling the natives for ${architecture}: some minutes, kept in ${folder}\n`);
    mkdirSync(`${folder}.new`, { recursive: true });
    run("sh", script, architecture, `${folder}.new`);
    renameSync(`${folder}.new`, folder);
  }
  return (file) => join(folder, file);
}

function inputs(from: string, script: string, architecture: Architecture): string {
  const hash = createHash("sha256").update(readFileSync(script)).update(process.versions.modules);
  hash.update(spawnSync(`${TRIPLE[architecture]}-g++`, ["--version"], { encoding: "utf8" }).stdout ?? "");
  for (const name of [...ANY_NODE, ...ONE_NODE].map(([name]) => name))
    hash.update(readFileSync(join(from, "node_modules", name, "package.json")));
  return hash.digest("hex").slice(0, 12);
}
