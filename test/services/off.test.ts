import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { shown } from "../../agent-client/cycle/tool-runner.js";
import { Decider } from "../../agent-client/models/decider.js";
import { createModel } from "../../agent-client/models/index.js";
import type { Model } from "../../agent-client/models/model.js";
import { readOverview } from "../../runtime/cli/remote.js";
import { describe } from "../../runtime/cli/status.js";
import { parseConfig } from "../../runtime/configuration.js";
import { ConfigError } from "../../runtime/errors.js";
import type { ServiceModule } from "../../runtime/services/module.js";
import { MODULES } from "../../runtime/services/modules.js";
import { overviewResult } from "../../runtime/wire/overview.js";
import { agendaOf } from "../agent-client/agenda-rig.js";
import { DecidingModel, obedient } from "../agent-client/decide/deciding-model.js";
import { call } from "../agent-client/scripted-model.js";
import { AgentInRig } from "../agent-in-rig.js";
import { WHOLE_HOUSE } from "../contract/proper-answer.js";
import { Rig, rigFor } from "../rig.js";
import type { ToolContract } from "./contract.js";
import { CONTRACTS, listedName, listedNames, TOOL_CONTRACTS } from "./contracts.js";

const PERSON = { as: "human" } as const;
/** What each module needs to be on. */
const ALL_ON = WHOLE_HOUSE;
const OPTIONAL = MODULES.filter(({ canBeOff }) => canBeOff).map(({ name }) => name);
/** Each by itself, and all of them. */
const CHOICES = [...OPTIONAL.map((name) => [name]), ...(OPTIONAL.length > 1 ? [OPTIONAL] : [])];

const without = (modules: readonly string[]): string =>
  `${ALL_ON}\nmodules: { ${modules.map((name) => `${name}: false`).join(", ")} }`;

const toolsOf = (modules: readonly string[]): readonly (readonly [string, ToolContract])[] =>
  modules.flatMap((name) => Object.entries(CONTRACTS.get(name)?.tools ?? {}));

const listed = (rig: Rig): readonly string[] =>
  rig.core.registry.list({ name: "human", role: "human" }).map(({ name }) => name);

