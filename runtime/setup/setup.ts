import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import type { Machine } from "../../drivers/pi/inspect/machine.js";
import { groupId } from "../../drivers/pi/inspect/system.js";
import type { Clock } from "../../drivers/ports.js";
import { CommandError, WRONG_USE } from "../cli/failure.js";
import { loadConfig } from "../configuration.js";
import { isoUtc } from "../tools/iso-time.js";
import type { Answers } from "./answers.js";
import { type Asker, Cancelled } from "./asker.js";
import { CONFIG_MODE, contentOf, type Rights, replaceKeeping } from "./keep-files.js";
import { nextSteps } from "./next-steps.js";
import { type Plan, planOf } from "./plan.js";
import { settle } from "./settle.js";

export interface SetupParts {
  readonly machine: Machine;
  readonly findings: Findings;
  readonly clock: Pick<Clock, "now">;
  /** Where the configuration goes. */
  readonly file: string;
  readonly state: string;
  /** Whether root runs it, who alone may change config.txt and give files away. */
  readonly isRoot: boolean;
  readonly say: (text: string) => void;
  /** Whom to ask before anything is written; without, every answer is yes. */
  readonly asker?: Asker;
  /** Shows everything and writes nothing. */
  readonly dryRun?: boolean;
}

/** From the answers to the files. Throws a CommandError naming every answer that is missing or cannot be, and Cancelled. */
export async function carryOut(answers: Answers, parts: SetupParts): Promise<void> {
  const settled = settle(answers, parts.findings);
  if ("problems" in settled) throw unanswered(settled.problems);
  const now = isoUtc(parts.clock.now());
  const plan = planOf(settled.draft, parts.findings, parts.file, now.slice(0, 10));
  show(plan, parts);
  if (parts.dryRun) return parts.say("nothing was written (--dry-run)");
  const stamp = now.slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  await writeConfiguration(plan, stamp, parts);
  const reboot = await writeConfigTxt(plan, stamp, parts);
  parts.say(nextSteps(plan, { ...parts, reboot }));
}

const unanswered = (problems: readonly { key: string; what: string }[]): CommandError =>
  new CommandError(problems.map(({ key, what }) => `${key}: ${what}`).join("\n"), WRONG_USE);

function show({ file, yaml, configTxt }: Plan, { say }: SetupParts): void {
  say(`${file}, as it will be:\n\n${yaml}`);
  if (!configTxt) return;
  const lines = configTxt.missing.map(({ line, why }) => `  ${line.padEnd(64)} # ${why}`);
  say(`${configTxt.file} needs, and then a reboot:\n\n${lines.join("\n")}\n`);
}

/** Never over a file that is there without a yes and a copy of it. */
async function writeConfiguration({ file, yaml }: Plan, stamp: string, parts: SetupParts): Promise<void> {
  const isThere = contentOf(file) !== undefined;
  const question = isThere ? `Replace ${file}? What it says now is kept as a copy` : `Write ${file}?`;
  if (!((await parts.asker?.confirm(question, !isThere)) ?? true)) throw new Cancelled();
  const copy = await replaceKeeping({ file, content: yaml, rights: rightsOf(parts), stamp });
  loadConfig(file);
  parts.say(`wrote ${file}${copy === undefined ? "" : `; what was there is ${copy}`}`);
}

/** Root's file, which the service's group may read; where there is no such group, or no root, the writer's own. */
function rightsOf({ machine, isRoot }: SetupParts): Rights {
  const gid = isRoot ? groupId(machine, "tendril") : undefined;
  return { mode: CONFIG_MODE, ...(gid !== undefined && { owner: { uid: 0, gid } }) };
}

/** Whether a reboot is needed for what config.txt says now, or will. */
async function writeConfigTxt({ configTxt }: Plan, stamp: string, parts: SetupParts): Promise<boolean> {
  if (!configTxt) return false;
  const { file, text } = configTxt;
  if (!parts.isRoot)
    parts.say(`only root may change ${file}: add these lines, or run "sudo tendril setup" again`);
  const wanted =
    parts.isRoot && ((await parts.asker?.confirm(`Put these lines into ${file}?`, true)) ?? true);
  if (!wanted) return true;
  const copy = await replaceKeeping({ file: parts.machine.path(file), content: text, stamp });
  parts.say(`wrote ${file}${copy === undefined ? "" : `; what was there is ${copy}`}`);
  return true;
}
