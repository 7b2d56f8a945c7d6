import { writeFile } from "node:fs/promises";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { HomeSocket } from "../../runtime/bridge/home/socket.js";

/**
 * Records what the stand-in replays: `node dist/test/home/record.js WS_URL RESIDENTS_TOKEN OWNERS_TOKEN FILE`, against a
 * fresh home of start.sh.
 */
const [url = "", residentsToken = "", ownersToken = "", file = ""] = process.argv.slice(2);
const options = { url, clock: new SystemClock(), signal: new AbortController().signal };
const resident = await HomeSocket.open({ ...options, token: residentsToken });
const owner = await HomeSocket.open({ ...options, token: ownersToken });

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
const source = "Home Assistant 2025.4.4 of test/home/start.sh, recorded by test/home/record.ts";
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
await writeFile(file, `{\n${members.join(",\n")}\n}\n`);
process.exit(0);
