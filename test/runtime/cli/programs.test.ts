import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis, seconds } from "../../../drivers/units.js";
import { signalForwarder } from "../../../runtime/cli/programs.js";
import { spawnNode } from "../../spawn-node.js";

const HEARS = "process.on('SIGTERM', () => process.exit(7)); console.log(); setInterval(() => {}, 1e6)";
const STUCK = "process.on('SIGTERM', () => process.exit(7)); console.log(); for (;;);";

/** A child that runs, and how it ends. */
async function running(t: Test, script: string) {
  const child = spawnNode(["-e", script]);
  t.teardown(() => child.kill("SIGKILL"));
  const clock = new SimulatedClock();
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  return { child, clock, ended, pass: signalForwarder(child, clock) };
}

t.test("a signal reaches the child, which ends in its own way", async (t) => {
  const { ended, pass } = await running(t, HEARS);
  pass("SIGTERM");
  t.strictSame(await ended, [7, null]);
});

t.test("a child that is stuck is killed five seconds after the signal, and not before", async (t) => {
  const { child, clock, ended, pass } = await running(t, STUCK);
  pass("SIGTERM");
  await clock.advance(millis(4999));
  t.equal(child.signalCode, null);
  await clock.advance(millis(1));
  t.strictSame(await ended, [null, "SIGKILL"]);
});

t.test("or by a second signal; what npx passes on beside the terminal is none", async (t) => {
  const [clock, sent]: [SimulatedClock, unknown[]] = [new SimulatedClock(), []];
  const pass = signalForwarder({ kill: (signal) => sent.push(signal) > 0 }, clock);
  pass("SIGINT");
  pass("SIGINT");
  t.strictSame(sent, ["SIGINT"]);
  await clock.advance(seconds(1));
  pass("SIGINT");
  t.strictSame(sent, ["SIGINT", "SIGKILL"]);
});

const PROGRAMS = new URL("../../../runtime/cli/programs.js", import.meta.url).href;

/** A process that ends, while it opens a pipe that nobody writes to, or does not. */
async function endOf(before: string) {
  const script = `import { open } from "node:fs/promises"; import { endProcess } from "${PROGRAMS}";
    ${before}; await endProcess();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  return once(child, "exit");
}

t.test(
  "a process whose thread waits for a disk ends all the same, and as a service that ended well",
  async (t) => {
    const pipe = `${t.testdir()}/pipe`;
    t.equal(spawnSync("mkfifo", [pipe]).status, 0);
    const hang = `void open("${pipe}"); process.on("SIGTERM", () => undefined)`;
    t.same(await endOf(hang), [null, "SIGTERM"]);
    t.same(await endOf(`${hang}; process.exitCode = 1`), [null, "SIGKILL"], "after a failure");
    t.same(await endOf(""), [0, null]);
    t.same(await endOf("process.exitCode = 1"), [1, null]);
  },
);
