import { readFileSync } from "node:fs";
import { chmod, chown } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, replaceFile } from "../../drivers/durable-file.js";
import type { FoundChip } from "../../drivers/pi/inspect/chips.js";
import { askInterlock } from "../../drivers/pi/inspect/chips.js";
import {
  missingLines,
  type WantedLine,
  wantedLines,
  withOurBlock,
} from "../../drivers/pi/inspect/config-txt.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import { groupId, type Machine } from "../../drivers/pi/inspect/machine.js";
import type { Clock } from "../../drivers/ports.js";
import { isMissing, messageOf } from "../../drivers/system-error.js";
import { hex } from "../../drivers/units.js";
import { CommandError, wrongUse } from "../cli/failure.js";
import { asCalledHere, callAs } from "../cli/print.js";
import { boardConfig, misspeltSpecies } from "../config/schema.js";
import { loadConfig, parseConfig } from "../configuration.js";
import { PACKAGED } from "../places.js";
import { isoUtc } from "../tools/iso-time.js";
import type { Answers } from "./answers.js";
import { type Asker, Cancelled } from "./asker.js";
import { settle } from "./settle.js";
import { type Draft, yamlOf } from "./write-yaml.js";

interface SetupParts {
  readonly machine: Machine;
  readonly findings: Findings;
  readonly clock: Pick<Clock, "now">;
  readonly file: string;
  readonly state: string;
  /** Whether root runs it: only root may change config.txt and owners of files. */
  readonly isRoot: boolean;
  readonly say: (text: string) => void;
  /** Asks before anything is written; without it, every answer is yes. */
  readonly asker?: Asker;
  /** Whether a runtime has the state folder: another cannot start. */
  readonly isRunning?: boolean;
  /** Shows everything and writes nothing. */
  readonly dryRun?: boolean;
}

/** Writes the files for the answers. Throws a CommandError with every missing or impossible answer, and Cancelled. */
export async function carryOut(answers: Answers, parts: SetupParts): Promise<void> {
  const settled = settle(answers, parts.findings);
  if ("problems" in settled) throw unanswered(settled.problems);
  const now = isoUtc(parts.clock.now());
  const plan = planOf(settled.draft, parts.findings, parts.file, now.slice(0, 10));
  show(plan, parts);
  for (const doubt of misspeltSpecies(parseConfig(plan.yaml, plan.file))) parts.say(`! ${doubt}`);
  if (parts.dryRun) return parts.say("nothing was written (--dry-run)");
  const stamp = now.slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  await writeConfiguration(plan, stamp, parts);
  const reboot = await writeConfigTxt(plan, stamp, parts);
  parts.say(nextSteps(plan, { ...parts, reboot }));
}

const unanswered = (problems: readonly { key: string; what: string }[]): CommandError =>
  wrongUse(problems.map(({ key, what }) => `${key}: ${what}`).join("\n"));

function show({ file, yaml, configTxt }: Plan, { say }: SetupParts): void {
  say(`${file}, as it will be:\n\n${yaml}`);
  if (!configTxt) return;
  const lines = configTxt.missing.map(({ line, why }) => `  # ${why}\n  ${line}`);
  say(`${configTxt.file} needs, and then a reboot:\n\n${lines.join("\n")}\n`);
}

/** Replaces an existing file only after a yes, and keeps a copy. */
async function writeConfiguration({ file, yaml }: Plan, stamp: string, parts: SetupParts): Promise<void> {
  const isThere = contentOf(file) !== undefined;
  const question = isThere ? `Replace ${file}? A copy of it is kept` : `Write ${file}?`;
  if (!((await parts.asker?.confirm(question, !isThere)) ?? true)) throw new Cancelled();
  const copy = await replaceKeeping(file, yaml, stamp, rightsOf(parts));
  loadConfig(file);
  parts.say(`wrote ${file}${copy === undefined ? "" : `; what was there is ${copy}`}`);
}

/** Root's file, readable by the service's group; without that group or root, the writer's own. */
function rightsOf({ machine, isRoot }: SetupParts): Rights {
  const gid = isRoot ? groupId(machine, "tendril") : undefined;
  return { mode: CONFIG_MODE, ...(gid !== undefined && { owner: { uid: 0, gid } }) };
}

