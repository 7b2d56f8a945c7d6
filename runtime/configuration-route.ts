import type { Config } from "./configuration.js";
import type { Route } from "./tools/host.js";
import { PATHS } from "./wire/names.js";
import type { Setting } from "./wire/owner-page.js";

/** `GET /configuration`: every value in force, with what it means. The configuration holds no secrets. */
export const configurationRoute = (config: Config): Route => ({
  path: PATHS.configuration,
  may: { role: "human" },
  cookie: true,
  answer: async () => {
    const body = JSON.stringify({ settings: await settingsOf(config) });
    return { type: "application/json", body, headers: { "Cache-Control": "no-store" } };
  },
});

async function settingsOf(config: Config): Promise<Setting[]> {
  // the declarations take time and memory that only this answer needs
  const { configurationKeys } = await import("./cli/reference-pages.js");
  const keys = new Map(configurationKeys().map((key) => [key.path, key]));
  return leavesOf(config).map(({ path, value }) => {
    const declared = keys.get(path.replaceAll(/\[\d+\]/g, "[]"));
    const isDefault = declared?.default === value;
    return { key: path, value, is_default: isDefault, meaning: declared?.description ?? "" };
  });
}

interface Leaf {
  readonly path: string;
  /** As JSON. */
  readonly value: string;
}

/** Every value that is no group, with its dotted path: "plants[0].name". */
function leavesOf(value: unknown, path = ""): Leaf[] {
  if (typeof value !== "object" || value === null || isListOfValues(value))
    return value === undefined ? [] : [{ path, value: JSON.stringify(value) }];
  if (Array.isArray(value)) return value.flatMap((each, at) => leavesOf(each, `${path}[${at}]`));
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, path === "" ? key : `${path}.${key}`));
}

const isListOfValues = (value: object): boolean =>
  Array.isArray(value) && value.every((each) => typeof each !== "object");
