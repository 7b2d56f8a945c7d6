import { existsSync, readdirSync } from "node:fs";
import { mayActAs, type Role } from "../../runtime/wire/identity.js";
import type { Args, FamilyContract, ToolContract } from "./contract.js";

/** The contract of each family: `contract.ts` in its folder here. A family that is removed leaves no trace. */
const found = readdirSync(new URL(".", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(urlOf(entry.name)))
  .map(async ({ name }) => [name, (await import(urlOf(name).href)).contract as FamilyContract] as const);

export const CONTRACTS: ReadonlyMap<string, FamilyContract> = new Map(await Promise.all(found));

/** Every tool of every family, by name. */
export const TOOL_CONTRACTS: ReadonlyMap<string, ToolContract> = new Map(
  inOrder().flatMap(({ tools }) => Object.entries(tools)),
);

/** What the configuration must have for every family to be on. */
export const CONFIG_OF_ALL = [...CONTRACTS.values()].map(({ config = "" }) => config).join("\n");

/** Arguments that the tool takes. */
export function validArguments(tool: string): Args {
  const contract = TOOL_CONTRACTS.get(tool);
  if (!contract) throw new Error(`no contract names ${tool}: add it to test/services/<family>/contract.ts`);
  return contract.valid;
}

/** The name that `tools/list` shows: "list_tool add_item" is an operation of list_tool. */
export const listedName = (name: string): string => name.split(" ")[0] ?? name;

/** What `tools/list` shows to this role, by the contracts, in alphabetical order. */
export function listedNames(to: Role): readonly string[] {
  const seen = [...TOOL_CONTRACTS].filter(
    ([, { role, listedTo = role, scopesOnly }]) => !scopesOnly && mayActAs(to, listedTo),
  );
  return [...new Set(seen.map(([name]) => listedName(name)))].sort();
}

/** Parameters that may not be left out. */
export const requiredOf = ({ parameters }: ToolContract): readonly string[] =>
  parameters.split(" ").filter((name) => name !== "" && !name.endsWith("?"));

/** The families, each behind those that it names in `after`. */
function inOrder(): readonly FamilyContract[] {
  const ordered = new Set<FamilyContract>();
  const add = (family: FamilyContract | undefined): void => {
    for (const name of family?.after ?? []) add(CONTRACTS.get(name));
    if (family) ordered.add(family);
  };
  for (const name of [...CONTRACTS.keys()].sort()) add(CONTRACTS.get(name));
  return [...ordered];
}

function urlOf(family: string): URL {
  return new URL(`./${family}/contract.js`, import.meta.url);
}
