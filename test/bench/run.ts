/**
 * All benchmarks, after a build: node dist/test/bench/run.js [pulses|memory|…] [--write]. Prints tables; with --write they go
 * to docs/benchmarks.md too. With the name of a section it measures that alone, and writes nothing.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { backupFigures } from "./backup.js";
import { writeFigures } from "./disk.js";
import { doseFigures } from "./doses.js";
import { type Figure, table } from "./figures.js";
import { guardFigures } from "./guard.js";
import { historyFigures } from "./history.js";
import { memoryFigures } from "./memory.js";
import { page, setting } from "./page.js";
import { probeFigures } from "./probe.js";
import { pulseSection } from "./pulses/section.js";
import { simulationFigures } from "./simulation.js";
import { startFigures } from "./start.js";
import { tlsFigures } from "./tls.js";
import { wireFigures } from "./wire.js";

const BENCHMARKS: Readonly<Record<string, (folder: string) => Promise<Figure[]>>> = {
  start: startFigures,
  memory: memoryFigures,
  wire: wireFigures,
  tls: tlsFigures,
  history: historyFigures,
  disk: writeFigures,
  doses: doseFigures,
  probe: probeFigures,
  guard: guardFigures,
  backup: backupFigures,
  simulation: simulationFigures,
};

/** Beside the program and not in /tmp, which may be memory: what is written must reach a disk. */
const HERE = fileURLToPath(new URL(".", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/benchmarks.md", import.meta.url));

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

async function within<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(HERE, "state-"));
  return run(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

const runAll = (folder: string) => runThose(folder, () => true);
const named = (name: string) => process.argv.includes(name);

if (Object.keys(BENCHMARKS).some(named))
  process.stdout.write(`${await within((folder) => runThose(folder, named))}\n`);
else if (process.argv.includes("pulses")) process.stdout.write(`${await within(runPulses)}\n`);
else {
  const found = { ...setting(), table: await within(runAll), pulses: await within(runPulses) };
  process.stdout.write(`${found.table}\n\n${found.pulses}\n`);
  if (process.argv.includes("--write")) {
    await mkdir(join(PAGE, ".."), { recursive: true });
    await writeFile(PAGE, page(found));
  }
}