/** Writes config.txt if needed; true if a reboot is needed. */
async function writeConfigTxt({ configTxt }: Plan, stamp: string, parts: SetupParts): Promise<boolean> {
  if (!configTxt) return false;
  const { file, text } = configTxt;
  if (!parts.isRoot)
    parts.say(`only root may change ${file}: add these lines, or run "sudo ${callAs("setup")}" again`);
  const wanted =
    parts.isRoot && ((await parts.asker?.confirm(`Put these lines into ${file}?`, true)) ?? true);
  if (!wanted) return true;
  const copy = await replaceKeeping(parts.machine.path(file), text, stamp);
  parts.say(`wrote ${file}${copy === undefined ? "" : `; what was there is ${copy}`}`);
  return true;
}

export interface Plan {
  readonly board: Draft["board"];
  readonly file: string;
  readonly yaml: string;
  /** Undefined if nothing has to change there, or there is no such file. */
  readonly configTxt?: {
    readonly file: string;
    readonly text: string;
    readonly missing: readonly WantedLine[];
  };
}

/** Throws a ConfigError if the draft is not a valid configuration. */
export function planOf(draft: Draft, findings: Findings, file: string, day: string): Plan {
  const yaml = yamlOf(draft, day);
  const config = parseConfig(yaml, file);
  const plan = { board: draft.board, file, yaml };
  const { configTxt } = findings;
  if (draft.board === "bench" || !configTxt) return plan;
  const wanted = wantedLines(boardConfig(config));
  const text = withOurBlock(configTxt.text, wanted);
  if (text === configTxt.text) return plan;
  const missing = missingLines(configTxt.text, wanted);
  return { ...plan, configTxt: { file: configTxt.file, text, missing } };
}

type Setting = Pick<SetupParts, "state" | "file" | "isRoot" | "isRunning"> & { readonly reboot: boolean };

