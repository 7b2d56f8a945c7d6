import { readFileSync } from "node:fs";
import t from "tap";
import {
  type Answer,
  decodeAnswer,
  encodeLine,
  type HostLine,
  LineReader,
  LONGEST_LINE,
  nextToken,
} from "../../drivers/devices/interlock/protocol.js";
import { millis } from "../../drivers/units.js";
import { WasmInterlock } from "./wasm-interlock.js";

interface Frame {
  readonly name: string;
  readonly at: number;
  readonly levels?: number;
  readonly line?: HostLine;
  readonly sent: string;
  readonly answer: string;
  readonly means?: Answer;
}

interface Damaged {
  readonly name: string;
  readonly answer: string;
}

const { frames, damagedAnswers } = JSON.parse(readFileSync("firmware/frames.json", "utf8")) as {
  readonly frames: readonly Frame[];
  readonly damagedAnswers: readonly Damaged[];
};

const bytes = (text: string) => Buffer.from(text, "latin1");

t.test("the firmware's code answers every frame of the table as the table says", async (t) => {
  const interlock = new WasmInterlock();
  for (const { name, at, levels = 0, sent, answer } of frames)
    t.equal(interlock.runTo(at, levels) + interlock.hear(bytes(sent), levels), answer, name);
});

t.test("the driver says every good line of the table as the table has it", async (t) => {
  const good = frames.filter(({ line }) => line);
  t.ok(good.length > 20);
  for (const { name, line, sent } of good) t.equal(line && encodeLine(line), sent, name);
});

t.test("the driver reads every answer of the table, however it is cut into pieces", async (t) => {
  for (const size of [1, 7, 1000]) {
    const heard: Answer[] = [];
    const reader = new LineReader((answer) => heard.push(answer));
    const all = bytes(frames.map(({ answer }) => answer).join(""));
    for (let at = 0; at < all.length; at += size) reader.push(all.subarray(at, at + size));
    t.same(
      heard,
      frames.flatMap(({ means }) => means ?? []),
    );
  }
});

t.test("the driver drops every damaged answer, and reads the one behind it", async (t) => {
  const sound = frames.find(({ answer }) => answer !== "");
  for (const { name, answer: damaged } of damagedAnswers) {
    const heard: Answer[] = [];
    new LineReader((answer) => heard.push(answer)).push(bytes(damaged + sound?.answer));
    t.same(heard, [sound?.means], name);
  }
});

t.test("no single flipped bit of an answer goes unnoticed", async (t) => {
  const answer = frames.find(({ means }) => means?.type === "S")?.answer.slice(1, -1) ?? "";
  for (let at = 0; at < answer.length * 8; at++) {
    const flipped = bytes(answer);
    flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (1 << (at & 7));
    t.equal(decodeAnswer(flipped.toString("latin1")), undefined, `bit ${at}`);
  }
});

t.test("an answer longer than any may be is dropped", async (t) => {
  const heard: Answer[] = [];
  const reader = new LineReader((answer) => heard.push(answer));
  reader.push(bytes(`:${"0".repeat(LONGEST_LINE * 100)}\n`));
  t.same(heard, []);
});

t.test("a step of the token can be taken back, so no token but zero leads to zero", async (t) => {
  let token = 1;
  for (let step = 0; step < 100_000; step++) {
    const next = nextToken(token);
    // The mask's top bit is set where a one was shifted out, and only there
    const before = next & 0x8000_0000 ? (((next ^ 0xa3000000) << 1) | 1) >>> 0 : (next << 1) >>> 0;
    if (before !== token) t.equal(before, token);
    token = next;
  }
  t.not(token, 0);
});

t.test("a number that its field cannot hold is refused, not cut", async (t) => {
  const duration = millis(1000);
  const order = 1;
  for (const wrong of [-1, 0.5, 0x1_0000_0000, Number.NaN])
    t.throws(() => encodeLine({ type: "P", token: 1, order, duration: millis(wrong) }), RangeError);
  t.throws(() => encodeLine({ type: "P", token: 1, order: 0x1_0000, duration }), RangeError);
});
