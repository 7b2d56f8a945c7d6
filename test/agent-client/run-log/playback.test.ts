import t from "tap";
import type { Reply } from "../../../agent-client/models/model.js";
import { Playback, type PlaybackEnded } from "../../../agent-client/run-log/playback.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { fail, ok, type Script } from "../scripted-runtime.js";
import { inTurns, linesOf, logOf, scripted, written } from "./written.js";

const call = (name: string, args: unknown = {}) => ({ id: `id-${name}`, name, arguments: args });
const CARES: Reply = {
  thinking: "Dry?",
  toolCalls: [call("read_moisture"), call("dispense_water", { ml: 20 })],
};
const RECORDS: Reply = {
  text: "Poured.",
  toolCalls: [call("write_plant_status", {}), call("log_thought", {})],
};
const RUN = { replies: [CARES, RECORDS] };

/** What a playback of a run writes, and the ends it tells of. */
async function played(text: string, script: Script = {}, turns = 1) {
  const ends: PlaybackEnded[] = [];
  const stop = new AbortController();
  const onEnd = (end: PlaybackEnded) => {
    ends.push(end);
    stop.abort(end);
  };
  const model = new Playback("run.jsonl", linesOf(text), onEnd);
  const again = await logOf(model, { script, turns, signal: stop.signal }).catch(() => undefined);
  return { again, ends, model };
}

/** Lines without what no two runs share. */
const bare = (text: string | undefined) =>
  linesOf(text ?? "").map((line) =>
    Object.fromEntries(Object.entries(line).filter(([key]) => !/^(at|took|took_ms|model)$/.test(key))),
  );

t.test("a run log alone plays a run back, failures included, without asking any model", async (t) => {
  const text = await written({
    ...RUN,
    replies: [CARES, RECORDS, { toolCalls: [] }, new Error("away")],
    turns: 2,
  });
  const { again, ends, model } = await played(text, {}, 2);
  t.strictSame(bare(again), bare(text));
  t.strictSame(ends, []);
  t.equal(model.name, "playback of scripted");
});

t.test("other figures are no other conversation", async (t) => {
  const answers = { read_moisture: () => ok({ value: 1, percent: 12 }) };
  t.strictSame((await played(await written(RUN), { answers })).ends, []);
});

t.test("what no longer fits ends the playback, and says what differs", async (t) => {
  const text = await written(RUN);
  const table: [string, Script, number, RegExp, boolean][] = [
    [
      "a call that is refused now",
      { answers: { dispense_water: () => fail("LEAK") } },
      1,
      /^playback of run\.jsonl: reply 2 does not fit: call 2 came to "dispense_water LEAK", and in the recording to "dispense_water ok"$/,
      false,
    ],
    [
      "a status that is not cleared",
      { answers: { write_plant_status: () => ok({ proceed: false }) } },
      1,
      /reply 3 .* call 1 came to "write_plant_status STATUS_REFUSED"/,
      false,
    ],
    ["a tool more", { answers: { sing: () => ok({}) } }, 1, /reply 1 .* other tools, with sing$/, false],
    ["a further cycle", {}, 2, /: all 3 recorded replies are given$/, true],
  ];
  for (const [title, script, turns, message, atItsEnd] of table) {
    const { ends, again } = await played(text, script, turns);
    t.match(ends, [{ message, atItsEnd }], title);
    t.equal(ends.length, 1, `${title}: it ends once`);
    t.equal(again, undefined, `${title}: the run ends with it`);
  }
});

/** The log of a turn in which a second model took the cycle over, and of one that the first completed. */
function takenOver(): Promise<string> {
  const clock = new SimulatedClock();
  const first = scripted(clock, { toolCalls: [call("read_moisture")] }, new Error("away"), CARES, RECORDS);
  const second = { ...scripted(clock, CARES, RECORDS), name: "second" };
  return logOf(inTurns(first, second), { clock, turns: 2 });
}

t.test("a cycle that a fallback took over is played back as one", async (t) => {
  const text = await takenOver();
  const { again, ends, model } = await played(text, {}, 2);
  t.strictSame(ends, []);
  const ended = (lines: string) => bare(lines).filter(({ kind }) => kind === "end");
  t.strictSame(
    ended(again ?? "").map(({ completed }) => completed),
    [false, true, true],
  );
  t.match(again, /"cycle":1.*"cycle":1.*"cycle":2/s);
  t.equal(model.name, "playback of scripted and second");
});

t.test("where nobody fails any more, the reply of a fallback is not given to another cycle", async (t) => {
  const lines = (await takenOver()).split("\n");
  const failed = lines.findIndex((line) => line.includes('"failed"'));
  const reply = JSON.stringify({ toolCalls: [call("write_plant_status"), call("log_thought")] });
  const done = '{"kind":"reply","at":"","model":"scripted","round":3,"took_ms":0,"reply":{"toolCalls":[]},';
  const told = '"told":["write_plant_status ok","log_thought ok"],"asked":{"characters":0,"tokens":0}}';
  const mended = (lines[failed] ?? "").replace('"failed":"away"', `"reply":${reply}`);
  const changed = lines.toSpliced(failed, 1, mended, done + told).join("\n");
  const { ends } = await played(changed, {}, 2);
  t.match(ends, [{ message: /reply 4 does not fit: in the recording second took over a cycle here/ }]);
});

t.test("a recording that was cut short ends within its cycle", async (t) => {
  const text = await written(RUN);
  const { ends } = await played(text.slice(0, text.lastIndexOf('{"kind":"reply"')));
  t.match(ends, [
    { message: /2 recorded replies are given, and the cycle asks for another in round 3$/, atItsEnd: false },
  ]);
});
