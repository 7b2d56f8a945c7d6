import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openBoard } from "../../drivers/open-board.js";
import { minutes, seconds } from "../../drivers/units.js";
import { boardConfig } from "../../runtime/config/schema.js";
import { parseConfig } from "../../runtime/configuration.js";
import { Plants } from "../../runtime/plants.js";
import { openHouse } from "../../runtime/services/house.js";
import { ANY_TOKEN } from "../../runtime/services/module.js";
import { modulesOn } from "../../runtime/services/modules.js";
import { openStore } from "../../runtime/store/store.js";
import { Stops } from "../../runtime/tools/late-calls.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;

/** Two plants; the tank is basil's alone. */
const WIRED = `
plants:
  - { id: basil }
  - { id: fern, probe: { channel: 1 } }
inputs:
  - { kind: stop, name: red button, gpio: 5 }
  - { kind: leak, name: tray, gpio: 6 }
  - { kind: tank, name: can, gpio: 13, plants: [basil] }
server: { calls_per_second: 100000 }
`;
const [BUTTON, TRAY, CAN] = ["red button", "tray", "can"];

const wired = (t: Test) => rigFor(t, { config: WIRED });

const usage = (rig: Rig) => rig.get("get_water_usage_24h");

const letters = async (rig: Rig): Promise<string[]> => {
  const { messages } = await rig.get("list_messages_from_agent", { limit: 50 }, HUMAN);
  return (messages as { content: string }[]).map(({ content }) => content);
};

/** Presses, wets, empties or undoes it, and waits until the disk has heard of it. */
async function set(rig: Rig, input: string, active: boolean): Promise<void> {
  rig.bench.setInput(input, active);
  await rig.core.settled();
}

/** A dose of basil's that has run for so many seconds. */
async function poured(rig: Rig, time: number, ml = 25) {
  const dose = rig.call("dispense_water", { ml }, HUMAN);
  while (rig.bench.pumpEdges("basil").at(-1)?.level !== 1) await rig.pass(seconds(0));
  await rig.pass(seconds(time));
  return { dose };
}

/** How long basil's pump was on last. */
function lastRun(rig: Rig): number {
  const [on, off] = rig.bench.pumpEdges("basil").slice(-2);
  return (off?.at ?? Number.NaN) - (on?.at ?? Number.NaN);
}

t.test(
  "an empty tank keeps the pump off and not the lamp, also after a button was pressed and let go of",
  async (t) => {
    const rig = await wired(t);
    for (const [input, active] of [
      [CAN, true],
      [BUTTON, true],
      [BUTTON, false],
    ] as const)
      await set(rig, input ?? "", active);
    await rig.get("set_hold", { hold: false }, HUMAN);
    const refused = await rig.refused("dispense_water", { ml: 20 }, HUMAN);
    t.equal(refused.code, "TANK_EMPTY");
    await rig.get("turn_on_light", { minutes: 30 }, HUMAN); // a lamp needs no water
  },
);

t.test(
  "a stop button in the middle of a dose: the pump is off at that instant, and its time is charged",
  async (t) => {
    const rig = await wired(t);
    const { dose } = await poured(rig, 4);
    await set(rig, BUTTON, true);
    await rig.pass(seconds(1));
    t.match(await dose, {
      ok: false,
      error: {
        code: "CANCELLED",
        message: /stopped after 6 of 25 ml \(the stop button "red button" is pressed\)/,
        details: { requested_ml: 25, dispensed_ml: 6 },
      },
    });
    t.equal(lastRun(rig), 4000);
    t.match(await usage(rig), { used_ml: 6, events: 1 });
  },
);

t.test("a stop button puts the light out too, and its rest begins", async (t) => {
  const rig = await wired(t);
  await rig.get("turn_on_light", { minutes: 60 }, HUMAN);
  await rig.pass(minutes(5));
  await set(rig, BUTTON, true);
  t.match(await rig.get("get_light_status"), { status: "off", light_today: 5, minutes_until_available: 30 });
});

