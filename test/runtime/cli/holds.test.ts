import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { DriverError } from "../../../drivers/errors.js";
import { seconds } from "../../../drivers/units.js";
import { CommandError } from "../../../runtime/cli/failure.js";
import { clear, hold, off, release, resume } from "../../../runtime/cli/holds.js";
import type { Remote } from "../../../runtime/cli/remote.js";
import { servedWithTokens } from "../../contract/served.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "./rig-remote.js";

const TWO = `server: { calls_per_second: 100000 }
plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]`;
const START = "2026-06-01T08:00:00.000Z";

t.test("release says whose care ended, or that nobody held one", async (t) => {
  const rig = await rigFor(t, { start: START });
  const remote = rigRemote(rig);
  t.equal(await release(remote, undefined), "no agent holds the care of basil");
  await rig.status([], {}, { instance: "attic" });
  t.equal(
    await release(remote, "basil"),
    "agent (attic) no longer cares for basil: any agent may begin now. It may take the care again unless you stop it.",
  );
  await t.rejects(release(remote, "rose"), /no plant rose; there is: basil/);
});

t.test("of several plants release wants to know which, or all", async (t) => {
  const rig = await rigFor(t, { config: TWO });
  const remote = rigRemote(rig);
  await rig.status([], { plant: "basil" }, { instance: "attic" });
  await rig.status([], { plant: "fern" }, { instance: "cellar" });
  t.match(await release(remote, "fern"), /^agent \(cellar\) no longer cares for fern/);
  t.match(await release(remote, undefined), /^agent \(attic\) no longer cares for basil/);
  t.equal(await release(remote, undefined), "no agent holds the care of basil, fern");
});

t.test("clear says what it cleared, and where nothing was locked it says that", async (t) => {
  const rig = await rigFor(t, {
    start: START,
    config: `${TWO}\ninputs: [{ kind: leak, name: tray, gpio: 6 }]`,
  });
  const remote = rigRemote(rig);
  t.equal(await clear(remote, undefined), "no pump was locked: nothing was changed");
  rig.bench.setInput("tray", true);
  await rig.core.settled();
  const wet =
    /^the leak sensor "tray" is wet \(basil, fern\): find the leak and dry the sensor; then do the same again/;
  for (const plant of [undefined, "fern"])
    await t.rejects(clear(remote, plant), { code: "INPUT_ACTIVE", message: wet });
  rig.bench.setInput("tray", false);
  await rig.core.settled();
  const said = (await clear(remote, "fern")).split("\n");
  t.same(said, ['cleared fern: LEAK since 2026-06-01 08:00 (the leak sensor "tray" was wet)']);
  t.match(await clear(remote, undefined), /^cleared basil: LEAK since/);
});

t.test("what was lifted is in the record, and what changed nothing is not", async (t) => {
  const rig = await rigFor(t, { start: START });
  const remote = rigRemote(rig);
  const kinds = async () => {
    const text = await readFile(join(rig.state, "journal/control.jsonl"), "utf8");
    const all = text.split("\n").filter(Boolean);
    return all.map((line) => /"kind":"(\w+)"/.exec(line)?.[1]).filter((kind) => kind !== "answered");
  };
  await clear(remote, "basil");
  await resume(remote, undefined);
  t.same(await kinds(), []);
  await rig.water(10, { as: "human" });
  t.equal(
    await clear(remote, undefined),
    "no pump was locked. Noted that you have looked: the water until now needs no response of the soil any more",
  );
  t.equal(await clear(remote, "basil"), "basil was not locked: nothing was changed", "once is enough");
  await hold(remote, undefined);
  await resume(remote, undefined);
  t.same(await kinds(), ["clear", "hold", "resume"]);
});

t.test("resume says which hold it lifted, and where none was it says that", async (t) => {
  const rig = await rigFor(t, { start: START, config: TWO });
  const remote = rigRemote(rig);
  t.equal(await resume(remote, undefined), "nothing was on hold");
  t.equal(await resume(remote, "fern"), "fern was not on hold");
  await remote.call("set_hold", { hold: true, plant: "fern", reason: "repotting" });
  t.equal(await resume(remote, "basil"), "basil was not on hold");
  t.equal(
    await resume(remote, "fern"),
    "lifted the hold of fern since 2026-06-01 08:00 (repotting): it may be switched on again",
  );
});

t.test(
  "the hint of a plant's hold is for that plant; one plant under the hold of all is told once",
  async (t) => {
    const remote = rigRemote(await rigFor(t, { start: START, config: TWO }));
    t.match(await hold(remote, "fern"), /until "tendril resume fern"$/);
    await resume(remote, "fern");
    await hold(remote, undefined);
    await t.rejects(resume(remote, "fern"), {
      message:
        "all plants are on hold, fern among them: a person has to lift the hold (`tendril resume`) (HOLD)",
    });
  },
);

t.test("while a stop button is pressed, resume says which, and what to do", async (t) => {
  const rig = await rigFor(t, { start: START, config: "inputs: [{ kind: stop, name: red, gpio: 5 }]" });
  rig.bench.setInput("red", true);
  await rig.core.settled();
  await t.rejects(resume(rigRemote(rig), undefined), {
    message: /^the stop button "red" is pressed \(basil\): release the button; then do the same again/,
  });
});

t.test("off sets its hold also where a relay does not go off, and is loud about that", async (t) => {
  const rig = await rigFor(t);
  const { url } = await servedWithTokens(t, rig);
  const pump = rig.core.board.plants.get("basil")?.pump ?? {};
  Object.assign(pump, { stop: () => Promise.reject(new DriverError("PIN_FAILED", "the basil-pump sticks")) });
  await t.rejects(off({ state: rig.state, url }), /PUMPS AND LIGHTS MAY BE ON: .*the basil-pump sticks/);
  Reflect.deleteProperty(pump, "stop");
  t.equal((await rig.refused("turn_on_light", { minutes: 30 }, { as: "human" })).code, "HOLD");
});

t.test("a hold whose answer a hanging disk keeps back is in force, and it is said so", async (t) => {
  const rig = await rigFor(t);
  const release = rig.disk.hang();
  const remote = rigRemote(rig);
  const late = new CommandError("no answer within 10 s (NO_ANSWER)");
  const impatient: Remote = {
    ...remote,
    call: async <T>(tool: string, args?: object) => {
      const answer = remote.call<T>(tool, args as never);
      if (tool !== "set_hold") return answer;
      await rig.pass(seconds(10));
      throw late;
    },
  };
  await t.rejects(hold(impatient, undefined), {
    message: /^everything is on hold, but perhaps only until the runtime restarts: .*NO_ANSWER/,
  });
  release();
});

t.test("a hold that a full disk refuses is in force, and it is said until when", async (t) => {
  const rig = await rigFor(t);
  const full = rig.disk.fill();
  await t.rejects(hold(rigRemote(rig), undefined), {
    message: /^everything is on hold, but only until the runtime restarts: .*ENOSPC.*STORE_FAILED/,
  });
  full();
});
