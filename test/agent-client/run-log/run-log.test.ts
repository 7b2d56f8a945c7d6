import { createHash } from "node:crypto";
import t from "tap";
import type { Runtime } from "../../../agent-client/link/runtime.js";
import type { Reply } from "../../../agent-client/models/model.js";
import { inWords, summaryOf } from "../../../agent-client/run-log/lines.js";
import { parseLines, sentNoSecrets } from "../../../agent-client/run-log/log-files.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { fail, ok } from "../scripted-runtime.js";
import { inTurns, linesOf, logOf, scripted, storyOf, written } from "./written.js";

const call = (name: string, args: unknown = {}) => ({ id: `id-${name}`, name, arguments: args });
const LOOKS: Reply = {
  thinking: "Is it dry?",
  usage: { input: 1000, output: 20 },
  toolCalls: [call("get_current_time"), call("read_moisture")],
};
const DECIDES: Reply = {
  text: "It is dry.",
  usage: { input: 1100, output: 30, cached: 1000 },
  toolCalls: [
    call("write_plant_status", { reasoning: "dry" }),
    call("dispense_water", { ml: 1000 }),
    call("log_thought"),
  ],
};
const script = { answers: { dispense_water: () => fail("BUDGET_EXCEEDED") } };

t.test(
  "a run is written down: what was asked, thought, called, answered and refused, and how it ended",
  async (t) => {
    const lines = linesOf(await written({ script, replies: [LOOKS, DECIDES] }));
    t.strictSame(
      lines.map(({ kind }) => kind),
      ["cycle", "tools", "reply", "call", "call", "reply", "call", "call", "call", "reply", "end"],
    );
    t.match(lines[0], { cycle: 1, model: "scripted", prompt: { characters: Number, tokens: Number } });
    t.match(lines[2], { round: 1, told: [], took_ms: 1500, reply: LOOKS, asked: { characters: Number } });
    t.match(lines[5], { round: 2, told: ["get_current_time ok", "read_moisture ok"], reply: DECIDES });
    t.match(lines[7], {
      tool: "dispense_water",
      arguments: { ml: 1000 },
      error: { code: "BUDGET_EXCEEDED" },
      took_ms: 0,
    });
    t.match(lines.at(-1), { completed: true, rounds: 3, calls: 5, tokens: { input: 2100, output: 50 } });
  },
);

t.test(
  "a reply that does not come is written down with its reason, and arguments that are none as they were",
  async (t) => {
    const broken: Reply = { toolCalls: [call("dispense_water", '{"ml": 1')] };
    const lines = linesOf(await written({ replies: [broken, new Error("the model is away")] }));
    t.match(
      lines.find(({ kind }) => kind === "call"),
      { arguments: '{"ml": 1', error: { code: "INVALID_ARGUMENT" } },
    );
    t.match(
      lines.findLast(({ kind }) => kind === "reply"),
      { failed: "the model is away", round: 2 },
    );
  },
);

t.test("a run reads as a story", async (t) => {
  t.equal(
    storyOf(await written({ script, replies: [LOOKS, DECIDES], turns: 2 })),
    `12:30  cycle 1   moisture 60.0 % (raw 17 812)
       thought     Is it dry?
       said        It is dry.
       decided     dry
       refused     dispense_water: BUDGET_EXCEEDED, no
       completed   5 calls in 4.5 s
       tokens      2 100 in (1 000 cached), 50 out
--:--  cycle 2
       incomplete  the model stopped without a cleared plant status (0 calls in
                   1 round)
`,
  );
});

t.test("the summary counts cycles, doses, refusals by code and tokens", async (t) => {
  const text = await written({
    script,
    replies: [LOOKS, DECIDES, { toolCalls: [] }, new Error("away")],
    turns: 2,
  });
  t.strictSame(inWords(summaryOf(linesOf(text))), [
    ["cycles", "2, of which 1 completed"],
    ["calls", "5, of which 0 doses"],
    ["refusals", "BUDGET_EXCEEDED 1"],
    ["replies", "3, and 1 failure"],
    ["tokens", "2 100 in (1 000 cached), 50 out"],
  ]);
});

t.test(
  "a cycle that a crash cut short is told as far as it got, and the torn line is set aside",
  async (t) => {
    const whole = await written({ script, replies: [LOOKS, DECIDES] });
    const torn = whole.slice(0, whole.indexOf("BUDGET_EXCEEDED"));
    t.match(parseLines(torn), { unread: 1, lines: { length: 7 } });
    t.match(
      storyOf(torn),
      /thought {5}Is it dry\?\n {7}said .*\n {7}decided {5}dry\n {7}so far {6}3 calls; the cycle is still running, or was stopped here/,
    );
  },
);

