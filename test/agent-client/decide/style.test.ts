import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../../agent-client/clock.js";
import { runCycle } from "../../../agent-client/cycle/cycle.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";
import { identityOf, type StyleAsked, StyledModel, stylesFile } from "../../../agent-client/models/style.js";
import { tryTools } from "../../../agent-client/models/trial.js";
import { DurableFile } from "../../../agent-client/state/state-folder.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes, seconds } from "../../../drivers/units.js";
import { never } from "../models/conversations.js";
import { failure } from "../models/spoken.js";
import { call } from "../scripted-model.js";
import { ok, ScriptedRuntime } from "../scripted-runtime.js";
import { answer, DecidingModel } from "./deciding-model.js";

const STATUS = {
  timestamp: "2026-06-01T10:00:00.000Z",
  sensor_reading: 11_734,
  water_24h: 35,
  light_today: 240,
  plant_state: "stressed",
  next_action_sequence: [{ order: 1, action: "water", value: 20 }],
  reasoning: "dry",
};

/** Replies in turn, by the calls that a capable model makes; a changed status makes it less capable. */
function calling(status: Readonly<Record<string, unknown>> = STATUS): Model & { asked: number } {
  const replies = [
    ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"].map((name) =>
      call(name),
    ),
    [call("log_thought", { observation: "dry", reasoning: "water" }), call("write_plant_status", status)],
    [call("dispense_water", { ml: 20 }), call("log_action", { type: "water", details: {} })],
  ];
  return {
    name: "able",
    asked: 0,
    async respond(conversation: readonly Message[]): Promise<Reply> {
      this.asked += 1;
      return { toolCalls: replies[conversation.filter(({ role }) => role === "assistant").length] ?? [] };
    },
  };
}

t.test("a model that cares for the test plant by calls can call", async (t) => {
  t.match(await tryTools(calling(), new SimulatedClock(), never), { canCall: true, isSure: true });
});

t.test("one that miscopies figures, only talks, or fails half way cannot", async (t) => {
  t.match(await tryTools(calling({ ...STATUS, water_24h: 465 }), new SimulatedClock(), never), {
    canCall: false,
    isSure: true,
  });
  const talks: Model = { name: "talks", respond: async () => ({ text: "I water it.", toolCalls: [] }) };
  t.match(await tryTools(talks, new SimulatedClock(), never), {
    canCall: false,
    isSure: true,
    why: /without a cleared plant status/,
  });
});

t.test("a slow one is not waited for", async (t) => {
  const clock = new SimulatedClock();
  const slow: Model = {
    name: "slow",
    respond: (_, __, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  const probing = tryTools(slow, clock, never);
  await clock.advance(minutes(4));
  t.match(await probing, {
    canCall: false,
    isSure: true,
    why: "it was not done with a test plant within 3 minutes",
  });
});

t.test("one that is away was not tried", async (t) => {
  const away: Model = { name: "away", respond: async () => Promise.reject(failure("away")) };
  t.match(await tryTools(away, new SimulatedClock(), never), { canCall: false, isSure: false });
});

/** A model as the agent has it, with its own folder; `identity` is what its server tells of its weights. */
function styled(
  t: Test,
  model: Model,
  { style = "auto", identity = "a" }: { style?: StyleAsked; identity?: string } = {},
) {
  const said: string[] = [];
  const file = new DurableFile(join(t.testdirName, "styles.json"), stylesFile);
  const parts = {
    style,
    tools: "care",
    file,
    clock: new SystemClock(),
    newKey: () => "k",
    say: (text: string) => said.push(text),
  } as const;
  const identityOf = async () => identity;
  return { said, model: new StyledModel(model, { ...parts, identity: identityOf }) };
}

async function cycle(model: Model) {
  const runtime = new ScriptedRuntime({ answers: { list_tasks: () => ok({ tasks: [] }) } });
  const log = { began() {}, progress() {}, waits() {}, answered() {}, ended() {} };
  const prompt = { system: "Care.", opening: "Plant 0: Basil1 (basil)\nNow." };
  return runCycle({
    runtime,
    model,
    prompt,
    maxRounds: 24,
    clock: new SimulatedClock(),
    log,
    signal: never,
    newKey: () => "k",
  });
}

t.test("a model that cannot call decides, and that is kept by its weights", async (t) => {
  t.testdir({});
  const model = new DecidingModel((state) => (state.startsWith("Plant: ") ? answer() : "I would water it."));
  const first = styled(t, model);
  t.equal((await cycle(first.model)).completed, true);
  t.match(
    first.said.at(-1),
    /deciding works in the style "decide", one answer a cycle: by calls of tools, the model stopped without/,
  );
  const again = styled(t, model);
  t.equal((await cycle(again.model)).completed, true);
  t.equal(again.said.length, 1, "not tried again");
  const others = styled(t, model, { identity: "b" });
  await cycle(others.model);
  t.match(others.said[0], /is tried with a test plant/, "other weights of that name");
  t.match(JSON.parse(readFileSync(join(t.testdirName, "styles.json"), "utf8")), {
    models: { deciding: { identity: "b", style: "decide" } },
  });
});

t.test("a model that can call is shown the tools of a care cycle", async (t) => {
  t.testdir({});
  const { model, said } = styled(t, calling());
  await cycle(model);
  t.match(said.at(-1), 'able works in the style "calls": it cared for a test plant');
  t.equal(model.toolSet, "care");
});

t.test("a style that a person sets is not tried", async (t) => {
  t.testdir({});
  const model = new DecidingModel(() => answer());
  const { model: set, said } = styled(t, model, { style: "decide" });
  t.equal((await cycle(set)).completed, true);
  t.strictSame(said, []);
  t.equal(model.asked.length, 1);
});

t.test("a server that never says which weights it has is not waited for", async (t) => {
  const clock = new SimulatedClock();
  const silent = identityOf({ identity: () => new Promise(() => undefined), clock }, never);
  await clock.advance(seconds(11));
  t.equal(await silent, null);
});

t.test(
  "in a chat a model that decides is asked once, by a schema; one that calls gets the tools",
  async (t) => {
    t.testdir({});
    const asked: (readonly [tools: number, hasSchema: boolean])[] = [];
    const model: Model = {
      name: "asked",
      respond: async (_, tools, __, options) => {
        asked.push([tools.length, options?.schema !== undefined]);
        return { text: JSON.stringify({ wishes: [], answer: "Fine." }), toolCalls: [] };
      },
    };
    const tool = {
      name: "stop_all",
      description: "",
      inputSchema: { type: "object" as const },
      readOnly: false,
    };
    for (const style of ["decide", "calls"] as const)
      await styled(t, model, { style }).model.respond(
        [{ role: "user", content: "How is it?" }],
        [tool],
        never,
        {
          turn: "conversation",
        },
      );
    t.same(asked, [
      [0, true],
      [1, false],
    ]);
  },
);
