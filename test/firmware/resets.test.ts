import { EEPROMMemoryBackend } from "avr8js";
import t from "tap";
import { millis } from "../../drivers/units.js";
import { blankEeprom, freshMemory } from "./avr/binaries.js";
import { avrOnly, CHIP, connected, outcome, REST, reconnect, SHORT, timesOn } from "./avr/connected.js";
import { Rig } from "./avr/rig.js";

/** The AVR's watchdog has 250 ms, the ESP32's task watchdog 500, and each some tolerance or a step. */
const BITES_WITHIN = CHIP === "avr" ? 270 : 520;

t.test("a reset in mid-dose: off at once, off afterwards, and the whole dose stays charged", async (t) => {
  for (const cause of ["pin", "power", "brown-out"] as const) {
    const { rig, interlock } = await connected();
    const before = (await rig.until(interlock.status())).budgetLeft;
    await rig.until(interlock.request("pump", millis(3000)));
    await rig.run(500);
    rig.reset(cause);
    t.equal(rig.isOn("pump"), false);
    await rig.run(4000);
    t.equal(timesOn(rig, "pump").length, 1, "what the host goes on saying closes nothing");
    const after = await rig.until(interlock.status());
    t.same(after.faults, [], "and it is no fault");
    t.ok(before - after.budgetLeft >= 3000, `${before} ms before, ${after.budgetLeft} after`);
  }
});

t.test(
  "a main loop that hangs in mid-dose: the watchdog opens the contact, and the fault stays",
  async (t) => {
    const { rig, interlock } = await connected();
    await rig.until(interlock.request("pump", millis(4900)));
    await rig.run(500);
    const hung = rig.now;
    rig.hang();
    await rig.run(600);
    t.equal(rig.isOn("pump"), false);
    const after = (rig.edges.at(-1)?.at ?? 0) - hung;
    t.ok(after <= BITES_WITHIN, `${after} ms after it hung`);
    await rig.run(2000);
    t.match((await rig.until(interlock.status())).faults, ["the interlock's watchdog restarted it"]);
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "INTERLOCK_FAULT");
    t.same((await rig.until(interlock.clear())).faults, []);
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "taken");
  },
);

/** An EEPROM whose power goes at its nth write: that byte is left erased, and nothing is written any more. */
class CutEeprom extends EEPROMMemoryBackend {
  left = Number.POSITIVE_INFINITY;
  /** A byte that keeps what it holds. */
  stuck: number | undefined;

  constructor(sound: EEPROMMemoryBackend) {
    super(sound.memory.length);
    this.memory.set(sound.memory);
  }

  override writeMemory(at: number, value: number): void {
    if (this.left-- > 0 && at !== this.stuck) super.writeMemory(at, value);
  }

  override eraseMemory(at: number): void {
    if (this.left > 0 && at !== this.stuck) super.eraseMemory(at);
  }
}

/** Where the AVR's two copies begin (firmware/ports/avr/memory.c). */
const COPIES = [0, 128] as const;

/** Where the newer of the two copies begins: the one whose first word, its serial, is higher. */
function newerOf(eeprom: EEPROMMemoryBackend): number {
  const [first, second] = COPIES.map((at) => new DataView(eeprom.memory.buffer).getUint32(at, true));
  return COPIES[(first ?? 0) > (second ?? 0) ? 0 : 1];
}

/** As it is after a dose of a second. */
async function used(): Promise<EEPROMMemoryBackend> {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(1000)));
  await rig.run(1200);
  return rig.eeprom;
}

/** As it is in the middle of a dose; of the AVR, where the copy at `newer` alone has that dose. */
async function inMidDose(newer?: number): Promise<EEPROMMemoryBackend> {
  // A slot of the short build lasts a second, and each record goes to the other copy
  for (const slots of [0, 1, 2]) {
    const { rig, interlock } = await connected();
    await rig.run(slots * 1000);
    await rig.until(interlock.request("pump", millis(1000)));
    await rig.run(100);
    if (newer === undefined || newerOf(rig.eeprom) === newer) return rig.eeprom;
  }
  throw new Error(`no dose is recorded at ${newer}`);
}