export function nextSteps({ board }: Plan, { state, file, isRoot, isRunning, reboot }: Setting): string {
  const own = board === "bench" ? benchSteps(file, state) : piSteps(reboot, isRoot, state);
  const isOwnToEnd = isRunning && state !== PACKAGED.state; // the package's steps end its service
  const named = isOwnToEnd ? [END_IT, ...own] : own;
  const steps = named.map(([command, why]) => [asCalledHere(command), why] as const);
  const width = Math.max(...steps.map(([command]) => command.length));
  return `\nnext:\n${steps.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`).join("\n")}`;
}

const END_IT: Step = ["Ctrl-C where it runs", "a runtime is running here: end it first"];

type Step = readonly [command: string, why: string];

/** Only the package's user may read its folders, and its service does not run simulated plants. */
const benchSteps = (file: string, state: string): Step[] =>
  state === PACKAGED.state
    ? [
        ["sudo systemctl disable --now tendril", "the service refuses simulated plants"],
        ["sudo tendril serve --bench", "serves them, in this terminal"],
        ["sudo tendril status", "in another one"],
      ]
    : [
        [`tendril serve --bench --config ${file}`, "the simulated plants"],
        ["tendril agent", "in another terminal: cares for them"],
        ["tendril open", "in a third one: the page in your browser"],
        ["tendril status", "every plant at a glance"],
      ];

/** After a setup with sudo, also use sudo: the package's command then works as the service's user. */
function piSteps(reboot: boolean, isRoot: boolean, state: string): Step[] {
  const sudo = isRoot ? "sudo " : "";
  return [
    ...(reboot ? [["sudo reboot", "from then on config.txt counts"] as const] : []),
    [`${sudo}tendril doctor`, "pumps unplugged until it finds nothing"],
    ...(isRoot ? [["sudo systemctl stop tendril", "relays are tested alone"] as const] : []),
    [`${sudo}tendril doctor --relays`, "pumps unplugged: each polarity"],
    isRoot
      ? ["sudo systemctl restart tendril", "with this file"]
      : ["tendril serve", "in a terminal of its own"],
    [`${sudo}tendril calibrate moisture`, "what dry and wet read like"],
    [`${sudo}tendril calibrate pump`, "how much it pours in a second"],
    [`${sudo}tendril pair`, `an agent; else ${join(state, "tokens")}`],
  ];
}

/** The configuration's mode: root writes it, the service's group reads it (systemd/tmpfiles.d/tendril.conf). */
const CONFIG_MODE = 0o640;
/** The mode of a new state folder; the package makes /etc/tendril. */
const FOLDER_MODE = 0o700;

/** Owner and mode of a file. The boot partition has neither, and chmod(2) fails there. */
interface Rights {
  readonly mode: number;
  /** Undefined: the writer. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/**
 * Replaces a file atomically, after it has copied the old one, with the stamp in its name ("20261121-164500"). Returns the
 * copy's name, or undefined if there was no file. Throws a CommandError if it cannot write.
 */
async function replaceKeeping(
  file: string,
  content: string,
  stamp: string,
  rights?: Rights,
): Promise<string | undefined> {
  const before = contentOf(file);
  const copy = before === undefined ? undefined : `${file}.before-${stamp}`;
  try {
    await makeFolder(dirname(file), FOLDER_MODE);
    if (copy !== undefined && before !== undefined) await put(copy, before, rights);
    await put(file, content, rights);
    return copy;
  } catch (cause) {
    throw new CommandError(`${file} cannot be written (${(cause as Error).message})`);
  }
}

/** Undefined if the file does not exist. Throws a CommandError if it cannot be read. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new CommandError(`${file} cannot be read (${(error as Error).message})`);
  }
}

async function put(file: string, content: string, rights?: Rights): Promise<void> {
  await replaceFile(file, content, rights?.mode ?? CONFIG_MODE);
  if (!rights) return;
  if (rights.owner) await chown(file, rights.owner.uid, rights.owner.gid);
  await chmod(file, rights.mode); // a umask may have taken away what the group needs
}

export function describeFindings(findings: Findings): string {
  const { board, megabytes, system, leds, ribbonCameras, webcams, serialPorts } = findings;
  const memory = megabytes === undefined ? "" : `, ${(megabytes / 1000).toFixed(1)} GB of memory`;
  const lines: [string, string][] = [
    ["board", `${board ?? "not a Raspberry Pi"}${memory}`],
    [
      "system",
      `${system.name}${system.isRaspberryPiOs ? ", Raspberry Pi OS" : ""}, ${system.bits} bits, kernel ${system.kernel}`,
    ],
    ["sensors", busInWords(findings)],
    ["relays", orNone(leds.map(({ name, node }) => (node ? `${name} at GPIO ${node.gpio}` : name)))],
    [
      "taken pins",
      orNone([...findings.taken].sort(([a], [b]) => a - b).map(([pin, by]) => `${pin} by ${by}`)),
    ],
    [
      "cameras",
      orNone([
        ...ribbonCameras.map(({ sensor }) => `${sensor} on the ribbon`),
        ...webcams.map(({ name }) => name),
      ]),
    ],
    ["serial", orNone(serialPorts)],
  ];
  const shown = board ? lines : lines.slice(0, 2);
  return shown.map(([what, found]) => `${what.padEnd(11)} ${found}`).join("\n");
}

function busInWords({ headerBus: { number, chips, problem } }: Findings): string {
  if (problem !== undefined) return problem;
  return chips.length === 0 ? `nothing answers on i2c-${number}` : chips.map(chipInWords).join(", ");
}

/** The others have their names in capitals. */
const KINDS: Partial<Record<FoundChip["kind"], string>> = {
  ads1115: "ADS1115 (or ADS1015)",
  seesaw: "seesaw soil sensor",
  unknown: "an unknown chip",
};

const chipInWords = ({ address, kind, said }: FoundChip): string =>
  `${KINDS[kind] ?? kind.toUpperCase()} at ${hex(address)}${kind === "unknown" ? ` (${said})` : ""}`;

const orNone = (words: readonly string[]): string => (words.length === 0 ? "none seen" : words.join(", "));

/** What answers at a serial port, in a sentence. */
export async function interlockInWords(port: string, clock: Clock): Promise<string> {
  try {
    const latest = await askInterlock(port, clock);
    if (!latest) return `no interlock answers at ${port}`;
    const { firmware, protocol } = latest.limits;
    return `an interlock answers: firmware ${firmware}, protocol ${protocol}`;
  } catch (error) {
    return messageOf(error);
  }
}
