import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SystemClock } from "../../../../drivers/clock/system-clock.js";
import { millis } from "../../../../drivers/units.js";
import { RuntimeHere } from "../../../process.js";
import { failsClearly, TENDRIL } from "../../../run-tendril.js";
import { PLAIN_NODE } from "../../../spawn-node.js";
import { tendrilHere } from "../../../tendril-here.js";

const FILE =
  "plants:\n  - { id: basil, pump: { flow_ml_per_s: 2 } }   # mine\n  - id: fern\n    probe: { channel: 1 }\n";

t.test("figures that are known already are checked and written, without a runtime", async (t) => {
  const state = t.testdir({ "tendril.yaml": FILE });
  const file = () => readFileSync(join(state, "tendril.yaml"), "utf8");
  const calibrate = (...args: string[]) => tendrilHere(["calibrate", ...args, "--state", state]);
  const ends = await calibrate("moisture", "Fern", "--dry", "2.71", "--wet", "1.24", "--yes");
  t.equal(ends.code, 0, ends.err);
  t.equal(file(), FILE.replace("channel: 1", "channel: 1, dry_volts: 2.71, wet_volts: 1.24"));
  t.equal((await calibrate("pump", "basil", "--flow", "1.43", "--yes")).code, 0);
  t.match(file(), /\{ id: basil, pump: \{ flow_ml_per_s: 1\.43 \} \} {3}# mine\n/);
  t.equal(readdirSync(state).filter((name) => name.includes(".before-")).length, 2);
  const before = file();
  failsClearly(
    t,
    await calibrate("pump", "basil", "--flow", "0.5", "--yes"),
    /flow_ml_per_s: must be at least .*nothing was written/,
  );
  failsClearly(
    t,
    await calibrate("moisture", "basil", "--dry", "5.2", "--wet", "1", "--yes"),
    /dry_volts: .*4\.096.*nothing was written/,
  );
  failsClearly(
    t,
    await calibrate("moisture", "basil", "--dry", "1.25", "--wet", "1.2", "--yes"),
    /differ by at least 0\.1 V/,
  );
  failsClearly(t, await calibrate("moisture", "basil", "--dry", "2.7"), /go together/);
  failsClearly(t, await calibrate("moisture", "--dry", "2.7", "--wet", "1"), /name the plant: basil, fern/);
  failsClearly(
    t,
    await calibrate("moisture", "mint", "--dry", "2.7", "--wet", "1"),
    /no plant "mint", only basil, fern/,
  );
  t.equal(file(), before);
});

t.test("the file is that of the running runtime, where none is named", async (t) => {
  const state = t.testdir({ "two.yaml": FILE });
  const file = join(state, "two.yaml");
  const runtime = await RuntimeHere.start({ state, args: ["--config", file] });
  t.teardown(() => runtime.stop());
  const args = ["calibrate", "pump", "basil", "--flow", "1.43", "--yes", "--state", state];
  t.match(await tendrilHere(args), { code: 0, out: /two\.yaml/ });
  t.match(readFileSync(file, "utf8"), /flow_ml_per_s: 1\.43/);
});

t.test("without a file, a runtime or a person the command says what is missing", async (t) => {
  const state = t.testdir({ "tendril.yaml": FILE });
  failsClearly(
    t,
    await tendrilHere(["calibrate", "pump", "basil", "--state", state]),
    /no runtime is running.*systemctl start tendril/,
  );
  const empty = join(state, "nothing");
  failsClearly(
    t,
    await tendrilHere(["calibrate", "pump", "basil", "--state", empty]),
    /no configuration .*tendril setup/,
  );
  failsClearly(
    t,
    await tendrilHere([
      "calibrate",
      "moisture",
      "basil",
      "--state",
      empty,
      "--config",
      join(state, "tendril.yaml"),
    ]),
    /no runtime is running/,
  );
});

t.test(
  "the command walks with the running runtime; without anybody to answer it ends, with the hold told of",
  async (t) => {
    const runtime = await RuntimeHere.start();
    t.teardown(() => runtime.stop());
    const config = join(t.testdir({ "tendril.yaml": "plants: [{ id: basil }]\n" }), "tendril.yaml");
    const ran = await tendrilHere(["calibrate", "moisture", "--state", runtime.state, "--config", config]);
    t.equal(ran.code, 1);
    t.match(ran.err, /the input ended before the last question: nothing was written/);
    t.match(ran.out, /basil stays on hold: .*tendril resume [\s\S]*basil/);
  },
);

for (const signal of ["SIGINT", "SIGHUP"] as const) {
  t.test(`${signal} in mid-dose, Ctrl-C or a lost connection: the pump stops first`, async (t) => {
    const runtime = await RuntimeHere.start({ speed: 1 });
    t.teardown(() => runtime.stop());
    const config = join(t.testdir({ "tendril.yaml": "plants: [{ id: basil }]\n" }), "tendril.yaml");
    const [command, ...before] = [...PLAIN_NODE, TENDRIL];
    const args = [...before, "calibrate", "pump", "--state", runtime.state, "--config", config];
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.write("\n");
    for await (const chunk of child.stdout) if (/pump runs/.test(String(chunk))) break;
    await untilStarted(runtime.state);
    child.kill(signal);
    await once(child, "exit");
    const journal = readFileSync(join(runtime.state, "journal", "water.jsonl"), "utf8");
    const { outcome, on_for_ms } = JSON.parse(journal.trim().split("\n").at(-1) ?? "{}");
    t.equal(outcome, "stopped");
    t.ok(on_for_ms > 0 && on_for_ms < 10_000, `on for ${on_for_ms} ms of 10,000`);
  });
}

/** Until the ledger has a pump that runs. */
async function untilStarted(state: string): Promise<void> {
  const clock = new SystemClock();
  const journal = () => readFileSync(join(state, "journal", "water.jsonl"), "utf8");
  while (!journal().includes('"kind":"started"')) await clock.sleep(millis(20));
}
