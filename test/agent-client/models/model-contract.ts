import type { Test } from "tap";
import { schemaFor } from "../../../agent-client/models/decider/decision.js";
import { TALK_SCHEMA } from "../../../agent-client/models/decider/talk.js";
import { createModel } from "../../../agent-client/models/index.js";
import type { Reply } from "../../../agent-client/models/model.js";
import { AgentInRig } from "../../agent-in-rig.js";
import { rigFor } from "../../rig.js";
import { CALLED, OPENING, PHOTOGRAPHED, TOOLS, UNSEEN } from "./conversations.js";
import { type Answering, inOrder, type Json } from "./fake-server.js";
import { serverContract } from "./server-contract.js";
import { type Asking, askingBy, environmentOf, type Heard, type Speaker } from "./speaker.js";
import { wateringBy } from "./watering.js";

const READ = { name: "read_moisture", arguments: {} };

/** All that the program asks by a schema. */
const SCHEMAS = [
  schemaFor({ water: [0, 20], light: [0], words: ["memory"], looks: ["as usual", "in 1 hour"] }),
  TALK_SCHEMA,
];
/** Without the lengths, which an API may leave out or say in words. */
const core = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema ?? null, (key, value) =>
      key === "maxLength" || key === "description" ? undefined : value,
    ),
  );
