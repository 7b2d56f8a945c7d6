import { rm } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { CHANNEL_LOG } from "../../../runtime/services/channels/letters.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import { type Rig, rigFor } from "../../rig.js";
import { backupOf, folderFor, restoreTo } from "./backup-rig.js";

type Value = Readonly<Record<string, unknown>>;

const HUMAN = { as: "human" } as const;
const ANNA = { as: "human", token: "human.anna" } as const;
const FAMILY = `server: { calls_per_second: 100000 }
people: [{ id: anna, tokens: [human.anna] }]
channels: { telegram: {} }`;

/** A runtime that has poured, so that a restore knows its device. */
async function used(t: Test): Promise<Rig> {
  const rig = await rigFor(t, { config: FAMILY });
  await rig.water(10, HUMAN);
  return rig;
}

const backup = async (t: Test, rig: Rig): Promise<string> =>
  (await backupOf(rig.state, await folderFor(t))).file;

async function goBack(rig: Rig, file: string, change?: () => Promise<void>): Promise<void> {
  await rig.stop();
  await change?.();
  await restoreTo(rig.state, file);
  await rig.open();
}

const readsStrangers = (rig: Rig) =>
  rig.core.get(turns).taintOf({ name: "agent", role: "agent" }, undefined).add(["calendar work"]);

async function asksForADose(rig: Rig): Promise<string> {
  await rig.status([{ action: "water", value: 20 }]);
  return (await rig.refused("dispense_water", { ml: 20 })).code;
}

t.test("whether agents are paused is as it is today, on the same device", async (t) => {
  const rig = await used(t);
  const before = await backup(t, rig);
  await rig.get("pause_agents", { paused: true }, HUMAN);
  await goBack(rig, before);
  t.match(await rig.get("get_overview", {}, HUMAN), { paused: { by: "human" } });
  const paused = await backup(t, rig);
  await rig.get("pause_agents", { paused: false }, HUMAN);
  await goBack(rig, paused);
  t.match(await rig.get("get_overview", {}, HUMAN), { paused: null });
});

t.test("an agent that has read words of strangers since the backup asks before it acts", async (t) => {
  const rig = await used(t);
  const file = await backup(t, rig);
  await readsStrangers(rig);
  await goBack(rig, file);
  t.equal(await asksForADose(rig), "APPROVAL_NEEDED");
});

t.test(
  "where that is lost, agents are paused, and each counts as one that has read such words",
  async (t) => {
    const rig = await used(t);
    await rig.get("pause_agents", { paused: false }, HUMAN);
    await readsStrangers(rig);
    const file = await backup(t, rig);
    await goBack(rig, file, async () => {
      for (const log of ["pause", "taint"]) await rm(join(rig.state, "journal", `${log}.jsonl`));
    });
    t.match(await rig.get("get_overview", {}, HUMAN), { paused: { by: "runtime" } });
    await rig.get("pause_agents", { paused: false }, HUMAN);
    t.equal(await asksForADose(rig), "APPROVAL_NEEDED");
  },
);

t.test("a calendar link that was revoked since the backup opens nothing after it", async (t) => {
  const rig = await used(t);
  const { link_id } = await rig.get("make_calendar_link", {}, HUMAN);
  const { link_id: other } = await rig.get("make_calendar_link", {}, HUMAN);
  const file = await backup(t, rig);
  await rig.get("revoke_calendar_link", { link_id }, HUMAN);
  await goBack(rig, file);
  t.match(await rig.get("list_calendar_links", {}, HUMAN), { links: [{ link_id: other }] });
  await goBack(rig, file, () => rm(join(rig.state, "journal", "calendar-links.jsonl")));
  t.same((await rig.get("list_calendar_links", {}, HUMAN)).links, [], "lost: none of them opens anything");
});

t.test("an account that was removed since the backup is nobody's after it", async (t) => {
  const rig = await used(t);
  const timestamp = "2026-06-01T08:00:00.000Z";
  const log = rig.core.house.journal(CHANNEL_LOG);
  const account = { channel: "telegram", person: "household", name: null, configured: false };
  const [gone] = [
    await log.append({ timestamp, kind: "paired", ...account, account: "4711" }),
    await log.append({ timestamp, kind: "paired", ...account, account: "4712" }),
  ];
  const file = await backup(t, rig);
  await log.append({ timestamp, kind: "removed", of: gone.id, by: "human" });
  await goBack(rig, file);
  const { channels } = (await rig.get("list_channels", {}, HUMAN)) as { channels: { accounts: Value[] }[] };
  t.match(channels, [{ accounts: [{ account: "4712" }] }]);
  t.equal(channels[0]?.accounts.length, 1);
});

t.test("what a person has erased since the backup is erased after it too", async (t) => {
  const rig = await used(t);
  const save = async (title: string, options: object = HUMAN) =>
    (await rig.get("save_memory", { source: "CAPTURE", title, content: title }, options)).id as string;
  const fact = (key: string) => rig.get("update_user_profile", { category: "fact", key, value: key }, HUMAN);
  const id = await save("capybara");
  await save("quokka");
  await save("of anna", ANNA);
  await fact("wombat");
  await fact("dingo");
  const file = await backup(t, rig);
  await rig.get("erase_memory", { id }, HUMAN);
  await rig.get("forget_profile_entry", { category: "fact", key: "wombat" }, HUMAN);
  await rig.get("erase_person", { user_id: "anna" }, HUMAN);
  await goBack(rig, file);
  const found = async (query: string, options: object = HUMAN) =>
    (await rig.get("search_memories", { query }, options)).count;
  t.equal(await found("capybara"), 0);
  t.equal(await found("quokka"), 1);
  t.equal(await found("anna", ANNA), 0);
  t.match((await rig.get("get_user_profile", {}, HUMAN)).entries, [{ key: "dingo" }]);
  await goBack(rig, file, () => rm(join(rig.state, "journal", "memory-items.jsonl")));
  t.equal(await found("quokka"), 1, "what is lost was not erased");
});
