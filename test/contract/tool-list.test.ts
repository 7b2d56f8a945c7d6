import t from "tap";
import { defaultConfig } from "../../runtime/configuration.js";
import type { ServiceModule } from "../../runtime/services/module.js";
import { MODULES, modulesOn, TOOLS, toolsOf } from "../../runtime/services/modules.js";
import { formsOf } from "../../runtime/tools/operations.js";
import { jsonSchema, listedSchema } from "../../runtime/tools/parameters.js";
import { labelOf } from "../../runtime/tools/tool.js";
import type { ToolContract } from "../services/contract.js";
import { CONTRACTS, requiredOf, TOOL_CONTRACTS } from "../services/contracts.js";
import { toolNamed as tool } from "./proper-answer.js";

/** Keys in their order; a `?` marks those that may be missing. */
function keysOf(schema: object): string {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.keys(properties)
    .map((key) => (required.includes(key) ? key : `${key}?`))
    .join(" ");
}

t.test("every family with tools has its contract beside it, and its tools are exactly those", async (t) => {
  const declared = MODULES.filter(({ tools }) => tools.length > 0);
  t.same([...CONTRACTS.keys()].sort(), declared.map(({ name }) => name).sort());
  for (const { name, tools } of declared) {
    const named = Object.keys(CONTRACTS.get(name)?.tools ?? {});
    t.same(tools.flatMap(formsOf).map(labelOf).sort(), named.sort(), name);
  }
});

t.test("each family is in the toolset that its contract says", async (t) => {
  for (const { name, toolset } of MODULES.filter(({ tools }) => tools.length > 0))
    t.equal(toolset, CONTRACTS.get(name)?.toolset, name);
});

for (const [name, contract] of TOOL_CONTRACTS) {
  t.test(`${name} has exactly its parameters, defaults and results`, async (t) => {
    const { input, output } = tool(name);
    t.equal(keysOf(jsonSchema(input, "input")), contract.parameters);
    t.equal(keysOf(jsonSchema(output, "output")), contract.result);
    t.same(defaultsOf(name, contract), contract.defaults ?? {});
    t.ok(input.safeParse(contract.valid).success, "and takes the valid arguments");
  });
}

/** What a call has that names only what it must. */
function defaultsOf(name: string, contract: ToolContract): object {
  const required = requiredOf(contract);
  const given = Object.fromEntries(required.map((parameter) => [parameter, contract.valid[parameter]]));
  const parsed = Object.entries(tool(name).input.parse(given));
  return Object.fromEntries(parsed.filter(([parameter]) => !required.includes(parameter)));
}

t.test("each tool may be called by, and is listed to, whom its contract says", async (t) => {
  for (const [name, { role, listedTo = role, scopesOnly = false }] of TOOL_CONTRACTS) {
    const declared = tool(name);
    t.same([declared.role, declared.listedTo ?? declared.role], [role, listedTo], name);
    t.equal(declared.scopesOnly === true, scopesOnly, name);
  }
});

t.test("the toolset care, and what counts as said, are what the contracts say", async (t) => {
  for (const [name, { inCare = false, speaks = false }] of TOOL_CONTRACTS) {
    const { facts, ...declared } = tool(name);
    t.same([declared.inCare === true, facts.speaks], [inCare, speaks], name);
  }
});

t.test("only what switches off is free of limits, and nothing that switches off is missing", async (t) => {
  const off = [...TOOL_CONTRACTS].flatMap(([name, { switchesOff }]) => (switchesOff ? [name] : []));
  t.same(
    TOOLS.filter(({ switchesOff }) => switchesOff)
      .map(({ name }) => name)
      .sort(),
    off.sort(),
  );
  t.same(off, ["stop_all", "turn_off_light"]);
  for (const name of off) t.equal(tool(name).role, "observer", `${name} is anybody's`);
});

t.test("every tool says in its annotations whether it changes anything", async (t) => {
  for (const { name, facts } of TOOLS) {
    const { annotations } = facts;
    t.ok(annotations.readOnlyHint === true || annotations.destructiveHint !== undefined, name);
  }
});

/** What `tools/list` shows to an agent of these modules, in the form in which model servers take tools. */
const listed = (modules: readonly ServiceModule[]) =>
  toolsOf(modules)
    .filter(({ role, listedTo }) => (listedTo ?? role) !== "human")
    .map(({ name, description, input }) => ({
      type: "function",
      function: { name, description, parameters: listedSchema(input, "input") },
    }));

t.test("the listed schemas can be converted by any client: one type each, no references", async (t) => {
  for (const { name, input, output } of TOOLS) {
    for (const schema of [listedSchema(input, "input"), listedSchema(output, "output")]) {
      t.notMatch(
        JSON.stringify(schema),
        /"\$ref"|"definitions"|"propertyNames"|"type":\[|"(items|additionalProperties)":\{\}|[[,]\{\}/,
        name,
      );
    }
  }
});

t.test("a far bound is checked, but not listed: models pay for every word", async (t) => {
  t.notMatch(JSON.stringify(listed(MODULES)), /\d{5}/);
  t.equal(tool("get_moisture_history").input.safeParse({ hours: 876_001 }).success, false);
  const { properties } = jsonSchema(tool("get_moisture_history").input, "input");
  t.match(properties, { hours: { maximum: 876_000 } }, "and it stands in docs/tools.md");
});

/**
 * Bytes as compact JSON, by toolset. A choice each: what it takes today and some 3 % more. Models pay for every word with
 * every request; who adds a tool raises its figure knowingly. A toolset that is not named has no tools for agents.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  plants: 16_400,
  planner: 7_500,
  memory: 7_900,
  knowledge: 1_220,
  chats: 2_820,
  climate: 1_520,
  home: 2_060,
  web: 450,
  mail: 500,
};
const NO_TOOLS = "[]".length;

const bytesOf = (modules: readonly ServiceModule[]) => Buffer.byteLength(JSON.stringify(listed(modules)));

t.test("the tools of each toolset keep to its bytes, families that are off by default too", async (t) => {
  for (const toolset of new Set(MODULES.map((module) => module.toolset))) {
    const bytes = bytesOf(MODULES.filter((module) => module.toolset === toolset));
    t.ok(bytes <= (BUDGETS[toolset] ?? NO_TOOLS), `${toolset}: ${bytes} bytes`);
  }
});

t.test(
  "the tools of an agent take at most 34,500 bytes by default, and 39,700 with everything on",
  async (t) => {
    const [usual, all] = [bytesOf(modulesOn(defaultConfig())), bytesOf(MODULES)];
    t.ok(usual <= 34_500, `${usual} bytes by default`);
    t.ok(all <= 39_700, `${all} bytes with everything on`);
  },
);