t.test(
  "a power cut at any byte of a record leaves a sound one, and never more budget than there was",
  avrOnly("an entry of NVS is whole or not there"),
  async (t) => {
    const sound = await used();
    let cutInTime = 0;
    for (let writes = 0; writes < 14; writes++) {
      const eeprom = new CutEeprom(sound);
      const { rig, interlock } = await connected({ eeprom });
      const before = (await rig.until(interlock.status())).budgetLeft;
      eeprom.left = writes;
      const asked = outcome(interlock.request("pump", millis(1000)));
      await rig.run(120);
      if (rig.edges.length === 0) cutInTime++;
      eeprom.left = Number.POSITIVE_INFINITY;
      rig.reset("power");
      await rig.until(asked);
      await rig.run(1000);
      const { budgetLeft } = await rig.until(interlock.status());
      t.ok(budgetLeft > 0 && budgetLeft <= before, `cut at write ${writes}: ${budgetLeft} of ${before} ms`);
      if (timesOn(rig, "pump").length > 0) t.ok(budgetLeft <= before - 1000, "what was begun is charged");
    }
    t.ok(cutInTime > 4 && cutInTime < 14, `${cutInTime} cuts came before the record was whole`);
  },
);

t.test("a power cut in the middle of a record loses no dose that was recorded before it", async (t) => {
  for (const writes of [0, 3, 6]) {
    const eeprom = new CutEeprom(freshMemory(SHORT));
    const { rig, interlock } = await connected({ eeprom });
    await rig.until(interlock.request("pump", millis(1000)));
    await rig.run(1000 + REST + 200);
    const { budgetLeft: before } = await rig.until(interlock.status());
    eeprom.left = writes;
    const asked = outcome(interlock.request("pump", millis(1000)));
    await rig.run(120);
    eeprom.left = Number.POSITIVE_INFINITY;
    rig.reset("power");
    await rig.until(asked);
    await rig.run(1000);
    const { budgetLeft } = await rig.until(interlock.status());
    t.ok(budgetLeft > 0 && budgetLeft <= before, `cut at write ${writes}: ${budgetLeft} of ${before} ms`);
  }
});

/** After how many bytes, a choice: a start changes four of the newer copy (serial, boots, CRC), and some more of the older one. */
const START_CUTS = [0, 1, 2, 3, 5, 8, 13, 21] as const;

t.test("a power cut in a start's records leaves what was known, and gives nothing back", async (t) => {
  for (const newer of CHIP === "avr" ? COPIES : [undefined]) {
    const sound = await inMidDose(newer);
    const { interlock } = await connected({ eeprom: new CutEeprom(sound) });
    const known = interlock.latest?.status.budgetLeft ?? 0;
    for (const writes of START_CUTS) {
      const eeprom = new CutEeprom(sound);
      eeprom.left = writes;
      const rig = new Rig({ build: SHORT, eeprom });
      await rig.run(150);
      eeprom.left = Number.POSITIVE_INFINITY;
      rig.reset("power");
      await rig.run(150);
      const left = (await reconnect(rig)).latest?.status.budgetLeft ?? 0;
      t.ok(left > 0 && left <= known, `cut at write ${writes}: ${left} of ${known} ms`);
    }
  }
});

t.test("a memory that no longer takes what is written closes nothing", async (t) => {
  const eeprom = new CutEeprom(freshMemory(SHORT));
  const { rig, interlock } = await connected({ eeprom });
  eeprom.left = 0;
  const asked = outcome(interlock.request("pump", millis(1000)));
  await rig.run(3000);
  t.equal(await rig.until(asked), "INTERLOCK_LOST");
  t.same(rig.edges, []);
});

/** A device that is about to write the record of a dose, and where its older copy begins. */
async function aboutToDose() {
  const eeprom = new CutEeprom(freshMemory(SHORT));
  const { rig, interlock } = await connected({ eeprom });
  const older = COPIES[newerOf(eeprom) === COPIES[0] ? 1 : 0];
  return { eeprom, rig, older, dose: () => outcome(interlock.request("pump", millis(1000))) };
}

/** Which bytes of a record a dose changes. */
async function changedByADose(): Promise<number[]> {
  const { eeprom, rig, older, dose } = await aboutToDose();
  const before = Uint8Array.from(eeprom.memory);
  await rig.until(dose());
  return [...before.keys()].filter((at) => before[at] !== eeprom.memory[at]).map((at) => at - older);
}

