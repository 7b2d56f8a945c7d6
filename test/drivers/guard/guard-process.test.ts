import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { GuardLink } from "../../../drivers/guard/guard-link.js";
import { GuardedOutput } from "../../../drivers/guard/guarded-output.js";
import { latestEnd } from "../../../drivers/pins/led-line.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { pulsedOutputContract } from "../pulsed-output-contract.js";
import { HolderProcess } from "./holder-process.js";
import { LedFolder } from "./led-folder.js";

const clock = new SystemClock();

/** Stays until the guards of the test are gone: tap takes its own folders away too early. */
function ledsFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "tendril-leds-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Real processes on a busy machine: what has to be quick is measured in test/kernel and in the benchmarks. */
const SLACK = millis(500);

/** A runtime that pulses basil's pump once, over files that stand for a LED. */
async function holder(t: Test, pulse: Millis, stall = millis(0), within: readonly string[] = []) {
  const leds = ledsFolder(t);
  const led = new LedFolder(leds, "basil-pump");
  const output = {
    gpio: 17,
    activeLow: false,
    via: "led",
    led: "basil-pump",
    acceptSoftwareCutoff: false,
  } as const;
  const kernel = { leds, gpio: "/nowhere" };
  return { led, ...(await HolderProcess.start(t, { output, kernel, pulses: [pulse], stall }, within)) };
}

t.test("keeps the contract of a pulsed output, as a process of its own", async (t) => {
  pulsedOutputContract(t, async (t) => {
    const led = new LedFolder(ledsFolder(t), "basil-pump");
    const ceiling = millis(1800);
    const line = { via: "led", path: led.path } as const;
    const link = new GuardLink({ outputs: [{ name: "basil-pump", ceiling, line }], inputs: [] }, clock);
    const output = new GuardedOutput("basil-pump", ceiling, link, clock, latestEnd);
    await link.start();
    t.teardown(() => link.stop());
    return { output, pass: (time) => clock.sleep(time), beat: millis(300), slack: SLACK };
  });
});

t.test("a runtime that is killed in mid-pulse has its pump off at once", async (t) => {
  const { led, child, next } = await holder(t, seconds(20));
  await next();
  t.equal(led.isOn(), true);
  const killed = clock.monotonic();
  child.kill("SIGKILL");
  const off = await led.until(false, seconds(2));
  t.ok(off - killed < 150 + SLACK, `off ${Math.round(off - killed)} ms after the kill`);
});

t.test("a runtime that is stopped loses its pump when its lease is over", async (t) => {
  const { led, child, next } = await holder(t, seconds(20));
  await next();
  child.kill("SIGSTOP");
  const stopped = clock.monotonic();
  const off = await led.until(false, seconds(4));
  t.ok(off - stopped < 2000 + SLACK, `off ${Math.round(off - stopped)} ms after the stop`);
  child.kill("SIGCONT");
  t.match(await next(), { report: { outcome: "ended" } });
});

t.test("an event loop that hangs does not move the end of a pulse", async (t) => {
  const { led, next } = await holder(t, millis(500), millis(1500));
  const { on = 0 } = await next();
  const off = await led.until(false, seconds(3));
  t.ok(Math.abs(off - on - 500) < SLACK, `on for ${Math.round(off - on)} ms`);
  const { report } = await next();
  t.equal(report?.outcome, "elapsed");
  t.ok(Math.abs((report?.onFor ?? 0) - 500) < SLACK, `reported as ${Math.round(report?.onFor ?? 0)} ms`);
});

t.test("a guard that is killed in mid-pulse is noticed, its pump is off, the dose is unknown", async (t) => {
  const { led, guard, next } = await holder(t, seconds(20));
  await next();
  const killed = clock.monotonic();
  process.kill(guard, "SIGKILL");
  const off = await led.until(false, seconds(2));
  t.ok(off - killed < 100 + SLACK, `off ${Math.round(off - killed)} ms after the kill`);
  const told = [await next(), await next()];
  t.match(told, [{ trouble: "GUARD_LOST" }, { report: { outcome: "unknown" } }]);
  t.ok((told[0]?.at ?? 0) - killed < 100 + SLACK, "the runtime knows at once");
  t.match(await next(), { closed: true });
});

t.test("a guard that hangs in mid-pulse is killed, and its pump is off", async (t) => {
  const { led, guard, next } = await holder(t, seconds(20));
  await next();
  process.kill(guard, "SIGSTOP");
  const stopped = clock.monotonic();
  const off = await led.until(false, seconds(5));
  t.ok(off - stopped < 2400 + SLACK, `off ${Math.round(off - stopped)} ms after the stop`);
  t.match([await next(), await next()], [{ trouble: "GUARD_LOST" }, { report: { outcome: "unknown" } }]);
});

