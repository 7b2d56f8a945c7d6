import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes, seconds } from "../../../drivers/units.js";
import { ServiceManager } from "../../../runtime/service/service-manager.js";
import { RuntimeProcess } from "../../process.js";

const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
/** Node cannot hear what systemd does; Debian has a Perl in every system. */
const HEAR = `use Socket; $| = 1; socket(S, AF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un($ARGV[0])) or die; print "ready\\n";
while (defined recv(S, my $m, 4096, 0)) { $m =~ s/\\n/ | /g; print "$m\\n" }`;
/** As systemd while it hangs: nobody reads. */
const DEAF = HEAR.replace(/while .*/s, "sleep");

const silent = () => undefined;
const managerThat = (notify: (assignments: readonly string[]) => Promise<void>) => {
  const log: string[] = [];
  return { log, manager: new ServiceManager(notify, (level, message) => log.push(`${level} ${message}`)) };
};

t.test("nobody is told where nobody wants to hear", async (t) => {
  t.equal(ServiceManager.from({ WATCHDOG_USEC: "20000000" }, 7, silent), undefined);
});

t.test("a third of the deadline is the interval; a deadline for another process is none", async (t) => {
  const env = { NOTIFY_SOCKET: "/run/systemd/notify", WATCHDOG_USEC: "20000000" };
  t.equal(Math.round(Number(ServiceManager.from({ ...env }, 7, silent)?.feedEvery)), 6667);
  t.ok(ServiceManager.from({ ...env, WATCHDOG_PID: "7" }, 7, silent)?.feedEvery);
  const other = ServiceManager.from({ ...env, WATCHDOG_PID: "8" }, 7, silent);
  t.ok(other);
  t.equal(other?.feedEvery, undefined);
});

t.test("the address is taken away from what is started later", async (t) => {
  const env = { NOTIFY_SOCKET: "/x", WATCHDOG_USEC: "1", WATCHDOG_PID: "7", PATH: "/bin" };
  ServiceManager.from(env, 7, silent);
  t.same(env, { PATH: "/bin" });
});

t.test("a status is one line, and what cannot be told is logged once until it can be again", async (t) => {
  const told: string[][] = [];
  let works = false;
  const { manager, log } = managerThat(async (assignments) => {
    if (!works) throw new Error("no systemd-notify");
    told.push([...assignments]);
  });
  await manager.feed();
  await manager.feed();
  t.same(log, ["error the service manager cannot be told: no systemd-notify"]);
  works = true;
  await manager.ready("two\nplants");
  t.same(told, [["READY=1", "STATUS=two plants"]]);
  works = false;
  await manager.stopping();
  t.equal(log.length, 2);
});

const missing = ["systemd-notify", "perl"].filter((program) => !has(program));
const skip = missing.length > 0 && `NOT TESTED, missing: ${missing.join(", ")}`;
/** A socket such as systemd has, and the lines of the script that listens there. */
async function heard(t: Test, script: string) {
  const folder = mkdtempSync(join(tmpdir(), "tendril-notify-"));
  const socket = join(folder, "notify");
  const hearing = spawn("perl", ["-e", script, socket], { stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(async () => {
    hearing.kill();
    await once(hearing, "exit");
    rmSync(folder, { recursive: true });
  });
  const lines = createInterface({ input: hearing.stdout })[Symbol.asyncIterator]();
  t.equal((await lines.next()).value, "ready");
  return { socket, lines };
}

t.test("a stop does not wait for a service manager that hangs", { skip }, async (t) => {
  const { socket } = await heard(t, DEAF);
  const runtime = await RuntimeProcess.start({ env: { ...process.env, NOTIFY_SOCKET: socket } });
  const { log } = await runtime.stop();
  t.match(log, /everything off/);
  t.notMatch(log, /cannot be told.*everything off/s, "what it had to hear is still on its way");
});

const EXTENDS = "EXTEND_TIMEOUT_USEC=120000000";
/** Seconds of work in each 20 s, as the start measures it. */
function startThat(works: (minute: number) => boolean) {
  const told: string[] = [];
  const { manager } = managerThat(async (assignments) => void told.push(...assignments));
  const clock = new SimulatedClock();
  let processor = 0;
  let looks = 0;
  manager.extendStart(clock, () => {
    if (looks > 0 && works(looks / 3)) processor += 1500;
    looks += 1;
    return { processor, blocks: 0 };
  });
  return { told, clock, manager };
}

t.test("a start that works for long asks for more time, for half an hour at most", async (t) => {
  const { told, clock, manager } = startThat(() => true);
  await clock.advance(seconds(15));
  t.same(told, [], "a short start says nothing");
  await clock.advance(minutes(10));
  t.equal(told.length, 30);
  t.ok(told.every((each) => each === EXTENDS));
  await clock.advance(minutes(60));
  t.equal(told.length, 89, "then it is ended");
  await manager.ready("1 plant");
});

t.test("a start that waits asks for no more time, and one that serves neither", async (t) => {
  const { told, clock } = startThat((minute) => minute <= 2);
  await clock.advance(minutes(20));
  t.equal(told.length, 6);
  const served = startThat(() => true);
  await served.manager.ready("1 plant");
  await served.clock.advance(minutes(20));
  t.same(served.told, ["READY=1", "STATUS=1 plant"]);
});

t.test("a start's wish for more time reaches a real socket", { skip }, async (t) => {
  const { socket, lines } = await heard(t, HEAR);
  const clock = new SimulatedClock();
  let blocks = 0;
  const work = () => {
    blocks += 4096;
    return { processor: 0, blocks };
  };
  ServiceManager.from({ NOTIFY_SOCKET: socket }, 7, silent)?.extendStart(clock, work);
  await clock.advance(seconds(20));
  t.equal((await lines.next()).value, EXTENDS);
});

t.test("systemd's own program carries it to the socket", { skip }, async (t) => {
  const { socket, lines } = await heard(t, HEAR);
  // it waits for an answer that this listener does not give
  void ServiceManager.from({ NOTIFY_SOCKET: socket }, 7, silent)?.ready("1 plant");
  t.equal((await lines.next()).value, "READY=1 | STATUS=1 plant");
});