const WANTED =
  /^It is time\.\n\nAnswer with one JSON text of this schema, and with nothing else: \{"type":"object"/;

/** What every provider of models has to promise, whatever its server's format. */
export function modelContract(t: Test, speaker: Speaker): void {
  const asking = askingBy(speaker);
  conversations(t, speaker, asking);
  replies(t, speaker, asking);
  bounds(t, speaker, asking);
  schemas(t, speaker, asking);
  serverContract(t, speaker, asking);
  cycles(t, speaker);
}

function conversations(t: Test, { says, seeds = true }: Speaker, asking: Asking): void {
  t.test("a conversation goes out whole, with the tools", async (t) => {
    const { ask, told } = await asking(t, says({}));
    await ask(CALLED);
    const pour = { name: "dispense_water", arguments: {} };
    const messages: readonly Heard[] = [
      { role: "system", text: "Care." },
      { role: "user", text: "It is time." },
      {
        role: "assistant",
        text: "Let me see.",
        calls: [READ, { ...pour, arguments: { ml: 20 } }, pour],
      },
      { role: "tool", text: '{"percent":40}', tool: "read_moisture" },
      { role: "tool", text: '{"dispensed":20}', tool: "dispense_water" },
      { role: "tool", text: '{"error":{}}', tool: "dispense_water" },
    ];
    t.strictSame(told()[0]?.messages, messages);
    t.strictSame(
      told()[0]?.tools,
      TOOLS.map(({ name }) => name),
    );
  });

  t.test(
    "a model that sees gets a picture after all answers; another is told that there was one",
    async (t) => {
      for (const sees of [true, false]) {
        const { ask, told, server } = await asking(t, says({}), { sees });
        await ask(PHOTOGRAPHED);
        const [, , , photo, , ...after] = told()[0]?.messages ?? [];
        const picture = { role: "user", text: "The picture of capture_photo:", pictures: ["/9j/4AAQ"] };
        t.strictSame(after, sees ? [picture] : []);
        t.match(photo, { role: "tool", text: sees ? /^\{"dark":false\}$/ : UNSEEN });
        t.equal(JSON.stringify(server.asked).includes("/9j/4AAQ"), sees);
      }
    },
  );

  t.test("limit, temperature and seed go out as they are asked for", async (t) => {
    const { ask, told } = await asking(t, says({}));
    for (const options of [{ seed: 7 }, undefined]) await ask(OPENING, options);
    t.match(told(), [
      { ...(seeds && { seed: 7 }), temperature: 0.3, limit: 4000 },
      { ...(seeds && { seed: 1 }), temperature: 0, limit: 4000 },
    ]);
    const limited = await asking(t, says({}), { replyTokens: 900 });
    await limited.ask();
    t.match(limited.told(), [{ limit: 900 }]);
  });
}

/** A reply without what only its provider understands. */
const shared = (reply: Reply): Reply => ({
  ...reply,
  toolCalls: reply.toolCalls.map(({ providerData: _, ...call }) => call),
});

function replies(t: Test, { says, usage, caches = true }: Speaker, asking: Asking): void {
  t.test("a reply comes back with its text, its thinking, its calls and its tokens", async (t) => {
    const pour = { name: "dispense_water", arguments: { ml: 20 } };
    const table: [string, Answering, Reply][] = [
      [
        "text alone",
        says({ content: "All is well.", thinking: "Moist." }),
        { text: "All is well.", thinking: "Moist.", usage, toolCalls: [] },
      ],
      [
        "parallel calls, with ids or without; broken arguments as they are",
        says({ calls: [READ, { ...pour, id: "call_x1" }, { ...pour, arguments: '{"ml":' }] }),
        {
          usage,
          toolCalls: [
            { id: "call-1", ...READ },
            { id: "call_x1", ...pour },
            { id: "call-3", ...pour, arguments: '{"ml":' },
          ],
        },
      ],
      [
        "a call without a name, beside one that has one",
        says({ calls: [{ arguments: {} }, READ] }),
        {
          usage,
          toolCalls: [
            { id: "call-1", name: "call_without_a_name", arguments: {} },
            { id: "call-2", ...READ },
          ],
        },
      ],
      ["nothing", says({}), { usage, toolCalls: [] }],
    ];
    for (const [title, script, reply] of table)
      t.strictSame(shared(await (await asking(t, script)).ask()), reply, title);
  });

  if (caches)
    t.test("tokens from the cache are told apart, and are part of those read", async (t) => {
      const { ask } = await asking(t, says({ content: "Well.", cached: 40 }));
      t.strictSame((await ask()).usage, { ...usage, cached: 40 });
    });

  t.test("ids are unique in the conversation, whatever the server sends", async (t) => {
    const calls = ["call-2", undefined, "a", "a"].map((id) => ({ ...READ, ...(id && { id }) }));
    const { ask } = await asking(t, says({ calls }));
    for (let time = 0; time < 2; time += 1)
      t.strictSame(
        (await ask(CALLED)).toolCalls.map(({ id }) => id),
        ["call-4", "call-5", "a", "call-7"],
        "and the same each time",
      );
  });
}

function bounds(t: Test, { says, usage }: Speaker, asking: Asking): void {
  t.test("a reply that the limit cuts off has failed, and the limit and its key are named", async (t) => {
    const cut = says({ content: "The", cut: true });
    const limited = await asking(t, cut, { replyTokens: usage.output });
    const message = new RegExp(
      `:small's reply was cut off at the limit of ${usage.output} tokens: .* or set reply_tokens in the agent's`,
    );
    await t.rejects(limited.ask(), { name: "ModelError", kind: "cycle", message, usage });
    const before = await asking(t, cut);
    await t.rejects(before.ask(), {
      name: "ModelError",
      kind: "cycle",
      message: new RegExp(
        `cut \\w+:small's reply off after ${usage.output} tokens, less than our limit of 4000: its context is full, or`,
      ),
      usage,
    });
  });

  t.test("names and ids beyond all measure are not sent back in every round", async (t) => {
    const calls = [{ id: "i".repeat(1e6), name: "n".repeat(1e6), arguments: {} }];
    const { toolCalls } = shared(await (await asking(t, says({ calls }))).ask());
    t.strictSame(toolCalls, [{ id: "call-1", name: "n".repeat(100), arguments: {} }]);
  });

  t.test("text and arguments beyond all measure are left out of what is sent back, and say so", async (t) => {
    const long = { name: "read_moisture", arguments: { a: "x".repeat(60_000) } };
    const asText = { ...long, arguments: JSON.stringify(long.arguments) };
    const given = [long, asText, { name: "dispense_water", arguments: { ml: 20 } }];
    const { ask } = await asking(t, says({ content: "z".repeat(7_000_000), calls: given }));
    const { text = "", toolCalls } = await ask();
    t.match(text, /z\n\(cut here: 6900000 more characters\)$/);
    t.equal(text.length < 100_100, true);
    t.strictSame(
      toolCalls.map((call) => call.arguments),
      [
        long.arguments,
        "(left out: 60008 characters; all arguments of one reply may have 100000)",
        { ml: 20 },
      ],
      "as long as there is room",
    );
  });

  t.test("arguments that are nested without an end are left out", async (t) => {
    let deep: Json = {};
    for (let depth = 0; depth < 1000; depth += 1) deep = { a: deep };
    const { toolCalls } = await (await asking(t, says({ calls: [{ ...READ, arguments: deep }] }))).ask();
    t.match(toolCalls, [{ name: "read_moisture", arguments: "(left out: nested too deep)" }]);
  });
}

function schemas(t: Test, { says, refusesSchema }: Speaker, asking: Asking): void {
  t.test("an answer by a schema is asked for by it, or in words, and no tool is offered", async (t) => {
    for (const schema of SCHEMAS) {
      const { ask, told } = await asking(t, says({ content: '{"water": true}' }));
      t.match(await ask(OPENING, { schema }), { text: '{"water": true}', toolCalls: [] });
      const [asked] = told();
      t.strictSame(core(asked?.schema), refusesSchema ? core(schema) : null);
      t.match(asked?.messages, [{}, { text: refusesSchema ? /^It is time\.$/ : WANTED }]);
      t.strictSame(asked?.tools, []);
    }
  });

  t.test("a server that holds no answer to a schema is asked for it in words, from then on", async (t) => {
    for (const refusal of refusesSchema ?? []) {
      const words = says({ content: "{}" });
      const { ask, told } = await asking(t, inOrder(refusal, words, words, says({})));
      for (const schema of SCHEMAS) t.match(await ask(OPENING, { schema }), { text: "{}" });
      await ask();
      t.strictSame(
        told().map(({ schema }) => schema !== undefined),
        [true, false, false, false],
      );
      for (const { messages } of told().slice(1, 3))
        t.match(messages, [
          { role: "system", text: /^Care\.$/ },
          { role: "user", text: WANTED },
        ]);
      t.equal(told()[3]?.messages[1]?.text, "It is time.", "without a schema nothing is added");
    }
  });
}

function cycles(t: Test, speaker: Speaker): void {
  const modelAt = (url: string) => createModel(`${speaker.provider}:small`, environmentOf(speaker, url));

  t.test("a model cares for a plant: looks, decides, waters, logs and stops", async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z" });
    const { looks, decides, waters, logs, ends } = wateringBy(speaker);
    const { server, url } = speaker.serve(t, inOrder(looks, decides, waters, logs, ends));
    const agent = new AgentInRig(rig, modelAt(await url));
    t.equal(await agent.turn(), true, agent.story);
    t.match(agent.story, /completed {3}7 calls/);
    t.match(await rig.get("get_water_usage_24h"), { used_ml: 20, events: 1 });
    t.equal(server.asked.length, 5);
    const tools = new Set(server.asked.map(({ tools }) => JSON.stringify(tools)));
    t.equal(tools.size, 1, "the same tools each time");
  });

  t.test("a model that is not there waters nothing, and the story says what to do", async (t) => {
    const rig = await rigFor(t);
    const { url } = speaker.serve(t, speaker.missing.answer);
    const agent = new AgentInRig(rig, modelAt(await url));
    t.equal(await agent.turn(), false);
    const story = agent.story.replace(/\s+/g, " ");
    t.match(story, /incomplete .*\(0 calls/);
    t.match(story, speaker.missing.advice);
    t.match(await rig.get("get_water_usage_24h"), { used_ml: 0 });
  });
}