t.test(
  "a memory of which a single byte no longer takes what is written closes nothing",
  avrOnly("an entry of NVS is whole or not there"),
  async (t) => {
    const changed = await changedByADose();
    t.ok(changed.includes(0) && changed.length > 3, `a dose changes ${changed}`);
    for (const byte of changed) {
      const { eeprom, rig, older, dose } = await aboutToDose();
      eeprom.stuck = older + byte;
      void dose();
      await rig.run(150);
      t.same(rig.edges, [], `byte ${byte}`);
    }
  },
);

t.test(
  "a memory that fails while the light is on opens its contact at once, not when the watchdog bites",
  async (t) => {
    const eeprom = new CutEeprom(freshMemory(SHORT));
    const { rig, interlock } = await connected({ eeprom });
    await rig.run(1000);
    await rig.until(interlock.request("light", millis(9000)));
    eeprom.left = 0;
    const asked = rig.now;
    const pump = outcome(interlock.request("pump", millis(1000)));
    await rig.run(1000);
    const off = rig.edges.at(-1);
    t.match(off, { output: "light", on: false });
    t.ok((off?.at ?? 0) - asked < 100, `after ${(off?.at ?? 0) - asked} ms`);
    await rig.until(pump);
  },
);

t.test(
  "a memory that holds nothing sound is a spent budget, and a power cut does not refill it",
  async (t) => {
    const { rig, interlock } = await connected({ eeprom: blankEeprom() });
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "INTERLOCK_BUDGET");
    rig.reset("power");
    await rig.run(2000);
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "INTERLOCK_BUDGET");
    t.same(rig.edges, []);
    // 26 slots of a second in the short build
    await rig.run(26_500);
    t.equal(await rig.until(outcome(interlock.request("pump", millis(1000)))), "taken");
  },
);

t.test(
  "an account that is damaged during a dose is a fault when the dose ends, and gives nothing back",
  async (t) => {
    const { rig, interlock } = await connected();
    const before = (await rig.until(interlock.status())).budgetLeft;
    await rig.until(interlock.request("pump", millis(3000)));
    await rig.run(500);
    rig.damageSaved();
    await rig.run(3000);
    const [on = 0, ...more] = timesOn(rig, "pump");
    t.same(more, []);
    t.ok(on <= 3010, `on for ${on} ms`);
    const status = await rig.until(interlock.status());
    t.match(status.faults, [/memory was damaged/]);
    t.equal(status.budgetLeft, 0);
    t.equal(await rig.until(outcome(interlock.clear())), "INTERLOCK_FAULT");
    rig.reset("power");
    await rig.run(1500);
    const after = await rig.until(interlock.status());
    t.same(after.faults, []);
    t.ok(before - after.budgetLeft >= 3000, `${before} ms before, ${after.budgetLeft} after`);
  },
);

t.test(
  "an account that is damaged at rest is a fault when its slot is over, and is not written",
  async (t) => {
    const { rig, interlock } = await connected();
    await rig.until(interlock.request("pump", millis(1000)));
    await rig.run(1100);
    const before = (await rig.until(interlock.status())).budgetLeft;
    const written = Uint8Array.from(rig.eeprom.memory);
    rig.damageSaved();
    await rig.run(1100);
    t.equal((await rig.until(interlock.status())).faults.length, 1);
    t.same(rig.eeprom.memory, written);
    rig.reset("power");
    await rig.run(1500);
    const after = (await rig.until(interlock.status())).budgetLeft;
    t.ok(after > 0 && after <= before, `${before} ms before, ${after} after`);
  },
);

t.test("the budget is spent by doses, and comes back as they grow old", async (t) => {
  const { rig, interlock } = await connected();
  const asked = () => rig.until(outcome(interlock.request("pump", millis(2500))));
  const outcomes: string[] = [];
  for (let n = 0; n < 4; n++) {
    outcomes.push(await asked());
    await rig.run(3700);
  }
  t.match(outcomes, ["taken", "taken", "INTERLOCK_BUDGET", "INTERLOCK_BUDGET"]);
  t.ok(timesOn(rig, "pump").reduce((sum, on) => sum + on, 0) <= 8000);
  await rig.run(26_500);
  t.equal(await asked(), "taken");
});
