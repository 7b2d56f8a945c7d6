import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import {
  agentName,
  HEARTBEAT,
  type LockOptions,
  lockState,
  ownMark,
} from "../../../agent-client/state/state-folder.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis, seconds } from "../../../drivers/units.js";
import { spawnNode } from "../../spawn-node.js";
import { never } from "../models/conversations.js";

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "tendril-lock-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const quiet = (clock = new SimulatedClock(), more: Partial<LockOptions> = {}): LockOptions => ({
  clock,
  signal: never,
  onWait: () => undefined,
  onLost: () => undefined,
  ...more,
});

const LOCK = join(process.cwd(), "dist/agent-client/state/state-folder.js");
const CLOCK = join(process.cwd(), "dist/agent-client/clock.js");

/** Another process that holds a folder until it is killed. */
async function holderOf(t: Test, folder: string) {
  const script = `import { lockState } from ${JSON.stringify(LOCK)};
    import { SystemClock } from ${JSON.stringify(CLOCK)};
    const nothing = () => undefined;
    const signal = new AbortController().signal;
    await lockState(${JSON.stringify(folder)}, { clock: new SystemClock(), signal, onWait: nothing, onLost: nothing });
    console.log("held");
    setInterval(nothing, 1000);`;
  const child = spawnNode(["--input-type=module", "-e", script]);
  t.teardown(() => child.kill("SIGKILL"));
  const held = await Promise.race([once(child.stdout, "data"), once(child, "close").then(() => undefined)]);
  if (!held) throw new Error("it was refused");
  return child;
}

/** Another's lock, such as it is left when nobody gives it back. */
const leave = (folder: string, change: object) => {
  const text = JSON.stringify({ ...ownMark(), since: "2026-06-01T08:00:00.000Z", nonce: "n", ...change });
  writeFileSync(join(folder, "lock.json"), text);
};

/** Time goes on, a second at a time, until `pending` is settled. */
async function passing<T>(clock: SimulatedClock, pending: Promise<T>, each = () => {}): Promise<T> {
  let over = false;
  void pending.catch(() => undefined).finally(() => (over = true));
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    each();
    await clock.advance(seconds(1));
  }
  return pending;
}

t.test("while a process holds a folder, another is refused and told which, and what to do", async (t) => {
  const folder = folderOf(t);
  const { pid } = await holderOf(t, folder);
  await t.rejects(lockState(folder, quiet()), {
    name: "UsageError",
    message: new RegExp(`process ${pid} on ${hostname()} since \\d{4}-.*--agent-state DIR`),
  });
});

t.test("a holder that was killed leaves nothing behind: the next has the folder at once", async (t) => {
  const folder = folderOf(t);
  const child = await holderOf(t, folder);
  child.kill("SIGKILL");
  await once(child, "close");
  t.ok(existsSync(join(folder, "lock.json")), "it could not give it back");
  (await lockState(folder, quiet())).release();
  t.notOk(existsSync(join(folder, "lock.json")), "given back");
});

t.test("a number that another process has got since is not taken for the holder", async (t) => {
  const folder = folderOf(t);
  leave(folder, { started: "1" });
  (await lockState(folder, quiet())).release();
});

t.test("a holder in another container, computer or boot lives while its file's time moves on", async (t) => {
  for (const elsewhere of [{ space: "pid:[1]" }, { boot: "another" }, { boot: null, host: "mac" }]) {
    const folder = folderOf(t);
    leave(folder, elsewhere);
    const clock = new SimulatedClock();
    const beats = () => utimesSync(join(folder, "lock.json"), clock.now() / 1000, clock.now() / 1000);
    const told: string[] = [];
    const asked = lockState(folder, quiet(clock, { onWait: (text) => told.push(text) }));
    await t.rejects(passing(clock, asked, beats), {
      name: "UsageError",
      message: /belongs to another agent/,
    });
    t.match(told, [/cannot be seen from here/]);
  }
});

t.test(
  "silent for three beats, it is gone; a file that says nothing is looked at in the same way",
  async (t) => {
    const folder = folderOf(t);
    const silent = () => leave(folder, { boot: "another" });
    const empty = () => writeFileSync(join(folder, "lock.json"), "");
    for (const left of [silent, empty]) {
      left();
      const clock = new SimulatedClock();
      (await passing(clock, lockState(folder, quiet(clock)))).release();
      t.ok(clock.monotonic() >= 3 * HEARTBEAT);
    }
  },
);

t.test("a holder shows that it lives, and hears of it when its folder was taken over", async (t) => {
  const folder = folderOf(t);
  const clock = new SimulatedClock();
  const lost: Error[] = [];
  const lock = await lockState(folder, quiet(clock, { onLost: (error) => lost.push(error) }));
  const shown = () => statSync(join(folder, "lock.json")).mtimeMs;
  const before = shown();
  await clock.advance(millis(HEARTBEAT));
  t.equal(shown() - before, HEARTBEAT);
  leave(folder, { pid: 4711 });
  await clock.advance(millis(HEARTBEAT));
  t.match(lost[0]?.message, /process 4711/);
  lock.release();
  t.match(readFileSync(join(folder, "lock.json"), "utf8"), /4711/, "and leaves it alone");
});

t.test("of several processes that find a dead holder at the same time, one gets the folder", async (t) => {
  const folder = folderOf(t);
  leave(folder, { started: "1" });
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => holderOf(t, folder)));
  t.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
});

t.test("a folder that cannot be written is no wrong use: a disk may have room again later", async (t) => {
  const file = join(folderOf(t), "file");
  writeFileSync(file, "");
  await t.rejects(lockState(join(file, "own"), quiet()), {
    name: /^Error$/,
    message: /cannot be used \(.*\): make it writable.*--agent-state/,
  });
});

t.test("an agent keeps its name through restarts, and two folders have two", async (t) => {
  const [one, other] = [folderOf(t), folderOf(t)];
  const name = agentName(one);
  t.match(name, new RegExp(`^${hostname()}-[0-9a-f]{6}$`));
  t.equal(agentName(one), name);
  t.not(agentName(other), name);
  writeFileSync(join(one, "agent.json"), "{");
  t.match(agentName(one), /-[0-9a-f]{6}$/, "a file that cannot be read begins anew");
});
