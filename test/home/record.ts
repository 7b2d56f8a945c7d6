import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { install, SOURCES } from "./real/install.js";
import { RealHome } from "./real/real-home.js";

/** Records from a fresh real home what the stand-in replays: `npm run build && node dist/test/home/record.js`. */
const FILE = join(SOURCES, "../../fixtures/home/recorded.json");
const home = await RealHome.start(await install());
const resident = await home.socket(home.tokens.resident);
const owner = await home.socket(home.tokens.owner);

/** What the adapter reads of an entry, and what Home Assistant needs to find it again. */
const KEPT =
  /^(entity_id|id|platform|area_id|device_id|labels|disabled_by|hidden_by|entity_category|name|aliases|floor_id|label_id)$/;

type Entry = Record<string, unknown>;
const kept = (entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => KEPT.test(key)));

const registries: Record<string, Entry[]> = {};
for (const kind of ["entity", "device", "area", "floor", "label"])
  registries[kind] = ((await resident.ask(`config/${kind}_registry/list`)) as Entry[]).map(kept);

const states = await new Promise<Record<string, Entry>>((resolve, reject) => {
  const onEvent = (event: unknown) => resolve((event as { a: Record<string, Entry> }).a);
  resident.subscribe("subscribe_entities", {}, onEvent).catch(reject);
});
for (const state of Object.values(states)) delete state.c;

const texts: Record<string, { config: unknown; related: unknown }> = {};
for (const id of Object.keys(states).filter((each) => /^(automation|script)\./.test(each))) {
  const [domain] = id.split(".");
  const { config } = (await resident.ask(`${domain}/config`, { entity_id: id })) as { config: unknown };
  texts[id] = { config, related: await resident.ask("search/related", { item_type: domain, item_id: id }) };
}

const { exposed_entities } = (await owner.ask("homeassistant/expose_entity/list")) as {
  exposed_entities: unknown;
};
const source = "Home Assistant 2025.4.4 of test/home/real, recorded by test/home/record.ts";
/** A line for each thing, so that a new recording can be compared with the old one. */
const lines = (things: object) =>
  JSON.stringify(things, undefined, 1)
    .replaceAll(/\n {2,}/g, " ")
    .replaceAll(/\n (?=[\]}])/g, " ");
const parts = { source, version: resident.version, exposed: exposed_entities, registries, states, texts };
const members = Object.entries(parts).map(([key, part]) =>
  typeof part === "object" && part !== null
    ? `${JSON.stringify(key)}: ${lines(part)}`
    : `${JSON.stringify(key)}: ${JSON.stringify(part)}`,
);
await writeFile(FILE, `{\n${members.join(",\n")}\n}\n`);
await home.remove();
process.exit(0);
