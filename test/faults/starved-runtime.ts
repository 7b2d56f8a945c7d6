/**
 * A runtime whose four libuv threads others want too: I2C buses that hang, and long queries. Told what to do by its parent; a
 * hanging transfer is a FIFO that nobody writes to, opened for reading: like the kernel's, that blocks a thread of the pool.
 */
import { execFileSync } from "node:child_process";
import { openSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { KernelBus } from "../../drivers/buses/linux-i2c.js";
import { openLinuxI2c } from "../../drivers/buses/linux-i2c.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { benchOf } from "../../drivers/open-board.js";
import { seconds } from "../../drivers/units.js";
import { parseConfig } from "../../runtime/configuration.js";
import { startRuntime } from "../../runtime/main.js";
import { Database } from "../../runtime/store/database.js";

const clock = new SystemClock();
const [state = ""] = process.argv.slice(2);
const fifo = join(state, "..", "hangs");
execFileSync("mkfifo", [fifo]);

const databases: Database[] = [];
const openDatabase = Database.open;
Database.open = async (options) => {
  const database = await openDatabase.call(Database, options);
  if (options.file.endsWith("tendril.sqlite")) databases.push(database);
  return database;
};

/** One to five seconds, by the machine. */
const LONG =
  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 8000000) SELECT count(*) FROM c";

const runtime = await startRuntime({
  config: parseConfig(
    "{ server: { port: 0 }, sampling: { cron: '0 0 1 1 *' }, plants: [{ id: basil, water: { not_above: off } }] }",
    "test.yaml",
  ),
  state,
  board: { speed: 1, seed: 1 },
  log: () => undefined,
});

const hangingBus = {
  i2cFuncs: async () => ({}),
  close: async () => undefined,
  readWord: async () => {
    await (await open(fifo, "r")).close();
    return 0;
  },
} as unknown as KernelBus;

/** Each asks for its bus as long as it is refused, as a sampler would. */
function hang(buses: number): void {
  for (let n = 0; n < buses; n += 1) void askFor(n);
}

async function askFor(number: number): Promise<void> {
  const options = { clock, openBus: async () => hangingBus };
  try {
    const bus = await openLinuxI2c(number, options);
    for (;;) await bus.readWord(0x48, 0).catch(() => clock.sleep(seconds(0.1)));
  } catch {
    // refused: the others hang
  }
}

let queries = 0;
function ask(count: number): void {
  for (let n = 0; n < count; n += 1) {
    queries += 1;
    void databases[0]?.all(LONG).finally(() => {
      queries -= 1;
    });
  }
}

const actions: Readonly<Record<string, () => unknown>> = {
  hang: () => hang(4),
  ask: () => ask(4),
  queries: () => queries,
  pump: () =>
    benchOf(runtime.board)
      .pumpEdges("basil")
      .map(({ level }) => level),
  light: () =>
    benchOf(runtime.board)
      .lightEdges("basil")
      .map(({ level }) => level),
  release: () => void openSync(fifo, "r+"),
};

// Its parent may be killed. An ordinary exit would wait for the threads that hang.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", (action: string) => {
  void Promise.resolve(actions[action]?.()).then((answer) => process.send?.({ answer: answer ?? null }));
});
process.send?.({ answer: runtime.url });
