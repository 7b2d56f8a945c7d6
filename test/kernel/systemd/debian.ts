import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Millis, millis } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { run } from "./system.js";

/** The packages that the story brings along: as built here, the same with a later version, and one of an older state. */
export type Package = "current" | "newer" | "older";
/** The folder of the machine outside that all boots of a story see. */
const STORY = process.env.STORY ?? "";
const packagePath = (name: Package): string => join(STORY, "packages", `${name}.deb`);

/** Of a package that is not installed. */
export const versionOf = (name: Package): string => run("dpkg-deb", "--field", packagePath(name), "Version");

/** Of what is installed: the second word of the line. */
export const installedVersion = (): string => run("dpkg-query", "--show", "tendril").split("\t")[1] ?? "";

/** As a person without a network does it. Throws with what apt said. */
export function install(
  name: Package,
  ...options: string[]
): { readonly took: Millis; readonly said: string } {
  const since = clock.monotonic();
  const said = apt("install", ...options, packagePath(name));
  return { took: millis(clock.monotonic() - since), said };
}

export const purge = (): string => apt("purge", "tendril");

const apt = (...args: string[]): string =>
  run("/usr/bin/env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", ...args);

/** systemd's own folder, made for the first timer that remembers when it ran; what lies in it counts. */
const TIMERS = "/var/lib/systemd/timers";

/** What a system is: its files but what the kernel, the log and apt's own books are, its accounts. Units are files. */
export function inventory(): string[] {
  const elsewhere = [
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/tmp",
    "/var/tmp",
    "/root",
    "/work",
    "/var/log/journal",
    "/var/cache/apt",
    "/var/cache/debconf",
    "/var/lib/apt",
  ];
  const skip = elsewhere.flatMap((path) => ["-path", path, "-prune", "-o"]);
  const all = run("find", "/", "-xdev", ...skip, "-print").split("\n");
  const files = all.filter((path) => path !== TIMERS);
  const accounts = ["passwd", "group", "shadow", "gshadow", "subuid", "subgid"].flatMap((name) =>
    readFileSync(`/etc/${name}`, "utf8")
      .trim()
      .split("\n")
      .map((line) => `${name}: ${line}`),
  );
  return [...files, ...accounts].sort();
}
