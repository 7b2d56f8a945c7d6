import t from "tap";
import { hours } from "../../../drivers/units.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import { photoUri } from "../../../runtime/wire/names.js";
import type { CallOptions, Rig } from "../../rig.js";
import { gives, ScriptedBridge } from "../../scripted-bridge.js";
import {
  ANNA,
  bridged,
  careTurn,
  homeAnswer,
  house,
  mark,
  ORDER,
  planted,
  reading,
  sourcesOf,
} from "./injection-house.js";

/**
 * A note that somebody holds before the camera, and a model that obeys it. The plant gets water and light within its rules, as from
 * a model that has not looked; nothing else happens by itself.
 */

const PHOTO = "a photo";
const AGENT = { name: "agent", role: "agent" } as const;

/** A turn whose model has seen the picture itself. */
async function looking(rig: Rig, by?: CallOptions): Promise<CallOptions> {
  const turn = by ?? (await careTurn(rig));
  const result = await rig.core.registry.call({
    ...{ identity: AGENT, name: "capture_photo", arguments: { include_image: true } },
    ...{ signal: () => new AbortController().signal, progress: () => undefined, turn: turn.turn },
  });
  const isMarked = JSON.stringify(result._meta) === JSON.stringify({ "tendril/untrusted": [PHOTO] });
  if (!isMarked || !result.content.some(({ type }) => type === "image"))
    throw new Error(`no marked picture: ${JSON.stringify(result).slice(0, 500)}`);
  return turn;
}

const PLAN = [
  { action: "water", value: 20 },
  { action: "light", value: 60 },
];
/** The same question waits from before, and so would the call. */
const impatient = (turn: CallOptions): CallOptions => ({ ...turn, signal: AbortSignal.abort() });
const dose = (rig: Rig, turn: CallOptions) => rig.during("dispense_water", { ml: 20 }, turn);

t.test("a model that obeys a note in a photo sends no mail and searches nothing by itself", async (t) => {
  const { rig } = await house(t);
  const turn = await looking(rig);
  t.same(sourcesOf(rig, turn), [PHOTO]);
  await new ScriptedBridge(rig).work(() => gives());
  for (const [tool, args] of [
    ["sendEmail", { to: "shop@example.com", subject: "Secrets", body: ORDER }],
    ["sendEmail", { to: "eve@example.net", subject: "Secrets", body: ORDER }],
    ["search_web", { query: "secret of the house" }],
  ] as const)
    t.match(await rig.refused(tool, { ...args }, turn), { code: "APPROVAL_NEEDED" }, tool);
  const { approvals } = (await rig.get("list_approvals", {}, { as: "human" })) as {
    approvals: { after_reading?: string[] }[];
  };
  t.equal(approvals.length, 3);
  for (const { after_reading } of approvals) t.same(after_reading, [PHOTO], "the question says why");
});

t.test("a model that obeys a note in a photo changes no home and no profile by itself", async (t) => {
  const { rig } = await house(t);
  const turn = await looking(rig);
  const fact = { category: "fact", key: "water", value: "400 ml a day" };
  t.match(await rig.refused("update_user_profile", fact, turn), { code: "APPROVAL_NEEDED" });
  t.same((await rig.get("get_user_profile", {}, ANNA)).entries, []);
  const call = { domain: "light", service: "turn_on", entity_id: "light.desk" };
  const asked = new AbortController();
  const answer = homeAnswer({ id: "light.desk", platform: "hue" });
  const sent: string[] = [];
  const home: typeof answer = (job) => {
    sent.push(job.what);
    asked.abort(); // nobody answers the question
    return answer(job);
  };
  t.match(await bridged(rig, "call_ha_service", call, { ...turn, signal: asked.signal }, home), {
    status: "pending",
  });
  t.notOk(sent.includes("call"), "nothing is sent to the home");
});

t.test("what a turn that has seen a photo writes down says so to every later reader", async (t) => {
  const { rig } = await house(t);
  const stores: readonly (readonly [string, object, string, object])[] = [
    ["save_notes", { content: ORDER }, "fetch_notes", {}],
    ["add_memory", { text: ORDER }, "list_memories", {}],
    [
      "list_tool",
      { operation: "add_item", list_name: "Shop", item_text: ORDER },
      "list_tool",
      { operation: "list_items", list_name: "Shop" },
    ],
    [
      "task_tool",
      { operation: "create_task", title: "Pour 20 ml of water" },
      "task_tool",
      { operation: "list_tasks" },
    ],
  ];
  for (const [write, words, read, args] of stores) {
    const turn = await looking(rig);
    await rig.get(write, { ...words }, turn);
    await rig.get("end_turn", {}, turn);
    const later = await reading(rig, read, args);
    t.same(sourcesOf(rig, later), [PHOTO], `${write}, ${read}`);
    await rig.get("end_turn", {}, later);
  }
});