function problemsIn(text: string): readonly string[] {
  try {
    parseConfig(text, "tendril.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

t.test("a module that cannot be off is no key of modules", async (t) => {
  t.match(problemsIn("modules: { water: false }"), [/modules.*water/]);
});

/** What the agenda has where every module is on. */
const wholeAgenda = Rig.start({ config: ALL_ON }).then(async (rig) => {
  const agenda = await agendaOf(rig);
  await rig.end();
  return agenda;
});

for (const off of CHOICES) {
  const words = off.join(" and ");
  t.test(`without ${words}`, async (t) => {
    const rig = await rigFor(t, { config: without(off) });

    await t.test("the runtime starts, and lists all other tools", async (t) => {
      const gone = toolsOf(off).map(([name]) => listedName(name));
      t.same(
        [...listed(rig)].sort(),
        listedNames("human").filter((name) => !gone.includes(name)),
      );
      const overview = await rig.get("get_overview", {}, PERSON);
      t.ok(overviewResult.safeParse(overview).success, "what is absent may be absent");
      t.match(describe(readOverview(overview)), /Basil/, "tendril status");
    });

    await t.test("a call of its tools says that they are switched off, and where", async (t) => {
      for (const module of off)
        for (const [name, { valid }] of toolsOf([module])) {
          const message = `${listedName(name)} is switched off in the configuration: modules: { ${module}: false }`;
          const refusal = await rig.refused(name, valid, PERSON);
          t.equal(refusal.code, "UNKNOWN_TOOL");
          t.ok(refusal.message.startsWith(message), refusal.message);
        }
    });

    await t.test("the agenda has no word of it, and the rest", async (t) => {
      const all = await wholeAgenda;
      const agenda = await agendaOf(rig);
      t.match(agenda, { unread: { count: 0 }, approvals: [], plants: [{ plant: "basil", hold: null }] });
      const left = Object.keys(all).filter((key) => !(key in agenda));
      t.equal(left.length > 0, off.some(hasAgenda), left.join());
    });

    await t.test("a house that began so has nothing lost when it is switched on", async (t) => {
      await rig.get("log_action", { type: "observe", details: {} });
      await rig.restart(ALL_ON);
      t.same(rig.core.store.warnings, []);
      await fill(rig, keeping(off));
    });
  });

  t.test(`without ${words} a rule for a yes to its tools is refused at load`, async (t) => {
    for (const module of off)
      for (const name of new Set(toolsOf([module]).map(([each]) => listedName(each)))) {
        const problems = problemsIn(`${without(off)}\nconfirm: { ${name}: always }`);
        const message = `confirm.${name}: is switched off in the configuration: modules: { ${module}: false }`;
        t.match(problems, [message]);
      }
  });

  t.test(`without ${words} the journals are left alone, and all is there when it is on again`, async (t) => {
    const rig = await rigFor(t, { config: ALL_ON });
    const kept = keeping(off);
    await fill(rig, kept);
    const before = [await journalsOf(rig, kept), await shownBy(rig, kept)];
    await rig.restart(without(off));
    await rig.get("log_action", { type: "observe", details: {} });
    t.same(await journalsOf(rig, kept), before[0]);
    t.same(rig.core.store.warnings, []);
    await rig.restart(ALL_ON);
    t.same(rig.core.store.warnings, []);
    t.same([await journalsOf(rig, kept), await shownBy(rig, kept)], before);
  });

  t.test(`without ${words} every style of agent completes a cycle`, async (t) => {
    const dry = { start: "2026-06-01T12:00:00.000Z", hydration: 30 };
    const rig = await rigFor(t, { config: without(off), ...dry });
    const styles = [
      createModel("caretaker", {}),
      new Decider(new DecidingModel(obedient), { newKey: () => "key" }),
      shown(caller(), "care"),
    ];
    for (const [before, model] of styles.entries()) await completes(t, rig, model, before + 1);
  });
}

const hasAgenda = (module: string): boolean =>
  MODULES.some((each: ServiceModule) => each.name === module && each.agenda?.view !== undefined);

/** Those that keep something. */
const keeping = (modules: readonly string[]): readonly string[] =>
  MODULES.filter(({ name, journals }: ServiceModule) => journals && modules.includes(name)).map(
    ({ name }) => name,
  );

/** What changes something, as the contract calls it first; what takes away is left out. What needs a bridge does nothing here. */
async function fill(rig: Rig, modules: readonly string[]): Promise<void> {
  for (const module of modules) {
    const [first] = toolsOf([module]);
    if (!first) continue;
    const result = await rig.call(first[0], first[1].valid, PERSON);
    if (!result.ok) orThrow(result.error);
  }
}

async function shownBy(rig: Rig, modules: readonly string[]): Promise<readonly unknown[]> {
  const reads = toolsOf(modules).filter(([, { role }]) => role === "observer");
  return Promise.all(reads.map(([name, { valid }]) => shownOrAway(rig, name, valid)));
}

async function shownOrAway(rig: Rig, name: string, args: ToolContract["valid"]): Promise<unknown> {
  const result = await rig.call(name, args, PERSON);
  return result.ok ? result.value : orThrow(result.error);
}

/** Nothing is told of a tool whose bridge is away. */
function orThrow({ code, message }: { readonly code: string; readonly message: string }): undefined {
  if (code !== "BRIDGE_AWAY") throw new Error(message);
}

function journalsOf(rig: Rig, modules: readonly string[]): Promise<readonly string[]> {
  const journals = MODULES.filter(({ name }) => modules.includes(name)).flatMap((module) =>
    "journals" in module ? module.journals : [],
  );
  const files = journals.map(({ definition }) => join(rig.state, "journal", `${definition.name}.jsonl`));
  return Promise.all(files.map((file) => readFile(file, "utf8")));
}

async function completes(t: Test, rig: Rig, model: Model, thoughts: number): Promise<void> {
  const agent = new AgentInRig(rig, model);
  t.equal(await agent.turn(), true, `${model.name}: ${agent.story}`);
  t.equal((await rig.get("get_recent_thoughts")).count, thoughts, model.name);
}

/** Calls tools itself, one after the other, as a language model does. */
function caller(): Model {
  const looks = ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"];
  return {
    name: "caller",
    async respond(conversation) {
      const said = conversation.flatMap((each) => (each.role === "tool" ? [JSON.parse(each.content)] : []));
      if (said.length === 0) return { toolCalls: looks.map((name) => call(name)) };
      if (said.length > looks.length) return { text: "done", toolCalls: [] };
      const [{ timestamp }, { value: sensor_reading }, { used_ml: water_24h }, { light_today }] = said;
      const status = { timestamp, sensor_reading, water_24h, light_today };
      const plan = { plant_state: "healthy", next_action_sequence: [], reasoning: "a test" };
      const thought = TOOL_CONTRACTS.get("log_thought")?.valid;
      return {
        toolCalls: [call("log_thought", thought), call("write_plant_status", { ...status, ...plan })],
      };
    },
  };
}
