import { execFile } from "node:child_process";
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { arch, cpus, freemem, loadavg, totalmem, uptime } from "node:os";
import { join, resolve } from "node:path";
import { confirm, isCancel } from "@clack/prompts";
import { parse, stringify } from "yaml";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { isMissing, messageOf, troubleIn, unlessMissing } from "../../drivers/system-error.js";
import { hours } from "../../drivers/units.js";
import { ArchiveWriter } from "../backup/archive.js";
import { newestBackup, stampIn } from "../backup/backup-folder.js";
import { wrongUse } from "../cli/failure.js";
import { print } from "../cli/print.js";
import { withRemote } from "../cli/remote.js";
import { placesInUse } from "../cli/state.js";
import { configFile, defaultBackups, PACKAGED, type Places } from "../places.js";
import { isoUtc } from "../tools/iso-time.js";
import { VERSION } from "../wire/program.js";
import { isObject, parseJson } from "../wire/refusal.js";
import { Scrubber, secretsOf } from "./secrets.js";

/** The parts without secrets. Names of parts are fixed, so they contain none. */
function scrubbed(parts: readonly Part[], secrets: Iterable<string | Buffer>): Part[] {
  const scrubber = new Scrubber(secrets);
  return parts.map(({ name, text }) => ({ name, text: scrubber.scrub(text) }));
}

/** Writes the parts atomically to a new file in `folder`; returns its path. */
async function writeBundle(folder: string, name: string, parts: readonly Part[], at: Date): Promise<string> {
  const stage = await mkdtemp(join(folder, ".tendril-support-"));
  try {
    const made = join(stage, "new.tar.gz");
    const writer = await ArchiveWriter.create(made, at);
    for (const { name: member, text } of parts) {
      const bytes = Buffer.from(text);
      await writer.add({ name: `tendril-support/${member}`, bytes: bytes.length }, [bytes]);
    }
    await writer.finish();
    await handOver(made);
    await rename(made, join(folder, name));
    return join(folder, name);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The user who called sudo becomes the owner, to read and send it [sudo(8), "ENVIRONMENT"]. */
async function handOver(file: string): Promise<void> {
  const { SUDO_UID: uid, SUDO_GID: gid } = process.env;
  if (process.geteuid?.() === 0 && uid && gid) await chown(file, Number(uid), Number(gid));
}

interface PartsOptions {
  readonly state: string;
  readonly config: string;
  /** / on a real machine. */
  readonly root: string;
  /** Includes water, light and holds of the last 24 hours. */
  readonly journals: boolean;
  /** Includes texts of people and agents. */
  readonly texts: boolean;
  readonly clock: Clock;
  /** `tendril doctor --json` of this installation, as a program and its arguments. */
  readonly doctor: readonly string[];
  /** The overview of a running runtime; rejects if none runs. */
  overview(): Promise<unknown>;
}

export interface Part {
  readonly name: string;
  readonly text: string;
}

/** Milliseconds for a program of the system. A choice. */
const PATIENCE = 20_000;
/** Milliseconds. The doctor asks probes, interlock and each camera, one after the other. */
const DOCTOR_PATIENCE = 120_000;
/** Lines of the system's journal. */
const LINES = "2000";
const LEDGERS = ["water", "light", "control"];

/** All parts of a bundle, before secrets are removed. A part that fails has the reason as its text. */
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
    "log-tendril-bridge.txt": () => log("tendril-bridge", options),
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
    return { name, text: `not to be had: ${troubleIn(error) ?? messageOf(error)}\n` };
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

/** Parsed and written again, without comments, which may contain anything. */
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
    // a running runtime replaces its files: one may have gone since the folder was read
    const found = await sizeAndLines(file).catch(unlessMissing);
    if (found) lines.push(`${found.size}  ${file.slice(state.length + 1)}${found.count}\n`);
  }
  return lines.sort().join("");
}

async function sizeAndLines(file: string): Promise<{ readonly size: string; readonly count: string }> {
  const { size, mtime } = await stat(file);
  const count = file.endsWith(".jsonl")
    ? `  ${(await readFile(file, "utf8")).split("\n").length - 1} lines`
    : "";
  return { size: `${String(size).padStart(12)}  ${mtime.toISOString()}`, count };
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
  const lines = text.split("\n").map(parseJson).filter(isObject);
  const young = lines.filter(({ timestamp }) => typeof timestamp === "string" && timestamp >= since);
  return young.map((line) => `${JSON.stringify(maybeTexts(line, options))}\n`).join("");
}

