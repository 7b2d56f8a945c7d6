import t from "tap";
import { shown, toolsIn } from "../../../agent-client/cycle/tool-runner.js";
import { type ToolInfo, toolInfo } from "../../../agent-client/link/tools.js";
import { Caretaker } from "../../../agent-client/models/caretaker.js";
import type { Model } from "../../../agent-client/models/model.js";
import { Playback } from "../../../agent-client/run-log/playback.js";
import { AgentInRig } from "../../agent-in-rig.js";
import { rigFor } from "../../rig.js";
import { TOOL_CONTRACTS } from "../../services/contracts.js";
import { linesOf, logOf } from "../run-log/written.js";
import { runScripted } from "../scripted-cycle.js";
import { call, ScriptedModel } from "../scripted-model.js";

const namesOf = (tools: readonly ToolInfo[]) => tools.map(({ name }) => name);

t.test("the set for care is what the contracts say, in the runtime's order", async (t) => {
  const rig = await rigFor(t);
  const listed = rig.core.registry.list({ name: "agent", role: "agent" }).map(toolInfo);
  const care = namesOf(listed).filter((name) => TOOL_CONTRACTS.get(name)?.inCare);
  t.strictSame(namesOf(toolsIn("care", listed)), care);
  t.ok(care.length >= 15, `${care.length} tools`);
});

t.test("what speaks is known from the runtime's list", async (t) => {
  const rig = await rigFor(t);
  for (const { name, speaks } of rig.core.registry.list({ name: "agent", role: "agent" }).map(toolInfo))
    t.equal(speaks, TOOL_CONTRACTS.get(name)?.speaks === true, name);
});

t.test("the caretaker sees every tool: it looks at the past and takes photos", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z" });
  const offered = new Set<string>();
  const caretaker = new Caretaker();
  const watched: Model = {
    name: caretaker.name,
    respond: (conversation, tools) => {
      for (const { name } of tools) offered.add(name);
      return caretaker.respond(conversation, tools);
    },
  };
  t.equal(await new AgentInRig(rig, watched).turn(), true);
  for (const name of ["get_moisture_history", "get_water_history", "get_recent_photos"])
    t.ok(offered.has(name), name);
});

t.test("a call of a tool that was not offered is answered in words, and never made", async (t) => {
  const asks = [call("get_recent_actions", { n: 3 }), call("read_moisture")];
  const model = new ScriptedModel([asks]);
  const { runtime } = await runScripted(shown(model, "care"));
  t.strictSame(
    runtime.calls.map(({ name }) => name),
    ["read_moisture"],
  );
  const message = /get_recent_actions is not among the tools of this care cycle: do without it/;
  t.match(model.answers[0], { error: { code: "NOT_OFFERED", message, retryable: false } });
  const seesAll = await runScripted(new ScriptedModel([asks]));
  t.equal(seesAll.runtime.calls.length, 2);
});

t.test("a name that is none is told the nearest of the tools that were offered", async (t) => {
  const model = new ScriptedModel([[call("get_recent_action")]]);
  await runScripted(shown(model, "care"));
  t.match(model.answers, [{ error: { code: "UNKNOWN_TOOL" } }]);
  t.notMatch(JSON.stringify(model.answers), "get_recent_actions");
});

t.test(
  "a model that calls nothing but tools that were not offered is stopped after eight calls",
  async (t) => {
    const stubborn: Model = {
      name: "stubborn",
      respond: async () => ({ toolCalls: [call("get_recent_actions")] }),
    };
    const { outcome } = await runScripted(shown(stubborn, "care"));
    t.match(outcome, { rounds: 8, reason: /8 tools that do not exist or were not offered/ });
  },
);

t.test("the run log names the tools that the model was shown", async (t) => {
  const text = await logOf(shown(new ScriptedModel([]), "care"));
  const [tools] = linesOf(text).filter(({ kind }) => kind === "tools");
  t.match(tools, { tools: ["get_current_time", "read_moisture"] });
  t.notMatch(JSON.stringify(tools), "get_recent_photos");
});

t.test("a run is played back with the tools that its model was shown", async (t) => {
  const asks = [call("get_recent_actions"), call("read_moisture")];
  for (const recorded of [shown(new ScriptedModel([asks]), "care"), new ScriptedModel([asks])]) {
    const text = await logOf(recorded);
    const ends: string[] = [];
    const again = await logOf(new Playback("run.jsonl", linesOf(text), ({ message }) => ends.push(message)));
    t.strictSame(ends, []);
    t.strictSame(calledIn(again), calledIn(text));
  }
});

/** The calls of a run, and what became of them. */
const calledIn = (text: string) =>
  linesOf(text).flatMap((line) => (line.kind === "call" ? [[line.tool, line.error?.code]] : []));