t.test("a stop button holds every plant until a person lifts the hold, also after a restart", async (t) => {
  const rig = await wired(t);
  await set(rig, BUTTON, true);
  await set(rig, BUTTON, false);
  await rig.restart();
  for (const plant of ["basil", "fern"]) {
    t.match(await rig.refused("dispense_water", { ml: 20, plant }, HUMAN), {
      code: "HOLD",
      message: /stop button "red button" pressed/,
    });
    t.equal((await rig.refused("turn_on_light", { minutes: 30, plant }, HUMAN)).code, "HOLD");
  }
  t.match(await letters(rig), [/stop button "red button" was pressed.*tendril resume/]);
  await rig.get("set_hold", { hold: false }, HUMAN);
  await rig.water(20, HUMAN);
});

t.test("a hold is not lifted while the button is pressed", async (t) => {
  const rig = await wired(t);
  await set(rig, BUTTON, true);
  t.match(await rig.refused("set_hold", { hold: false }, HUMAN), {
    code: "INPUT_ACTIVE",
    message: /the stop button "red button" is pressed/,
  });
  await set(rig, BUTTON, false);
  await rig.get("set_hold", { hold: false }, HUMAN);
});

t.test("a stop button holds even where the disk refuses to note it", async (t) => {
  const rig = await wired(t);
  const empty = rig.fillDisk();
  await set(rig, BUTTON, true);
  await set(rig, BUTTON, false);
  empty();
  t.equal((await rig.refused("dispense_water", { ml: 20 }, HUMAN)).code, "HOLD");
  t.ok(rig.log.some((line) => line.startsWith("error") && line.includes("no space left")));
});

t.test("a leak stops the pumps and locks them until a person clears it, also after a restart", async (t) => {
  const rig = await wired(t);
  const { dose } = await poured(rig, 2);
  await set(rig, TRAY, true);
  t.match(await dose, { ok: false, error: { code: "CANCELLED", details: { dispensed_ml: 3 } } });
  t.equal(lastRun(rig), 2000);
  await set(rig, TRAY, false);
  await rig.restart();
  for (const plant of ["basil", "fern"])
    t.match(await rig.refused("dispense_water", { ml: 20, plant }, HUMAN), {
      code: "LEAK",
      retryable: false,
      message: /the leak sensor "tray" was wet/,
    });
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  t.match(await letters(rig), [/leak sensor "tray" is wet.*tendril clear/]);
  await rig.get("clear_fault", {}, HUMAN);
  await rig.water(20, HUMAN);
});

t.test("a leak is not cleared while its sensor is wet, whichever of its plants is named", async (t) => {
  const rig = await wired(t);
  await set(rig, TRAY, true);
  for (const named of [{}, { plant: "basil" }, { plant: "fern" }])
    t.match(await rig.refused("clear_fault", named, HUMAN), {
      code: "INPUT_ACTIVE",
      message: /the leak sensor "tray" is wet \(basil, fern\)/,
    });
  await set(rig, TRAY, false);
  await rig.get("clear_fault", { plant: "fern" }, HUMAN);
  t.equal(
    (await rig.refused("dispense_water", { ml: 20 }, HUMAN)).code,
    "LEAK",
    "basil's own is not cleared",
  );
});

t.test("a leak, or a press, that comes while the person's clearing is written down stays", async (t) => {
  const rig = await wired(t);
  const briefly = async (input: string) => {
    rig.bench.setInput(input, true);
    rig.bench.setInput(input, false);
  };
  await briefly(TRAY);
  await rig.core.settled();
  rig.duringNextWrite(() => briefly(TRAY));
  await rig.get("clear_fault", {}, HUMAN);
  await briefly(BUTTON);
  await rig.core.settled();
  rig.duringNextWrite(() => briefly(BUTTON));
  await rig.get("set_hold", { hold: false }, HUMAN);
  for (const when of ["at once", "after a restart"]) {
    t.match(
      await rig.get("get_overview", {}, HUMAN),
      { plants: [{ hold: { reason: /red button/ }, faults: [{ code: "LEAK" }] }, {}] },
      when,
    );
    await rig.restart();
  }
});