t.test(
  "no secret is ever written, whoever says it: known ones, bearer headers, and what opens a photo",
  async (t) => {
    const secrets = ["token-0123456789", 'odd"key\\9876'];
    const url = "http://pi/photos/1.jpg?plant=basil&expires=1&signature=c2lnbmF0dXJl";
    const replies = [
      {
        thinking: secrets[0] ?? "",
        text: `Authorization: Bearer abcdef0123456789 ${secrets[1]}`,
        toolCalls: [
          call("log_thought", { said: secrets }),
          call("capture_photo"),
          call("read_moisture", secrets[1]),
        ],
      },
      new Error(`refused ${secrets[1]}`),
    ];
    const answers = {
      capture_photo: () => ok({ url }),
      log_thought: () => fail("NO", { message: secrets.join() }),
    };
    const text = await written({ script: { answers }, replies, secrets });
    for (const secret of [...secrets, 'odd\\"key', "abcdef0123456789", "c2lnbmF0dXJl"])
      t.notOk(text.includes(secret), secret);
    t.equal(parseLines(text).unread, 0, "and every line is JSON all the same");
  },
);

t.test(
  "a cycle that another model takes over is written down twice, told as one story, and counted once",
  async (t) => {
    const clock = new SimulatedClock();
    const second = { ...scripted(clock, LOOKS, DECIDES), name: "second" };
    const models = inTurns(scripted(clock, LOOKS, new Error("the model is away")), second);
    const text = await logOf(models, { clock, script });
    const lines = linesOf(text);
    t.match(
      lines.filter(({ kind }) => kind === "cycle"),
      [
        { cycle: 1, model: "scripted" },
        { cycle: 1, model: "second" },
      ],
    );
    t.match(
      lines.filter(({ kind }) => kind === "end"),
      [
        { completed: false, reason: "the model is away", next: "second" },
        { completed: true, cleared: true },
      ],
    );
    t.match(storyOf(text), /thought .*\n.*no reply {4}the model is away\n.*incomplete .*completed/s);
    t.match(inWords(summaryOf(lines))[0], ["cycles", "1, of which 1 completed"]);
  },
);

t.test("the tokens that came from the provider's cache are kept, shown and summed up", async (t) => {
  const cached: Reply = { ...LOOKS, usage: { input: 1000, output: 20, cached: 900 } };
  const text = await written({ script, replies: [cached, DECIDES] });
  const lines = linesOf(text);
  t.match(
    lines.find(({ kind }) => kind === "reply"),
    { reply: { usage: { cached: 900 } } },
  );
  t.match(lines.at(-1), { tokens: { input: 2100, output: 50, cached: 1900 } });
  t.match(storyOf(text), /tokens {6}2 100 in \(1 900 cached\), 50 out/);
  t.strictSame(inWords(summaryOf(lines)).at(-1), ["tokens", "2 100 in (1 900 cached), 50 out"]);
});

t.test("a picture is known by size and hash, and not kept", async (t) => {
  const data = Buffer.from("a picture").toString("base64");
  const answers = { capture_photo: () => ({ ...ok({ url: "x" }), images: [{ type: "image/jpeg", data }] }) };
  const replies = [{ toolCalls: [call("capture_photo", { include_image: true })] }];
  const sha256 = createHash("sha256").update("a picture").digest("hex");
  const text = await written({ script: { answers }, replies });
  const found = linesOf(text).find(({ kind }) => kind === "call");
  t.match(found, { images: [{ type: "image/jpeg", bytes: 9, sha256 }] });
  t.notOk(text.includes(data));
});

t.test(
  "no secret of the agent reaches the runtime in a call, however deep; a photo's link does",
  async (t) => {
    const sent: unknown[] = [];
    const runtime = {
      call: async (...given: unknown[]) => sent.push(given),
      tools: async () => [],
    } as unknown as Runtime;
    const careful = sentNoSecrets(runtime, ["sk-1234567890", undefined]);
    const link = "http://pi/photos/1.jpg?signature=abc";
    await careful.call("log_thought", { reasoning: "key: sk-1234567890", deep: [{ "sk-1234567890": link }] });
    const clean = { reasoning: "key: [secret]", deep: [{ "[secret]": link }] };
    t.match(sent, [["log_thought", clean]]);
    t.same(await careful.tools(), []);
  },
);