const maybeTexts = (value: unknown, { texts }: PartsOptions): unknown =>
  texts ? value : withoutTexts(value);
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 1)}\n`;

/** A program's output, also if it fails, since the output then tells why: failed units, the doctor's findings. */
function run(
  [program = "", ...args]: readonly string[],
  { expected = /^/, patience = PATIENCE } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: patience, maxBuffer: 16_777_216 }, (error, out, err) => {
      if (out.trim() !== "" && expected.test(out)) resolve(out);
      else if (isMissing(error)) reject(new Error(`${program} is not installed here`));
      else reject(new Error(err.trim().split("\n")[0] || error?.message || "it said nothing"));
    });
  });
}

/** Keys with free texts of people and models. */
const TEXTS = new Set(
  "reason reasoning words content text message description observation hypothesis uncertainties arguments title".split(
    " ",
  ),
);

/** A copy in which texts of people and agents are replaced by their length; the runtime's texts stay. */
export function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (value === null || typeof value !== "object") return value;
  const byRuntime = isTheRuntimes(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      TEXTS.has(key) && !byRuntime ? lengthOf(inner) : withoutTexts(inner),
    ]),
  );
}

/** Whether the runtime wrote it, as it does all faults. */
const isTheRuntimes = (value: object): boolean =>
  ("by" in value && value.by === "runtime") || ("code" in value && typeof value.code === "string");

function lengthOf(value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "" ? "" : `[${text.length} characters]`;
}

/** Whether a line of journalctl is about an agent's thoughts and messages, which are indented under a heading. */
const isStory = (line: string): boolean => /^\S+ \S+ \S+: {3}/.test(line);

interface BundleArgs extends Places {
  readonly to: string;
  readonly withJournals?: boolean;
  readonly withTexts?: boolean;
  readonly yes?: boolean;
}

/** Collects information about a problem, without secrets; lists it, asks, and writes one file. */
export async function supportBundle(args: BundleArgs): Promise<void> {
  const { state, to, withJournals, withTexts, yes } = args;
  const clock = new SystemClock();
  const parts = await partsOf({
    state,
    config: resolve(configFile(placesInUse(args))),
    root: "/",
    journals: withJournals ?? false,
    texts: withTexts ?? false,
    clock,
    doctor: doctorOf(args),
    overview: () => withRemote({ state }, (remote) => remote.call("get_overview")),
  });
  const clean = scrubbed(parts, await secretsOf({ state, env: process.env, root: "/" }));
  show(clean, withTexts ?? false);
  if (!yes && !(await agreed())) return print("Nothing was written.");
  const at = isoUtc(clock.now());
  const file = await writeBundle(resolve(to), `tendril-support-${stampIn(at)}.tar.gz`, clean, new Date(at));
  print(
    `${file}\nCheck it before you send it: tar xzf FILE makes a folder tendril-support with plain texts.`,
  );
}

/** A configuration file that was not named may be missing. */
const doctorOf = ({ state, config }: BundleArgs): string[] => [
  ...thisProgram(process.argv[1] ?? ""),
  ...["doctor", "--json", "--state", state],
  ...(config === undefined ? [] : ["--config", resolve(config)]),
];

/** The package's own command, since a doctor run by root cannot see what the service's user may do. */
const thisProgram = (script: string): string[] =>
  script.startsWith(PACKAGED.programs) ? [PACKAGED.command] : [process.execPath, script];

function show(parts: readonly Part[], texts: boolean): void {
  for (const { name, text } of parts) {
    const missing = /^not to be had: /.test(text) ? `  ${text.trim()}` : "";
    print(`${String(Buffer.byteLength(text)).padStart(10)}  ${name}${missing}`);
  }
  print("Tokens, keys, passwords, mail addresses and network names are removed everywhere.");
  if (!texts) print("Texts of people and agents are left out: --with-texts includes them.");
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw wrongUse("no terminal to ask: look at the list above and call it again with --yes");
  const answer = await confirm({ message: "Write this to a file?", initialValue: false });
  return !isCancel(answer) && answer;
}
