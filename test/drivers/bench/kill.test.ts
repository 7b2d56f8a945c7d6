import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import t from "tap";
import { openBoard } from "../../../drivers/open-board.js";
import { spawnNode } from "../../spawn-node.js";
import { BASIL } from "../bench-rig.js";

const BENCH = fileURLToPath(new URL("./killed-bench.js", import.meta.url));

interface LastWords {
  readonly bootId: string;
  readonly now: number;
  readonly edges: number;
}

/** Runs a bench until its pump has been switched so often, and `lines` lines more, then kills it with SIGKILL; its last words. */
async function killAt(edges: number, folder: string, speed: number, lines: number): Promise<LastWords> {
  const child = spawnNode([BENCH, folder, String(speed)]);
  child.stderr.pipe(process.stderr);
  const gone = once(child, "exit");
  let last: LastWords = { bootId: "", now: 0, edges: 0 };
  let more = lines;
  for await (const line of createInterface({ input: child.stdout })) {
    const [bootId = "", now, seen] = line.split(" ");
    last = { bootId, now: Number(now), edges: Number(seen) };
    if (last.edges < edges) continue;
    if (more === 0) child.kill("SIGKILL");
    more -= 1;
  }
  await gone;
  return last;
}

t.test(
  "a killed bench is a power cut: relays off, plant and clock go on, and time never goes back",
  async (t) => {
    const folder = t.testdir();
    const first = await killAt(1, folder, 1, 0); // the dose takes ten real seconds
    t.match(first, { bootId: /^bench-boot-1-/, edges: 1 }, "killed while the pump was running");
    const second = await killAt(2, folder, 60, 50);
    t.match(second, { bootId: /^bench-boot-2-/, edges: 2 }, "killed after the dose had ended");
    const board = await openBoard(
      { kind: "bench", plants: [BASIL] },
      { stateFolder: folder, speed: 60, seed: 1 },
    );
    t.teardown(() => board.close());
    const [gap, moisture] = [board.clock.now() - second.now, board.bench.moisture("basil")];
    t.match(board.clock.bootId, /^bench-boot-3-/);
    t.ok(gap >= 0 && gap < 10 * 60_000, `the clock went on ${gap} ms later than last seen`);
    t.equal(board.bench.pumpEdges("basil").length, 0);
    t.ok(moisture > 40 && moisture < 42, `the dose that ended is in the soil: ${moisture} %`);
  },
);