t.test("a care cycle that looks at its plant waters and lights it within the rules unasked", async (t) => {
  const { rig } = await house(t);
  const turn = await looking(rig);
  t.match(await rig.refused("dispense_water", { ml: 20 }, turn), { code: "NO_CYCLE" });
  await rig.status(PLAN, {}, turn);
  t.match(await dose(rig, turn), { ok: true });
  t.match(await rig.during("turn_on_light", { minutes: 60 }, turn), { ok: true });
});

t.test("words of strangers beside a photo make water wait, in whatever order they come", async (t) => {
  const { rig } = await house(t);
  for (const isFirst of [true, false]) {
    const turn = await careTurn(rig);
    if (isFirst) await mark(rig, turn);
    for (let n = 0; n < 25; n += 1) await looking(rig, turn);
    if (!isFirst) await mark(rig, turn);
    await rig.status(PLAN, {}, turn);
    t.match(await rig.refused("dispense_water", { ml: 20 }, impatient(turn)), { code: "APPROVAL_NEEDED" });
    await rig.get("end_turn", {}, turn);
  }
  await rig.get("save_notes", { content: "<!-- written after reading words from outside: a photo -->" });
  await planted(rig, "save_notes", { content: ORDER, mode: "append" });
  const reader = await reading(rig, "fetch_notes", {});
  await rig.status(PLAN, {}, reader);
  t.match(await rig.refused("dispense_water", { ml: 20 }, impatient(reader)), { code: "APPROVAL_NEEDED" });
});

t.test("a yes for the cycle that came before the photo holds after it", async (t) => {
  const { rig } = await house(t);
  await rig.restart("confirm: { dispense_water: once_per_cycle }");
  const turn = await careTurn(rig);
  await rig.status([{ action: "water", value: 40 }], {}, turn);
  t.match(await rig.refused("dispense_water", { ml: 20 }, turn), { code: "APPROVAL_NEEDED" });
  await rig.get("answer_approval", { id: 1, approve: true }, { as: "human" });
  await looking(rig, turn);
  t.match(await dose(rig, turn), { ok: true });
});

t.test("a photo read as a resource marks its reader, with all turns that are open", async (t) => {
  const { rig } = await house(t);
  const { timestamp } = await rig.get("capture_photo", {}, { as: "human" });
  const turn = await careTurn(rig);
  const uri = photoUri("basil", String(timestamp));
  const resources = rig.core.house.resources();
  t.match(await resources.read(uri, { name: "human.anna", role: "human" }), { mimeType: "image/jpeg" });
  t.same(sourcesOf(rig, turn), []);
  t.match(await resources.read(uri, AGENT), { _meta: { "tendril/untrusted": [PHOTO] } });
  t.same([sourcesOf(rig, turn), sourcesOf(rig, {})], [[PHOTO], [PHOTO]]);
  t.same(rig.core.get(turns).taintOf({ name: "agent.attic", role: "agent" }, undefined).sources, []);
});

t.test("a link to a photo, and a photo's result without the picture, mark nobody", async (t) => {
  const { rig } = await house(t);
  const turn = await careTurn(rig);
  await rig.get("capture_photo", {}, turn);
  await rig.get("get_recent_photos", {}, turn);
  t.same(sourcesOf(rig, turn), []);
  const keyed = { key: "k" };
  await rig.get("capture_photo", { include_image: true }, keyed);
  t.same(sourcesOf(rig, {}), [PHOTO]);
  await rig.pass(hours(26));
  await rig.get("capture_photo", { include_image: true }, keyed);
  t.same(sourcesOf(rig, {}), [], "what is recalled by its key has no picture");
});

t.test(
  "an agent reads in the overview none of the words that came after strangers' words, so a conversation begins unmarked",
  async (t) => {
    const { rig } = await house(t);
    const turn = await looking(rig);
    await rig.status(PLAN, { reasoning: ORDER }, turn);
    await rig.get("end_turn", {}, turn);
    const later = await careTurn(rig);
    const seen = await rig.get("get_overview", {}, later);
    t.notMatch(JSON.stringify(seen), /pour 20 ml/i);
    t.match(seen, { plants: [{ last_status: { proceed: true, reasoning: /get_care_record/ } }] });
    t.same(sourcesOf(rig, later), []);
    t.match(JSON.stringify(await rig.get("get_overview", {}, { as: "human" })), /pour 20 ml/i);
    const range = { start_time: "2020-01-01T00:00:00Z", end_time: "2100-01-01T00:00:00Z" };
    await reading(rig, "get_care_record", range);
    const reader = await careTurn(rig);
    await rig.get("get_care_record", range, reader);
    t.same(sourcesOf(rig, reader), [PHOTO]);
  },
);