t.test("a leak that comes and goes is told of once, until it was cleared", async (t) => {
  const rig = await wired(t);
  for (const wet of [true, false, true, false]) await set(rig, TRAY, wet);
  t.equal((await letters(rig)).length, 1);
  await rig.get("clear_fault", {}, HUMAN);
  await set(rig, TRAY, true);
  t.equal((await letters(rig)).length, 2);
});

t.test("a plant may have several faults at once; one clearing clears them all", async (t) => {
  const rig = await wired(t);
  rig.bench.faults("basil").pump = "tube off";
  await rig.passSampling(minutes(20));
  for (let dose = 0; dose < 3; dose += 1) await rig.water(20, HUMAN);
  await rig.passSampling(minutes(40));
  await set(rig, TRAY, true);
  await set(rig, TRAY, false);
  await rig.restart();
  const { plants } = await rig.get("get_overview", {}, HUMAN);
  t.match(plants, [
    { plant: "basil", fault: { code: "NO_RESPONSE" }, faults: [{ code: "NO_RESPONSE" }, { code: "LEAK" }] },
    { plant: "fern", fault: { code: "LEAK" }, faults: [{ code: "LEAK" }] },
  ]);
  const { reason } = await rig.status([{ action: "water", value: 20 }]);
  t.match(reason, /NO_RESPONSE: .*LEAK: the leak sensor "tray" was wet\. Plan without water/);
  await rig.get("clear_fault", {}, HUMAN);
  await rig.passSampling(minutes(10));
  await rig.water(10, HUMAN);
});

/** As version 0.1 of the bench wrote it. */
const OLD_JOURNAL = `\
{"id":1,"timestamp":"2026-05-30T07:00:00.000Z","kind":"fault","code":"NO_RESPONSE","plant":"basil","by":"runtime","reason":"75 ml and no answer"}
{"id":2,"timestamp":"2026-05-30T07:10:00.000Z","kind":"fault","code":"NO_RESPONSE","plant":"fern","by":"runtime","reason":"75 ml and no answer"}
{"id":3,"timestamp":"2026-05-30T08:00:00.000Z","kind":"clear","by":"human","reason":"a person has looked at it","after_dose":0,"plant":"fern"}
`;

t.test("a journal from before there were leaks is read as it was meant", async (t) => {
  const rig = await wired(t);
  await rig.stop();
  await writeFile(join(rig.state, "journal", "control.jsonl"), OLD_JOURNAL);
  await rig.open();
  t.equal((await rig.refused("dispense_water", { ml: 20 }, HUMAN)).code, "NO_RESPONSE");
  t.match(await rig.during("dispense_water", { ml: 20, plant: "fern" }, HUMAN), { ok: true });
  await set(rig, TRAY, true);
  const { plants } = await rig.get("get_overview", {}, HUMAN);
  t.match(plants, [{ faults: [{ code: "NO_RESPONSE" }, { code: "LEAK" }] }, { faults: [{ code: "LEAK" }] }]);
});

t.test("an empty tank ends the dose, which is charged by its time, and refuses the next one", async (t) => {
  const rig = await wired(t);
  const { dose } = await poured(rig, 8);
  await set(rig, CAN, true);
  t.match(await dose, {
    ok: false,
    error: { code: "CANCELLED", message: /the tank "can" is empty/, details: { dispensed_ml: 12 } },
  });
  t.match(await usage(rig), { used_ml: 12, events: 1 });
  t.match(await rig.refused("dispense_water", { ml: 20 }, HUMAN), { code: "TANK_EMPTY", retryable: true });
  t.match(await usage(rig), { used_ml: 12, events: 1 }, "a refused dose is no event");
  t.match(await rig.during("dispense_water", { ml: 20, plant: "fern" }, HUMAN), { ok: true });
  await set(rig, CAN, false);
  await rig.water(20, HUMAN);
});

