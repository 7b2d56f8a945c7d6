import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import { DRIVER_ERRORS } from "../../drivers/errors.js";
import type { ServiceModule } from "../../runtime/services/module.js";
import { MODULES, RUNTIME_ERRORS, TOOLS, toolsOf } from "../../runtime/services/modules.js";
import { control } from "../../runtime/services/people/control.js";
import { plantStatus } from "../../runtime/services/plant-status/service.js";
import { formsOf } from "../../runtime/tools/operations.js";
import { labelOf, type Tool } from "../../runtime/tools/tool.js";
import type { Kind } from "../../runtime/wire/identity.js";
import type { Result, Rig } from "../rig.js";
import { CONFIG_OF_ALL, validArguments } from "../services/contracts.js";

export const HUMAN = { as: "human" } as const;
export const TWO_PLANTS = `
server: { calls_per_second: 100000 }
plants:
  - { id: basil, name: Sweet Basil, species: basil }
  - { id: cactus1, species: cactus, probe: { channel: 1 } }
`;
/** One plant, and what each module needs to be on: every tool that there is. */
export const WHOLE_HOUSE = `server: { calls_per_second: 100000 }\n${CONFIG_OF_ALL}`;
export type Args = Readonly<Record<string, unknown>>;

/** All that can be called: the tools, and each operation of a tool that has several, as "list_tool add_item". */
export const CALLABLE: readonly Tool[] = TOOLS.flatMap(formsOf).map((form) => ({
  ...form,
  name: labelOf(form),
}));

/** A kind of token that may call the tool. */
export const callerOf = (name: string) =>
  ({ as: toolNamed(name).scopesOnly ? "bridge" : "human" }) as const satisfies { as: Kind };

export const toolNamed = (name: string) => {
  const tool = CALLABLE.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};

/** What the families have recorded that may be switched off. Sensors are left out: to read one adds a reading. */
const OPTIONAL_READS = toolsOf(
  MODULES.filter(({ canBeOff, journals }: ServiceModule) => canBeOff && journals !== undefined),
)
  .flatMap(formsOf)
  .filter(({ facts }) => facts.annotations.readOnlyHint)
  .map((form) => ({ name: labelOf(form) }));

/** The journals with their bytes, and the edges of what was switched: the least that a call which acts changes, found within a fraction of a call. */
export const recorded = (rig: Rig): string =>
  [
    ...readdirSync(join(rig.state, "journal")).map(
      (name) => `${name} ${statSync(join(rig.state, "journal", name)).size}`,
    ),
    rig.bench.pumpEdges("basil").length,
    rig.bench.lightEdges("basil").length,
  ].join("\n");

/** What a call that acts could change, as tools show it. */
export const footprint = (rig: Rig) =>
  Promise.all([
    rig.get("get_water_usage_24h"),
    rig.get("get_light_status"),
    rig.get("get_recent_actions", { n: 50 }),
    rig.get("get_recent_thoughts", { n: 50 }),
    rig.get("fetch_notes"),
    ...OPTIONAL_READS.map(({ name }) => rig.call(name, validArguments(name), HUMAN)),
    rig.get("get_recent_photos", { n: 50 }).then(({ count }) => count),
    rig.get("list_messages_from_agent", { include_content: false }, { as: "human" }).then(idsOf),
    rig.get("list_messages_from_human", { include_content: false }, { as: "observer" }).then(idsOf),
    rig.core.get(control).hold("basil"),
    rig.core.get(plantStatus).last("basil"),
    rig.bench.pumpEdges("basil").length,
    rig.bench.lightEdges("basil").length,
  ]);

const idsOf = (listed: Args): readonly string[] =>
  (listed.messages as readonly { message_id: string }[]).map(({ message_id }) => message_id);

/**
 * What is wrong with an answer; nothing if it is proper: the declared output and nothing beside it, or a refusal from the table
 * that is no defect.
 */
export function wrongWith(tool: string, answer: Result): string | undefined {
  if (answer.ok) {
    const declared = toolNamed(tool).output.safeParse(answer.value);
    return isDeepStrictEqual(declared.data, answer.value)
      ? undefined
      : `${JSON.stringify(answer.value)} is not the declared output: ${declared.error}`;
  }
  const { code, message, retryable } = answer.error;
  const row = { ...RUNTIME_ERRORS, ...DRIVER_ERRORS }[code];
  if (!row || code === "INTERNAL") return `${code} is a defect: ${message}`;
  if (retryable !== row.retryable) return `${code} says retryable: ${retryable}`;
  const saysWhatToDo = message.includes(row.fix) && message.endsWith(`(${code})`);
  return saysWhatToDo ? undefined : `does not say what to do: ${message}`;
}

export function assertProper(t: Test, tool: string, answer: Result, what: string): void {
  t.equal(wrongWith(tool, answer), undefined, what);
}
