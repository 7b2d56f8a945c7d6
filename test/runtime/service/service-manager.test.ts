import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
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

t.test("systemd's own program carries it to the socket", { skip }, async (t) => {
  const { socket, lines } = await heard(t, HEAR);
  // it waits for an answer that this listener does not give
  void ServiceManager.from({ NOTIFY_SOCKET: socket }, 7, silent)?.ready("1 plant");
  t.equal((await lines.next()).value, "READY=1 | STATUS=1 plant");
});
