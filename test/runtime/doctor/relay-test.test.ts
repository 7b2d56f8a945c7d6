import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis, seconds } from "../../../drivers/units.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { conclude, testRelays } from "../../../runtime/doctor/relay-test.js";
import type { Asker } from "../../../runtime/setup/asker.js";
import { lockState } from "../../../runtime/store/state-lock.js";
import { LedFolder } from "../../drivers/guard/led-folder.js";
import { failsClearly, TENDRIL, tendril } from "../../run-tendril.js";
import { hasTerminals, Terminal } from "../../terminal.js";

const clock = new SystemClock();
const LIGHT = "light: { output: { gpio: 6, active_low: true } }";
const yaml = (more = "") =>
  `board: pi\nplants:\n  - { id: basil, pump: { flow_ml_per_s: 2, output: { gpio: 17 } }${more} }\n`;

/** LEDs in a folder, a state folder, and a person who has seen `seen`. */
function rig(t: Test, { config = yaml(), seen = "lit", looks = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tendril-relays-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "root");
  const leds = join(root, "sys/class/leds");
  const pump = new LedFolder(leds, "basil-pump");
  const light = new LedFolder(leds, "basil-light");
  const state = join(folder, "state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "tendril.yaml"), config);
  const said: string[] = [];
  const asker = {
    say: (text: string) => void said.push(text),
    confirm: async () => looks,
    choose: async () => seen,
    text: async () => "",
  } as Asker;
  const kernel = { leds, gpio: join(root, "sys/class/gpio") };
  const test = () => testRelays({ config: parseConfig(config, "tendril.yaml"), state, clock, asker, kernel });
  const lines = (log: string) =>
    readFileSync(join(state, "journal", `${log}.jsonl`), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { root, state, pump, light, said, test, lines };
}

t.test(
  "a relay is switched once, through the guard, and its pump's pulse is charged before and after",
  async (t) => {
    const { pump, said, test, lines } = rig(t);
    const tested = test();
    const on = await pump.until(true, seconds(20));
    const off = await pump.until(false, seconds(5));
    t.ok(off - on > millis(300) && off - on < seconds(2), `on for ${off - on} ms`);
    t.equal(await tested, true);
    t.match(said, [/^✓ basil-pump +active_low: false is right/]);
    const water = lines("water").filter(({ kind }) => kind !== "mark");
    t.match(water, [
      { kind: "intent", plant: "basil", ml: 1, by: "tendril doctor --relays" },
      { kind: "stopped", outcome: "completed" },
    ]);
    t.ok(Number(water[1]?.ml) >= 1, "what the time on gave");
  },
);

t.test(
  "a light's pulse begins its rest: a second test at once is refused, and the lamp stays dark",
  async (t) => {
    const { light, said, test, lines } = rig(t, { config: yaml(`, ${LIGHT}`) });
    t.equal(await test(), true);
    t.match(lines("light"), [
      { kind: "on", plant: "basil" },
      { kind: "off", ended: "elapsed" },
    ]);
    const armed = light.armedFor;
    t.equal(await test(), false);
    t.match(said.at(-1), /^– basil-light +the lamp rests for another 30 min/);
    t.equal(light.armedFor, armed);
  },
);

t.test(
  "what the person saw decides: a reversed relay gets the line to change, a dead one what to check",
  async (t) => {
    const reversed = rig(t, { seen: "went out" });
    t.equal(await reversed.test(), false);
    t.match(reversed.said, [
      /polarity is reversed[\s\S]*plants\[0\]\.pump\.output\.active_low: true[\s\S]*gpio=17=op,dh.*with active_low=1/,
    ]);
    t.match(conclude({ path: "plants[1].light.output", gpio: 6, activeLow: true }, "went out"), {
      mend: /plants\[1\]\.light\.output\.active_low: false.*gpio=6=op,dl.*without active_low=1/,
    });
    t.match(conclude({ path: "x", gpio: 17, activeLow: false }, "nothing"), {
      verdict: "failure",
      mend: /supply/,
    });
  },
);

t.test("who does not look, or has it on hold, switches nothing and is charged nothing", async (t) => {
  const away = rig(t, { looks: false });
  t.equal(await away.test(), false);
  t.match(away.said, [/^– basil-pump +not tested/]);
  const held = rig(t);
  await held.test();
  const control = join(held.state, "journal/control.jsonl");
  const hold = { id: 1, timestamp: "2026-11-21T10:00:00.000Z", kind: "hold", by: "human", reason: "away" };
  writeFileSync(control, `${JSON.stringify(hold)}\n`);
  const before = held.lines("water").filter(({ kind }) => kind === "intent").length;
  t.equal(await held.test(), false);
  t.match(held.said.at(-1), /^– basil-pump +on hold since.*\(away\): tendril resume/);
  t.equal(held.lines("water").filter(({ kind }) => kind === "intent").length, before);
});

t.test("a pulse that the day's water has no room for is refused, and the relay stays off", async (t) => {
  const { pump, said, test } = rig(t, { config: `${yaml()}water: { daily_limit_ml: 10 }\n` });
  let pulses = 0;
  while (pulses <= 10 && (await test())) pulses += 1;
  t.ok(pulses > 5 && pulses <= 10, `${pulses} pulses of 1 ml, each charged what its time on gave`);
  t.match(said.at(-1), /^– basil-pump +1 ml would be charged, and 0(\.\d+)? ml are left/);
  t.equal(pump.isOn(), false);
});

t.test("while a runtime has the state folder, nothing is touched", async (t) => {
  const { state, test } = rig(t);
  const lock = await lockState(state);
  t.teardown(() => lock.release());
  await t.rejects(test(), { code: "STATE_IN_USE" });
});

t.test(
  "a state folder of another user's is left alone: its runtime could not open what would be written",
  { skip: process.getuid?.() !== 0 && "only root can give a folder away" },
  async (t) => {
    const { state, root } = rig(t);
    chownSync(state, 65_534, 65_534);
    const args = ["doctor", "--relays", "--yes-the-pumps-are-unplugged", "--root", root, "--state", state];
    failsClearly(t, await tendril(args), /another user: sudo -u '#65534'/);
    t.same(readdirSync(state), ["tendril.yaml"]);
  },
);

t.test("a bench has no relays to test", async (t) => {
  await t.rejects(rig(t, { config: "board: bench\n" }).test(), { message: /no relay to test/ });
});

t.test(
  "without a terminal, and without a word that the pumps are unplugged, nothing is switched",
  async (t) => {
    const { root, state } = rig(t);
    const ran = await tendril(["doctor", "--relays", "--root", root, "--state", state]);
    t.equal(ran.code, 2);
    failsClearly(t, ran, /--relays is for a terminal.*--yes-the-pumps-are-unplugged/);
  },
);

t.test(
  "in a terminal the word itself has to be typed; then it goes relay by relay",
  { skip: !hasTerminals() && "no script(1)" },
  async (t) => {
    const { root, state, pump } = rig(t);
    const terminal = new Terminal([TENDRIL, "doctor", "--relays", "--root", root, "--state", state]);
    t.teardown(() => terminal.kill());
    await terminal.until(/Type "unplugged"/);
    terminal.type("yes\r");
    await terminal.until(/or press Ctrl-C/);
    t.equal(pump.isOn(), false);
    terminal.type("\u0015unplugged\r");
    await terminal.until(/Are you looking at its LED/);
    terminal.type("\r");
    await terminal.until(/What did the LED/);
    terminal.type("\r");
    await terminal.until(/active_low: false is right/);
    t.equal(await terminal.end(), 0);
  },
);
