import { execFile } from "node:child_process";
import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { arch, cpus, freemem, loadavg, totalmem, uptime } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Clock } from "../../drivers/ports.js";
import { hours } from "../../drivers/units.js";
import { newestBackup } from "../backup/kept.js";
import { defaultBackups } from "../places.js";
import { VERSION } from "../wire/version.js";
import { isStory, withoutTexts } from "./texts.js";

export interface PartsOptions {
  readonly state: string;
  readonly config: string;
  /** / on a real machine. */
  readonly root: string;
  /** The last 24 hours of what was poured, lit and held. */
  readonly journals: boolean;
  /** What people and agents have written, too. */
  readonly texts: boolean;
  readonly clock: Clock;
  /** `tendril doctor --json` of this installation, as a program and its arguments. */
  readonly doctor: readonly string[];
  /** What a running runtime shows at a glance; rejects where none runs. */
  overview(): Promise<unknown>;
}

export interface Part {
  readonly name: string;
  readonly text: string;
}

/** Milliseconds for a program of the system's, a choice. */
const PATIENCE = 20_000;
/** A doctor asks probes, interlock and each camera, one after the other. */
const DOCTOR_PATIENCE = 120_000;
/** Lines of the system's journal. */
const LINES = "2000";
const LEDGERS = ["water", "light", "control"];

/** Everything that goes into a bundle, before it is scrubbed. What cannot be had says why in its place. */
export async function partsOf(options: PartsOptions): Promise<Part[]> {
  const parts: Record<string, () => Promise<string>> = {
    "versions.txt": () => versions(options),
    "configuration.yaml": () => configuration(options),
    "doctor.json": () => run(options.doctor, { expected: /^\s*\{/, patience: DOCTOR_PATIENCE }),
    "overview.json": async () => json(maybeTexts(await options.overview(), options)),
    "state.txt": () => inventory(options),
    "disk.txt": () => disk(options),
    "units.txt": () => run(["systemctl", "status", "--no-pager", "--lines=0", "tendril*"]),
    "log-tendril.txt": () => log("tendril", options),
    "log-tendril-agent.txt": () => log("tendril-agent", options),
    "power.txt": () => run(["vcgencmd", "get_throttled"]),
  };
  if (options.journals)
    for (const name of LEDGERS) parts[`last-day-${name}.jsonl`] = () => lastDay(name, options);
  return Promise.all(Object.entries(parts).map(([name, make]) => partOf(name, make)));
}

async function partOf(name: string, make: () => Promise<string>): Promise<Part> {
  try {
    return { name, text: await make() };
  } catch (error) {
    return { name, text: `not to be had: ${error instanceof Error ? error.message : String(error)}\n` };
  }
}

async function versions({ root }: PartsOptions): Promise<string> {
  const read = (file: string) => readFile(join(root, file), "utf8").catch(() => "unknown");
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(await read("etc/os-release"))?.[1] ?? "unknown";
  const lines = {
    tendril: VERSION,
    node: process.version,
    kernel: (await read("proc/version")).trim(),
    system,
    board: (await read("proc/device-tree/model")).replaceAll("\0", ""),
    processor: `${arch()}, ${cpus().length} cores, load ${loadavg()
      .map((each) => each.toFixed(2))
      .join(" ")}`,
    memory: `${Math.round(freemem() / 1e6)} of ${Math.round(totalmem() / 1e6)} MB free`,
    uptime: `${Math.round(uptime() / 3600)} h`,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
}

/** Read and written again: comments, in which anything may stand, are gone. */
async function configuration({ config }: PartsOptions): Promise<string> {
  const text = await readFile(config, "utf8");
  try {
    return stringify(parse(text));
  } catch {
    return `is no YAML (${text.split("\n").length} lines); "tendril config" says what is wrong with it\n`;
  }
}

async function inventory({ state }: PartsOptions): Promise<string> {
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const lines: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const { size, mtime } = await stat(file);
    const count = file.endsWith(".jsonl")
      ? `  ${(await readFile(file, "utf8")).split("\n").length - 1} lines`
      : "";
    lines.push(
      `${String(size).padStart(12)}  ${mtime.toISOString()}  ${file.slice(state.length + 1)}${count}\n`,
    );
  }
  return lines.sort().join("");
}

async function disk({ state }: PartsOptions): Promise<string> {
  const { bavail, blocks, bsize } = await statfs(state);
  const newest = await newestBackup(defaultBackups(state));
  const backup = newest ? `${new Date(newest.at).toISOString()}, ${newest.bytes} bytes` : "none";
  return `${Math.round((bavail * bsize) / 1e6)} of ${Math.round((blocks * bsize) / 1e6)} MB free where the state is\nnewest backup: ${backup}\n`;
}

async function log(unit: string, { texts }: PartsOptions): Promise<string> {
  const lines = (await run(["journalctl", "-u", unit, "-n", LINES, "--no-pager", "-o", "short-iso"])).split(
    "\n",
  );
  return (texts ? lines : lines.filter((line) => !isStory(line))).join("\n");
}

async function lastDay(name: string, options: PartsOptions): Promise<string> {
  const since = new Date(options.clock.now() - hours(24)).toISOString();
  const text = await readFile(join(options.state, "journal", `${name}.jsonl`), "utf8");
  const lines = text.split("\n").flatMap(parsed);
  const young = lines.filter(({ timestamp }) => typeof timestamp === "string" && timestamp >= since);
  return young.map((line) => `${JSON.stringify(maybeTexts(line, options))}\n`).join("");
}

/** None for a line that cannot be read. */
function parsed(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

const maybeTexts = (value: unknown, { texts }: PartsOptions): unknown =>
  texts ? value : withoutTexts(value);
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 1)}\n`;

/** What a program says. One that fails has said what is wrong: units that are not well, a doctor's findings. */
function run(
  [program = "", ...args]: readonly string[],
  { expected = /^/, patience = PATIENCE } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: patience, maxBuffer: 16_777_216 }, (error, out, err) => {
      if (out.trim() !== "" && expected.test(out)) resolve(out);
      else reject(new Error(err.trim().split("\n")[0] || error?.message || "it said nothing"));
    });
  });
}
