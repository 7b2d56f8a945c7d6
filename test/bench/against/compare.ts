import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { buildOther } from "./other-commit.js";
import { ENOUGH_ROUNDS, type Round, ratioTable, readRows, unmatched } from "./ratios.js";

export interface Comparison {
  /** The root of the project, already built. */
  readonly project: string;
  /** The other commit, as git names it. */
  readonly ref: string;
  /** Which benchmarks, by name; each is measured on both sides before the next. */
  readonly sections: readonly string[];
  readonly rounds: number;
  /** Told what is measured now. */
  readonly tell: (what: string) => void;
}

/** Where a built project has its benchmarks. */
const BENCH = join("dist", "test", "bench", "run.js");

/** Runs the benchmarks of both commits by turns and returns the table of ratios. */
export async function compare(comparison: Comparison): Promise<string> {
  const { project, ref, rounds, tell } = comparison;
  tell(`building ${ref}`);
  const other = await buildOther(project, ref);
  try {
    const measured: Round[] = [];
    while (measured.length < rounds) {
      tell(`round ${measured.length + 1} of ${rounds}`);
      measured.push(await oneRound(comparison, other.folder, measured.length));
    }
    const left = unmatched(measured, ref);
    if (rounds < ENOUGH_ROUNDS)
      left.unshift(
        `Fewer than ${ENOUGH_ROUNDS} rounds: only rows that are alike in each are called worse or better.`,
      );
    return [ratioTable(measured), ...(left.length > 0 ? ["", ...left] : [])].join("\n");
  } finally {
    await other.remove();
  }
}

/** Who goes first alternates, so that what the machine does meanwhile, and a warm disk, favour nobody. */
async function oneRound({ project, sections }: Comparison, other: string, number: number): Promise<Round> {
  const printed = { here: "", there: "" };
  for (const section of sections) {
    const sides = [["here", project] as const, ["there", other] as const];
    if (number % 2 === 1) sides.reverse();
    for (const [side, folder] of sides) printed[side] += await bench(folder, section);
  }
  return { here: readRows(printed.here), there: readRows(printed.there) };
}

/** What one benchmark prints. One that the commit does not have, or that fails, prints no rows. */
async function bench(folder: string, section: string): Promise<string> {
  const child = spawn(process.execPath, [join(folder, BENCH), section], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return `${printed}\n`;
}