t.test("a guard that died is there again, with everything off first", async (t) => {
  const led = new LedFolder(ledsFolder(t), "basil-pump");
  const line = { via: "led", path: led.path } as const;
  const link = new GuardLink(
    { outputs: [{ name: "basil-pump", ceiling: seconds(26), line }], inputs: [] },
    clock,
  );
  const output = new GuardedOutput("basil-pump", seconds(26), link, clock, latestEnd);
  const pids: number[] = [];
  const again = new Promise<void>((resolve) => {
    link.onReport((report) => {
      if (report.is === "ready" && pids.push(link.pid ?? 0) === 2) resolve();
    });
  });
  await link.start();
  const alive = setInterval(() => undefined, 1000);
  t.teardown(() => link.stop().finally(() => clearInterval(alive)));
  process.kill(pids[0] ?? 0, "SIGKILL");
  await again;
  t.match(await output.pulse(millis(50)), { outcome: "elapsed" });
  t.not(pids[0], pids[1]);
});

const AUTOGROUP = "/proc/self/autogroup";
t.test(
  "a guard that may be urgent is so beyond its session too",
  { skip: !existsSync(AUTOGROUP) && "sessions are not scheduled as groups here" },
  async (t) => {
    const { guard, next } = await holder(t, millis(300));
    await next();
    const urgent = getPriority(guard) === -20;
    t.match(
      readFileSync(AUTOGROUP.replace("self", String(guard)), "utf8"),
      urgent ? /nice -20$/m : /nice 0$/m,
    );
  },
);

/** All rights of root but those of an administrator: as the service, it may be urgent, and has to wait for its turn to say so. */
const NOT_ADMIN = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"];
t.test(
  "a guard that has to wait for its turn to be urgent is so before it takes orders",
  { skip: !(existsSync(AUTOGROUP) && process.getuid?.() === 0) && "only root can be urgent everywhere" },
  async (t) => {
    // After each such order the system takes no further one for 100 ms [kernel/sched/autogroup.c]. The orders come from a session of
    // their own: a process that was started in none has no such file to write to (EINVAL).
    const orders = "for i in {1..50}; do echo 0 > /proc/self/autogroup || exit; sleep 0.02; done";
    const others = spawn("bash", ["-c", orders], { detached: true, stdio: ["ignore", "ignore", "inherit"] });
    t.teardown(() => others.kill());
    const { guard } = await holder(t, millis(300), millis(0), NOT_ADMIN);
    t.match(readFileSync(AUTOGROUP.replace("self", String(guard)), "utf8"), /nice -20$/m);
  },
);

t.test("nobody else can drive a relay that has a guard", async (t) => {
  const { led, child } = await holder(t, seconds(20));
  await led.until(true, seconds(5));
  const line = { via: "led", path: led.path } as const;
  const plan = { outputs: [{ name: "basil-pump", ceiling: seconds(26), line }], inputs: [] };
  await t.rejects(new GuardLink(plan, clock).start(), { code: "GUARD_BUSY" });
  t.equal(led.isOn(), true, "and whoever tries does not disturb the pulse");
  child.kill("SIGKILL");
  await led.until(false, seconds(5));
});

t.test("a relay whose files are not there is refused at the start", async (t) => {
  const line = { via: "led", path: `${ledsFolder(t)}/none` } as const;
  const plan = { outputs: [{ name: "basil-pump", ceiling: seconds(26), line }], inputs: [] };
  await t.rejects(new GuardLink(plan, clock).start(), { code: "PIN_FAILED", message: /basil-pump.*ENOENT/ });
});

t.test("why a guard has gone is heard, also by a runtime that stalled meanwhile", async (t) => {
  const line = { via: "led", path: `${ledsFolder(t)}/none` } as const;
  const plan = { outputs: [{ name: "basil-pump", ceiling: seconds(26), line }], inputs: [] };
  const started = new GuardLink(plan, clock).start();
  for (const end = clock.monotonic() + 1000; clock.monotonic() < end; ); // longer than a guard needs, and than a beat
  await t.rejects(started, { code: "PIN_FAILED" });
});

t.test("garbage in its pipe makes a guard switch everything off and go", async (t) => {
  const led = new LedFolder(ledsFolder(t), "basil-pump");
  const line = { via: "led", path: led.path };
  const plan = { outputs: [{ name: "basil-pump", ceiling: 26_000, line }], inputs: [] };
  const main = fileURLToPath(new URL("../../../drivers/guard/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, JSON.stringify(plan)], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    env: {},
  });
  t.teardown(() => child.kill("SIGKILL"));
  const pipe = child.stdio[3] as import("node:net").Socket;
  await once(pipe, "data");
  pipe.write(
    `${JSON.stringify({ do: "on", id: 1, output: "basil-pump", for: 20_000, sent: clock.monotonic() })}\n`,
  );
  await led.until(true, seconds(2));
  t.equal(led.armedFor, 20_250, "the kernel's timer was armed a little beyond the guard's end");
  pipe.write("{]\n");
  await led.until(false, seconds(2));
  t.same(await once(child, "exit"), [1, null]);
});
