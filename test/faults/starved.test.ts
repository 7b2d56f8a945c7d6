import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { seconds } from "../../drivers/units.js";
import { connectOnce } from "../connect-once.js";
import { tendril } from "../run-tendril.js";

const RUNTIME = join(import.meta.dirname, "starved-runtime.js");
/** Far less than a hanging transfer (for ever) or four queries on a busy machine; a quiet one needs 5 to 50 ms. A choice. */
const AT_ONCE = seconds(3);
const clock = new SystemClock();

async function tell(child: ChildProcess, action: string): Promise<unknown> {
  const answer = once(child, "message");
  child.send(action);
  return (await answer)[0].answer;
}

async function starved(t: Test) {
  const state = join(t.testdir({}), "state");
  const child = fork(RUNTIME, [state], { env: { ...process.env, NODE_OPTIONS: "" }, execArgv: [] });
  t.teardown(() => child.kill("SIGKILL"));
  const [{ answer: url }] = await once(child, "message");
  const token = (await readFile(join(state, "tokens", "human"), "utf8")).trim();
  const human = await connectOnce({ url, token });
  t.teardown(() => human.close());
  return { state, url: String(url), human, tell: (action: string) => tell(child, action) };
}

async function timed<T>(work: Promise<T>): Promise<{ took: number; value: T }> {
  const began = clock.monotonic();
  const value = await work;
  return { took: clock.monotonic() - began, value };
}

t.test(
  "hanging buses, long queries and a backup at once hold up no record and no switching off",
  async (t) => {
    const { state, url, human, tell } = await starved(t);
    const linesOf = async (log: string) =>
      (await readFile(join(state, "journal", `${log}.jsonl`), "utf8")).split("\n").length;
    await human.call("turn_on_light", { minutes: 30 });
    await tell("hang");
    const backups = join(state, "..", "backups");
    await mkdir(backups);
    const backup = tendril(["backup", "--state", state, "--to", backups]);
    await tell("ask");
    const before = await linesOf("water");
    const dose = human.call("dispense_water", { ml: 25 });
    const poured = await timed(
      (async () => {
        const refused = dose.then((answer) => Promise.reject(new Error(JSON.stringify(answer))));
        const flows = async () => {
          while (((await tell("pump")) as number[]).length === 0) await clock.sleep(seconds(0.01));
        };
        await Promise.race([flows(), refused]);
      })(),
    );
    t.ok(poured.took < AT_ONCE, `the pump is on after ${poured.took.toFixed(0)} ms`);
    t.ok((await linesOf("water")) > before, "its record is on the disk");
    const held = await timed(human.call("set_hold", { hold: true, reason: "a test" }));
    t.match(held.value, { ok: true });
    t.ok(held.took < AT_ONCE, `a hold is recorded after ${held.took.toFixed(0)} ms`);
    const relays = async () => [await tell("pump"), await tell("light")];
    const areOff = async () => {
      while ((await relays()).some((edges) => (edges as number[]).at(-1) !== 0))
        await clock.sleep(seconds(0.01));
    };
    const answer = fetch(new URL("/off", url.replace("ws:", "http:")), { method: "POST" });
    const [off, dark] = await Promise.all([timed(answer), timed(areOff())]);
    t.ok(dark.took < AT_ONCE, `the relays are off after ${dark.took.toFixed(0)} ms`);
    t.equal(off.value.status, 200);
    t.ok(off.took < AT_ONCE, `/off is answered after ${off.took.toFixed(0)} ms`);
    t.same(
      await relays(),
      [
        [1, 0],
        [1, 0],
      ],
      "all relays are off",
    );
    t.match(await dose, { ok: false, error: { code: "CANCELLED" } });
    t.ok(((await tell("queries")) as number) > 0, "while queries still run");
    t.comment(
      `dose ${poured.took.toFixed(0)} ms, hold ${held.took.toFixed(0)} ms, /off ${off.took.toFixed(0)} ms`,
    );
    await tell("release");
    t.equal((await backup).code, 0);
  },
);
