import { randomUUID } from "node:crypto";
import t from "tap";
import { Agent } from "../../agent-client/agent.js";
import { SystemClock } from "../../agent-client/clock.js";
import { oneModel } from "../../agent-client/cycle/cycle.js";
import { compileTemplate, OPENING } from "../../agent-client/prompts/prompt.js";
import type { Agenda } from "../../runtime/wire/agenda.js";
import { never } from "./models/conversations.js";
import { DONE, Spoken } from "./models/spoken.js";
import { silent } from "./scripted-cycle.js";
import { NOON, ScriptedRuntime } from "./scripted-runtime.js";

type Care = Agenda["plants"][number]["care"];

function caredFor(care: Readonly<Record<string, Care>>): Agenda {
  const plants = Object.entries(care).map(([plant, holder]) => {
    return { plant, name: plant, hold: null, faults: [], care: holder };
  });
  return {
    timestamp: NOON,
    due: [],
    open_tasks: 0,
    next_due: null,
    approvals: [],
    unread: { count: 0, messages: [] },
    chats: [],
    plants,
  };
}

const by = (instance: string | null): Care => ({ agent: "agent", instance, status_at: NOON, until: "13:00" });

/** One turn of the agent "attic-1": how often its model was asked, and what it was told. */
async function turn(care: Readonly<Record<string, Care>>, Kind = ScriptedRuntime) {
  const plants = Object.keys(care);
  const runtime = new Kind({ plants, agenda: caredFor(care) });
  const model = new Spoken("m", [DONE]);
  const told: string[] = [];
  const agent = new Agent({
    runtime,
    models: oneModel(model),
    template: compileTemplate(OPENING),
    promptTokens: 4000,
    maxRounds: 5,
    clock: new SystemClock(),
    log: { cycle: () => silent },
    others: { instance: "attic-1", onWait: (text) => told.push(text) },
    signal: never,
    newKey: randomUUID,
  });
  const completed = await agent.turn();
  return { asked: model.asked, told, completed, calls: runtime.calls.length };
}

t.test("a plant that another agent cares for costs no reply: who has it is said", async (t) => {
  const { asked, told, completed, calls } = await turn({ basil: by("cellar-2") });
  t.equal(asked, 0);
  t.equal(calls, 0);
  t.equal(completed, false);
  t.match(told, [/^basil is cared for by agent \(cellar-2\) until 13:00: no model is asked/]);
  t.match((await turn({ basil: by(null) })).told, [/cared for by agent until/], "also by one without a name");
});

t.test("what is free, or its own, an agent cares for; of several it leaves out the other's", async (t) => {
  t.match(await turn({ basil: null }), { asked: 1, told: [] });
  t.match(await turn({ basil: by("attic-1") }), { asked: 1, told: [] });
  t.match(await turn({ basil: by("cellar-2"), mint: by("attic-1") }), { asked: 1, told: [/^basil/] });
});

/** As a runtime that waits until its disk can be written (runtime/standby.ts). */
class StandingBy extends ScriptedRuntime {
  override async tools() {
    return [];
  }
}

t.test("of a runtime without tools no model is asked, and it has not failed: that is said", async (t) => {
  const { asked, told, completed, calls } = await turn({ basil: null }, StandingBy);
  t.equal(asked, 0);
  t.equal(calls, 0);
  t.equal(completed, false);
  t.match(told, [/^the runtime has no tools now: no model is asked; `tendril status` says why/]);
});
