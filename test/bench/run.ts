/** All benchmarks, after a build. Prints tables. `--help` tells the rest. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compare } from "./against/compare.js";
import { askedOf, Mistake, usageOf } from "./asked.js";
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

/** Those that are named, else all. */
async function runFloods(folder: string): Promise<string> {
  return floodSection(join(folder, "floods"), (name) => !someFlood || named(name));
}

async function within<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(HERE, "state-"));
  return run(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

const NAMES = { sections: [...Object.keys(BENCHMARKS), "pulses", "floods"], floods: Object.keys(FLOODS) };
const { help, write, against, rounds, only } = asked();
const named = (name: string) => only.includes(name);
const someFlood = NAMES.floods.some(named);

if (help) process.stdout.write(usageOf(NAMES));
else if (against !== undefined) {
  const table = await compare({
    project: PROJECT,
    ref: against,
    sections: only.length > 0 ? only : Object.keys(BENCHMARKS),
    rounds,
    tell: (what) => void process.stderr.write(`${what}\n`),
  });
  process.stdout.write(`${table}\n`);
} else if (only.length > 0) {
  if (Object.keys(BENCHMARKS).some(named))
    process.stdout.write(`${await within((folder) => runThose(folder, named))}\n`);
  if (someFlood || named("floods")) process.stdout.write(`${await within(runFloods)}\n`);
  if (named("pulses")) process.stdout.write(`${await within(runPulses)}\n`);
} else {
  const all = await within((folder) => runThose(folder, () => true));
  const found = { ...setting(), table: all, pulses: await within(runPulses) };
  process.stdout.write(`${found.table}\n\n${found.pulses}\n`);
  if (write) {
    await mkdir(join(PAGE, ".."), { recursive: true });
    await writeFile(PAGE, page(found));
  }
}

/** Ends the process where there is a mistake. */
function asked() {
  try {
    return askedOf(process.argv.slice(2), NAMES);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    process.stderr.write(`${error.message}\n${usageOf(NAMES)}`);
    return process.exit(2);
  }
}
