/**
 * All benchmarks, after a build: node dist/test/bench/run.js [pulses|memory|…] [--write]. Prints tables; with --write they go
 * to docs/benchmarks.md too. With the name of a section it measures that alone, and writes nothing. With `--against REF` it
 * measures another commit too, by turns, and prints how this one compares: `--rounds N`, ten by default.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compare } from "./against/compare.js";
import { backupFigures } from "./backup.js";
import { writeFigures } from "./disk.js";
import { doseFigures } from "./doses.js";
import { type Figure, table } from "./figures.js";
import { FLOODS } from "./floods/kinds.js";
import { floodSection } from "./floods/section.js";
import { guardFigures } from "./guard.js";
import { historyFigures } from "./history.js";
import { knowledgeFigures } from "./knowledge.js";
import { memoryFigures } from "./memory.js";
import { page, setting } from "./page.js";
import { probeFigures } from "./probe.js";
import { pulseSection } from "./pulses/section.js";
import { simulationFigures } from "./simulation.js";
import { startFigures } from "./start.js";
import { tlsFigures } from "./tls.js";
import { toolsetFigures } from "./toolsets.js";
import { wireFigures } from "./wire.js";

const BENCHMARKS: Readonly<Record<string, (folder: string) => Promise<Figure[]>>> = {
  start: startFigures,
  memory: memoryFigures,
  wire: wireFigures,
  tls: tlsFigures,
  toolsets: toolsetFigures,
  history: historyFigures,
  disk: writeFigures,
  doses: doseFigures,
  probe: probeFigures,
  guard: guardFigures,
  backup: backupFigures,
  knowledge: knowledgeFigures,
  simulation: simulationFigures,
};

/** Beside the program and not in /tmp, which may be memory: what is written must reach a disk. */
const HERE = fileURLToPath(new URL(".", import.meta.url));
const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
const PAGE = join(PROJECT, "docs", "benchmarks.md");

async function runThose(folder: string, wanted: (name: string) => boolean): Promise<string> {
  const figures: Figure[] = [];
  for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
    if (!wanted(name)) continue;
    process.stderr.write(`measuring: ${name}\n`);
    figures.push(...(await benchmark(join(folder, name))));
  }
  return table(figures);
}

async function runPulses(folder: string): Promise<string> {
  process.stderr.write("measuring: pulses\n");
  return pulseSection(join(folder, "pulses"));
}

/** With the name of a flood beside `floods`, that one alone. */
async function runFloods(folder: string): Promise<string> {
  const some = Object.keys(FLOODS).some(named);
  return floodSection(join(folder, "floods"), (name) => !some || named(name));
}

async function within<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(HERE, "state-"));
  return run(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

/** A choice: few enough to wait for, enough that nine of them agreeing means something (against/ratios.ts). */
const ROUNDS = 10;
const { values: flags, positionals: sections } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    against: { type: "string" },
    rounds: { type: "string", default: String(ROUNDS) },
  },
});
const named = (name: string) => sections.includes(name);
const SECTIONS = [...Object.keys(BENCHMARKS), "pulses", "floods"];
const unknown = sections.filter((name) => !SECTIONS.includes(name) && !(name in FLOODS));

if (unknown.length > 0) {
  process.stderr.write(`there is no benchmark ${unknown.join(", ")}; there are ${SECTIONS.join(", ")}\n`);
  process.exitCode = 2;
} else if (flags.against !== undefined) {
  const table = await compare({
    project: PROJECT,
    ref: flags.against,
    sections: sections.length > 0 ? sections : Object.keys(BENCHMARKS),
    rounds: Number(flags.rounds),
    tell: (what) => void process.stderr.write(`${what}\n`),
  });
  process.stdout.write(`${table}\n`);
} else if (sections.length > 0) {
  if (Object.keys(BENCHMARKS).some(named))
    process.stdout.write(`${await within((folder) => runThose(folder, named))}\n`);
  if (named("floods")) process.stdout.write(`${await within(runFloods)}\n`);
  if (named("pulses")) process.stdout.write(`${await within(runPulses)}\n`);
} else {
  const all = await within((folder) => runThose(folder, () => true));
  const found = { ...setting(), table: all, pulses: await within(runPulses) };
  process.stdout.write(`${found.table}\n\n${found.pulses}\n`);
  if (flags.write) {
    await mkdir(join(PAGE, ".."), { recursive: true });
    await writeFile(PAGE, page(found));
  }
}