t.test("a status that plans water from an empty tank is refused, one without water is cleared", async (t) => {
  const rig = await wired(t);
  await set(rig, CAN, true);
  t.match(await rig.status([{ action: "water", value: 20 }]), {
    proceed: false,
    reason: /TANK_EMPTY: the tank "can" is empty\. Plan without water\./,
  });
  t.same(await rig.status([{ action: "light", value: 30 }]), { proceed: true });
});

t.test("an empty tank is told of once, also over a restart, and again after it was full", async (t) => {
  const rig = await wired(t);
  await set(rig, CAN, true);
  await set(rig, CAN, true);
  t.match(await letters(rig), [/tank "can" is empty.*TANK_EMPTY/]);
  await rig.stop();
  await foundActive(t, rig, CAN);
  await rig.open();
  t.equal((await letters(rig)).length, 1, "still empty");
  await set(rig, CAN, true);
  t.equal((await letters(rig)).length, 2, "found full at the last start, then empty");
});

t.test("a button found pressed, a leak found wet at the start count as if they came then", async (t) => {
  const rig = await wired(t);
  await rig.stop();
  await foundActive(t, rig, BUTTON);
  await foundActive(t, rig, BUTTON);
  await foundActive(t, rig, TRAY);
  await rig.open();
  t.match(await letters(rig), [/leak sensor/, /stop button/], "each is told once");
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, "HOLD");
  await rig.get("set_hold", { hold: false }, HUMAN);
  t.equal((await rig.refused("dispense_water", { ml: 20 }, HUMAN)).code, "LEAK");
});

t.test("a pulse that a sensor keeps from beginning charges nothing and leaves the key free", async (t) => {
  const rig = await wired(t);
  const once = { ...HUMAN, key: "dose-1" };
  rig.duringNextWrite(async () => rig.bench.setInput(CAN, true));
  t.equal((await rig.refused("dispense_water", { ml: 20 }, once)).code, "TANK_EMPTY");
  t.match(await usage(rig), { used_ml: 0 });
  await set(rig, CAN, false);
  t.match(await rig.during("dispense_water", { ml: 20 }, once), { ok: true, value: { dispensed: 20 } });
});

t.test("what is active is in the overview, and how each plant is fitted", async (t) => {
  const rig = await wired(t);
  await set(rig, CAN, true);
  t.match(await rig.get("get_overview", {}, HUMAN), {
    inputs: [
      { kind: "stop", name: BUTTON, plants: ["basil", "fern"], active: false },
      { kind: "leak", name: TRAY, active: false },
      { kind: "tank", name: CAN, plants: ["basil"], active: true },
    ],
    plants: [{ fitted: { pump: true, light: true, camera: true }, faults: [] }, {}],
  });
});

/** A whole start and end of the services on a board whose input is active from the beginning. */
async function foundActive(t: Test, rig: Rig, input: string): Promise<void> {
  const config = parseConfig(WIRED, "rig.yaml");
  const store = await openStore({ folder: rig.state, onFailure: (error) => t.fail(error.message) });
  const at = { ...boardConfig(config), kind: "bench" as const };
  const board = await openBoard(at, { clock: rig.clock, speed: 1, seed: 1, stateFolder: rig.state });
  board.bench.setInput(input, true);
  const given = {
    core: config,
    plants: new Plants(config.plants),
    board,
    store,
    log: () => undefined,
    realClock: rig.clock,
    stops: new Stops(),
    tokens: ANY_TOKEN,
    publicUrl: () => "",
  };
  const house = await openHouse(given, config, modulesOn(config));
  await house.close();
  await board.close();
  await store.close();
}
