import t from "tap";
import { DriverError, type DriverErrorCode } from "../../drivers/errors.js";
import { minutes } from "../../drivers/units.js";
import { BoardWatch } from "../../runtime/services/inputs/index.js";
import { outbox } from "../../runtime/services/outbox/outbox.js";
import { CONTROL_LOG, control } from "../../runtime/services/people/control.js";
import { type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const STUCK = "basil-pump could not be switched off (EIO); trying on";

/** A board whose troubles are the test's. */
function watched(rig: Rig) {
  let tell = (_: DriverError) => {};
  const watchTroubles = (listener: typeof tell) => {
    tell = listener;
    return () => undefined;
  };
  const logged: string[] = [];
  const complaints: unknown[] = [];
  const watch = new BoardWatch({
    board: { watchTroubles, watchInputs: () => () => undefined, inputs: () => [], explanation: [] },
    stopEverything: async () => undefined,
    stopWater: async () => undefined,
    plants: ["basil"],
    outbox: rig.core.get(outbox),
    control: rig.core.get(control),
    clock: rig.clock,
    log: (_, message) => void logged.push(message),
    complain: (error) => void complaints.push(error),
  });
  void watch.begin();
  const trouble = async (code: DriverErrorCode, what = "the relays") => {
    tell(new DriverError(code, what));
    await watch.settled();
  };
  return { trouble, logged, complaints };
}

const lettersOf = async (rig: Rig): Promise<string[]> => {
  const { messages } = await rig.get("list_messages_from_agent", { limit: 50 }, HUMAN);
  return (messages as { content: string }[]).map(({ content }) => content);
};

t.test(
  "a trouble of the board is logged each time, and the person told once an hour of each kind",
  async (t) => {
    const rig = await rigFor(t);
    const { trouble, logged, complaints } = watched(rig);
    const told = async () => (await lettersOf(rig)).map((letter) => /[A-Z]+_[A-Z]+/.exec(letter)?.[0]);
    for (const code of ["GUARD_LOST", "GUARD_LOST", "PIN_FAILED", "BUS_FAILED"] as const) await trouble(code);
    t.same(await told(), ["PIN_FAILED", "GUARD_LOST"]);
    t.equal(logged.length, 4);
    await rig.pass(minutes(59));
    await trouble("GUARD_LOST");
    t.equal((await told()).length, 2);
    await rig.pass(minutes(1));
    await trouble("GUARD_LOST");
    t.equal((await told()).length, 3);
    t.same(complaints, []);
  },
);

t.test(
  "a relay that cannot be switched off puts everything on hold until a person lifts it, also over a restart",
  async (t) => {
    const rig = await rigFor(t);
    await watched(rig).trouble("PIN_FAILED", STUCK);
    for (const tool of ["dispense_water", "turn_on_light"]) {
      const args = tool === "dispense_water" ? { ml: 10 } : { minutes: 30 };
      t.match(await rig.refused(tool, args, HUMAN), { code: "HOLD", message: /basil-pump could not/ }, tool);
    }
    t.match(await lettersOf(rig), [/on hold.*tendril resume/s]);
    await rig.restart();
    t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "HOLD");
    await rig.get("set_hold", { hold: false }, HUMAN);
    await rig.water(10, HUMAN);
  },
);

t.test(
  "a relay that sticks on and on is held for once; after a person lifted that, it is held for and told of anew",
  async (t) => {
    const rig = await rigFor(t);
    const { trouble } = watched(rig);
    const holds = async () => {
      const all = [];
      for await (const entry of rig.core.house.journal(CONTROL_LOG).all()) all.push(entry.kind);
      return all.filter((kind) => kind === "hold").length;
    };
    await trouble("PIN_FAILED", STUCK);
    await trouble("PIN_FAILED", "a relay could not be switched off (EIO)");
    await trouble("PIN_FAILED", STUCK);
    t.equal(await holds(), 1);
    t.equal((await lettersOf(rig)).length, 2, "two ways to say it, each told of once");
    await rig.get("set_hold", { hold: false }, HUMAN);
    await trouble("PIN_FAILED", STUCK);
    t.equal(await holds(), 2);
    t.equal((await lettersOf(rig)).length, 3);
  },
);

t.test(
  "a stop button's hold does not stand for a relay's, and a guard that died holds nothing",
  async (t) => {
    const rig = await rigFor(t);
    const { trouble } = watched(rig);
    await trouble("GUARD_LOST");
    await rig.water(10, HUMAN);
    await rig.get("set_hold", { hold: true, reason: "away" }, HUMAN);
    await trouble("PIN_FAILED", STUCK);
    t.match(await rig.refused("dispense_water", { ml: 10 }, HUMAN), { message: /basil-pump could not/ });
  },
);

t.test(
  "of the same trouble twice at once the person is told once, with the hold that follows from it",
  async (t) => {
    const rig = await rigFor(t);
    const { trouble } = watched(rig);
    await Promise.all([trouble("PIN_FAILED", STUCK), trouble("PIN_FAILED", STUCK)]);
    t.match(await lettersOf(rig), [/on hold.*tendril resume/]);
    t.equal((await lettersOf(rig)).length, 1);
  },
);

t.test("a hold that the disk refuses is in force all the same, and complained of", async (t) => {
  const rig = await rigFor(t);
  const { trouble, complaints } = watched(rig);
  const empty = rig.fillDisk();
  await trouble("PIN_FAILED", STUCK);
  empty();
  t.equal((await rig.refused("dispense_water", { ml: 10 }, HUMAN)).code, "HOLD");
  t.equal(complaints.length, 1);
});
