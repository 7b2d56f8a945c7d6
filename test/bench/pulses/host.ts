import { join } from "node:path";
import { LedFolder } from "../../drivers/guard/led-folder.js";
import { CONDITIONS, pulsed } from "./conditions.js";
import type { Lateness } from "./lateness.js";

const PULSES = 30;
/** setpriv(1): root without the right to be more urgent than others; whoever else runs this does not have it anyway. */
const NOT_URGENT = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"];

/** Pulses of the guard over files that stand for a LED, on this machine. As root also with the priority that it asks for. */
export async function hostPulses(folder: string): Promise<Lateness[]> {
  const root = process.getuid?.() === 0;
  const usual = await everyCondition(folder, root ? NOT_URGENT : []);
  return root ? [...usual, ...(await everyCondition(folder, []))] : usual;
}

async function everyCondition(folder: string, under: readonly string[]): Promise<Lateness[]> {
  const { path } = new LedFolder(folder, "pump");
  const task = { line: { via: "led", path }, stamped: join(path, "activate"), pulses: PULSES } as const;
  const rows: Lateness[] = [];
  for (const condition of CONDITIONS) {
    const { late, nice } = await pulsed(condition, task, under);
    rows.push({ what: `files, nice ${nice}: ${condition.name}`, late });
  }
  return rows;
}
