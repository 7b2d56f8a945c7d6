/**
 * All benchmarks, after a build: node dist/test/bench/run.js [--write]. Prints one table; with --write it goes to
 * docs/benchmarks.md too.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFigures } from "./disk.js";
import { doseFigures } from "./doses.js";
import { type Figure, table } from "./figures.js";
import { historyFigures } from "./history.js";
import { memoryFigures } from "./memory.js";
import { page, setting } from "./page.js";
import { probeFigures } from "./probe.js";
import { simulationFigures } from "./simulation.js";
import { startFigures } from "./start.js";
import { wireFigures } from "./wire.js";

const BENCHMARKS: Readonly<Record<string, (folder: string) => Promise<Figure[]>>> = {
  start: startFigures,
  memory: memoryFigures,
  wire: wireFigures,
  history: historyFigures,
  disk: writeFigures,
  doses: doseFigures,
  probe: probeFigures,
  simulation: simulationFigures,
};

/** Beside the program and not in /tmp, which may be memory: what is written must reach a disk. */
const HERE = fileURLToPath(new URL(".", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/benchmarks.md", import.meta.url));

async function runAll(): Promise<Figure[]> {
  const folder = await mkdtemp(join(HERE, "state-"));
  try {
    const figures: Figure[] = [];
    for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
      process.stderr.write(`measuring: ${name}\n`);
      figures.push(...(await benchmark(join(folder, name))));
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const found = { ...setting(), table: table(await runAll()) };
process.stdout.write(`${found.table}\n`);
if (process.argv.includes("--write")) {
  await mkdir(join(PAGE, ".."), { recursive: true });
  await writeFile(PAGE, page(found));
}
