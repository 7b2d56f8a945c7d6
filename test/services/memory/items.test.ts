import { appendFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { MAX_FACTS, MAX_FACTS_OF_ONE } from "../../../runtime/services/memory/profile.js";
import {
  MAX_BYTES_IN_ALL,
  MAX_BYTES_OF_ONE,
  MAX_IN_ALL,
  MAX_OF_ONE,
} from "../../../runtime/services/memory/rows.js";
import { MODULES } from "../../../runtime/services/modules.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
/** Ana lives five hours behind UTC. */
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: Ana, zone: America/Bogota, tokens: [human.ana] }
  - { id: ben, name: Ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const UUID = "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001";
const NOTE = { source: "CAPTURE", title: "Nota sobre Juan", content: "A Juan le gusta el café" };

const save = (rig: Rig, more: Value = {}, options = {}) =>
  rig.get("save_memory", { ...NOTE, ...more }, options);
const refusedSave = (rig: Rig, more: Value = {}, options = {}) =>
  rig.refused("save_memory", { ...NOTE, ...more }, options);
const search = (rig: Rig, args: Value = {}, options = {}) => rig.get("search_memories", args, options);
const itemsOf = ({ items }: Value) => items as Value[];
const titlesOf = (found: Value) => itemsOf(found).map(({ title }) => title);

t.test("a memory has every field of the seed, with its defaults", async (t) => {
  const rig = await rigFor(t, { start: START });
  const saved = await save(rig);
  t.same(saved, {
    ...NOTE,
    id: saved.id,
    section: "NOTE",
    created_at: START,
    updated_at: START,
    tags: [],
    status: "ACTIVE",
    people: [],
    attendees: [],
    event_start_at: null,
    event_end_at: null,
    timezone: null,
    date_bucket: "2026-06-01",
    due_at: null,
    completed_at: null,
    location: null,
    coordinates: null,
    media_type: null,
    media_path: null,
    attachments: [],
    external_id: null,
    external_url: null,
    list_name: null,
    chat_id: null,
    user_id: "household",
    metadata: {},
  });
  t.match(saved.id, /^[0-9a-f-]{36}$/);
});

/** Every field that may be left out, but whose it is. */
const OPTIONAL = {
  tags: ["plants", "garden"],
  people: ["Juan"],
  attendees: ["Ana", "Ben"],
  event_start_at: "2026-06-03T03:00:00.000Z",
  event_end_at: "2026-06-03T04:00:00.000Z",
  timezone: "America/Bogota",
  date_bucket: "2026-06-02",
  due_at: "2026-06-05T03:00:00.000Z",
  completed_at: "2026-06-04T03:00:00.000Z",
  location: "Balcony",
  coordinates: [4.6, -74.1],
  media_type: "image/jpeg",
  media_path: "fern.jpg",
  attachments: ["receipt.pdf"],
  external_id: "event-1",
  external_url: "https://calendar.example.org/1",
  list_name: "Garden",
};

t.test("every field that is given is stored, found and there after a restart", async (t) => {
  const rig = await rigFor(t, { start: START });
  await mkdir(join(rig.state, "media"));
  for (const file of ["fern.jpg", "receipt.pdf"]) await writeFile(join(rig.state, "media", file), "x");
  const given = {
    id: UUID,
    source: "IMPORT",
    title: "Repotting",
    content: "Repot the fern",
    section: "EVENT",
    status: "ARCHIVED",
    created_at: "2026-05-01T08:00:00.000Z",
    updated_at: "2026-05-02T08:00:00.000Z",
    ...OPTIONAL,
    chat_id: "chat456",
    user_id: "user123",
    metadata: { agent: "note_agent", deep: { a: [1, null] } },
  };
  t.same(await rig.get("save_memory", given), given);
  await rig.restart();
  const [found] = itemsOf(await search(rig, { status: "ARCHIVED" }));
  t.same(found, { ...given, score: 1, matched: [] });
});

t.test("a change of every field is answered and kept whole, and null clears each", async (t) => {
  const rig = await rigFor(t, { start: START });
  await mkdir(join(rig.state, "media"));
  for (const file of ["fern.jpg", "receipt.pdf"]) await writeFile(join(rig.state, "media", file), "x");
  const saved = await save(rig, { user_id: "user123", chat_id: "phone" });
  const { id } = saved;
  const change = (more: Value) => rig.get("update_memory", { id, ...more });
  const stored = async () => itemsOf(await search(rig, { status: "ARCHIVED" }));
  const texts = { source: "DIARY", title: "Fern", content: "Repotted", section: "EVENT", status: "ARCHIVED" };
  const optional = {
    ...OPTIONAL,
    chat_id: "page",
    metadata: { agent: "note_agent" },
  };
  await rig.pass(minutes(5));
  const updated_at = "2026-06-01T08:05:00.000Z";
  t.same(await change({ ...texts, ...optional }), { ...texts, ...optional, id, updated_at });
  await rig.restart();
  const found = { ...saved, ...texts, updated_at, score: 1, matched: [] };
  t.same(await stored(), [{ ...found, ...optional }]);
  t.match(await rig.refused("update_memory", { id, date_bucket: "2026-06-03" }), { message: /date_bucket/ });
  const keys = Object.keys(optional);
  const empty = Object.fromEntries(keys.map((key) => [key, key === "chat_id" ? null : saved[key]]));
  const nulls = Object.fromEntries(keys.map((key) => [key, null]));
  t.same(await change(nulls), { ...empty, id, updated_at });
  t.same(await stored(), [{ ...found, ...empty }]);
});

t.test("null is the same as leaving a field out", async (t) => {
  const rig = await rigFor(t, { start: START });
  const nulls = { tags: null, event_start_at: null, metadata: null, coordinates: null, created_at: null };
  t.match(await save(rig, nulls), {
    tags: [],
    event_start_at: null,
    metadata: {},
    coordinates: null,
    created_at: START,
  });
});

t.test("an id that is there is refused, and SYSTEM is the runtime's own source", async (t) => {
  const rig = await rigFor(t);
  await save(rig, { id: UUID });
  t.match(await refusedSave(rig, { id: UUID }), { code: "ALREADY_EXISTS", details: { id: UUID } });
  t.match(await refusedSave(rig, { id: "17" }), { code: "INVALID_ARGUMENT" });
  t.match(await refusedSave(rig, { source: "SYSTEM" }), { code: "INVALID_ARGUMENT", message: /source/ });
});

t.test("what is not in order is refused by its field", async (t) => {
  const rig = await rigFor(t, { start: START });
  const wrong: readonly (readonly [Value, RegExp])[] = [
    [{ event_start_at: "2026-06-02T10:00Z", event_end_at: "2026-06-02T09:59Z" }, /event_end_at.*before/],
    [{ event_start_at: "tomorrow" }, /event_start_at is not an ISO 8601 time/],
    [{ due_at: "2026-02-30" }, /due_at/],
    [{ completed_at: "x" }, /completed_at/],
    [{ created_at: "x" }, /created_at/],
    [{ updated_at: "x" }, /updated_at/],
    [{ timezone: "Mars/Olympus" }, /timezone/],
    [{ timezone: "+02:00" }, /timezone/],
    [{ date_bucket: "2026-06-02" }, /date_bucket is 2026-06-02.*2026-06-01/],
    [{ date_bucket: "June" }, /date_bucket/],
    [{ coordinates: [91, 0] }, /coordinates/],
    [{ coordinates: [0, -181] }, /coordinates/],
    [{ coordinates: [0] }, /coordinates/],
    [{ metadata: { a: "x".repeat(16_384) } }, /metadata is longer than 16384 bytes/],
    [{ metadata: [] }, /metadata/],
    [{ media_type: "a picture" }, /media_type/],
    [{ external_url: "javascript:alert(1)" }, /external_url/],
    [{ tags: [" "] }, /tags/],
    [{ title: " " }, /title is empty/],
    [{ content: "x".repeat(8001) }, /content is longer/],
    [{ section: "POEM" }, /section/],
    [{ status: "GONE" }, /status/],
    [{ mood: "good" }, /mood/],
  ];
  for (const [more, message] of wrong)
    t.match(
      await refusedSave(rig, more),
      { code: "INVALID_ARGUMENT", message },
      JSON.stringify(more).slice(0, 80),
    );
  t.equal((await search(rig)).count, 0, "and nothing of it is kept");
});

t.test("media lie in the media folder, whatever path or link leads there", async (t) => {
  const rig = await rigFor(t);
  const media = join(rig.state, "media");
  await mkdir(join(media, "2026"), { recursive: true });
  await writeFile(join(media, "2026", "a.jpg"), "x");
  await writeFile(join(rig.state, "secret"), "x");
  await symlink(join(rig.state, "secret"), join(media, "link"));
  t.match(await save(rig, { media_path: "2026/../2026/a.jpg" }), { media_path: "2026/a.jpg" });
  t.match(await save(rig, { attachments: [join(media, "2026", "a.jpg")] }), { attachments: ["2026/a.jpg"] });
  for (const path of ["../secret", join(rig.state, "secret"), "/etc/passwd", "link", "."])
    for (const more of [{ media_path: path }, { attachments: [path] }])
      t.equal((await refusedSave(rig, more)).code, "PATH_OUTSIDE", path);
  for (const path of ["nowhere.jpg", "2026", "2026/a.jpg/b", "a\0b"])
    t.equal((await refusedSave(rig, { media_path: path })).code, "NOT_FOUND", path);
});

t.test("@names in the content are among the people, once, called as they are configured", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const content = "@ANA and @Zoë met @Ana; mail to x@example.org, user@ben, @ben.";
  const { people } = await save(rig, { content, people: ["Juan", "ana"] });
  t.same(people, ["Juan", "Ana", "Zoë", "Ben"]);
  t.equal((await search(rig, { people: ["ana"] })).count, 1, "and are found by id or name");
  t.equal((await search(rig, { people: ["zoe", "BEN"] })).count, 1);
  t.equal((await search(rig, { people: ["Ana", "Carl"] })).count, 0);
});

const ROOMS = { skip: MODULES.some(({ name }) => name === "climate") ? false : "without climate" };

t.test("@names are linked with plants, rooms and pictures of the house too", ROOMS, async (t) => {
  const config = `${FAMILY}plants: [{ id: basil, name: Kitchen herb }]
climate: [{ place: kitchen }]`;
  const rig = await rigFor(t, { config });
  await mkdir(join(rig.state, "media"));
  await writeFile(join(rig.state, "media", "fern-2.jpg"), "x");
  const content = "@ben moved @Basil to the @Kitchen: @fern-2.jpg. @gone.png. @Zoë saw it.";
  const saved = await save(rig, { content, metadata: { plants: ["fern"], more: 1 } });
  t.match(saved, { location: "kitchen", attachments: ["fern-2.jpg"] });
  t.same(saved.people, ["Ben", "Zoë"]);
  t.same(saved.metadata, { plants: ["fern", "basil"], more: 1 });
  t.match(await save(rig, { content: "@kitchen", location: "Balcony" }), { location: "Balcony" });
  t.same((await save(rig, { content: "@basil", metadata: { plants: "mine" } })).metadata, { plants: "mine" });
  const { id } = await save(rig, { content: "no links" });
  t.match(await rig.get("update_memory", { id, content: "@fern-2.jpg and @basil" }), {
    ...{ attachments: ["fern-2.jpg"], metadata: { plants: ["basil"] } },
  });
});

t.test("times without an offset, and the day, are of the memory's zone, else of its person's", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const own = await save(rig, { event_start_at: "2026-06-02T22:00" }, ANA);
  t.match(own, { event_start_at: "2026-06-03T03:00:00.000Z", date_bucket: "2026-06-02", user_id: "ana" });
  const named = await save(rig, { due_at: "2026-06-02T22:00", timezone: "Europe/Berlin" }, ANA);
  t.match(named, { due_at: "2026-06-02T20:00:00.000Z", date_bucket: "2026-06-02" });
  t.match(await save(rig, { event_start_at: "2026-06-02T22:00Z", event_end_at: "2026-06-02T22:00Z" }), {
    date_bucket: "2026-06-02",
  });
});

t.test("a time whose day is of the year 10000 in some zone is refused by its name", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  for (const key of ["created_at", "due_at", "event_start_at"]) {
    const given = { timezone: "Europe/Berlin", [key]: "9999-12-31T23:59:59Z" };
    t.match(await refusedSave(rig, given), { code: "INVALID_ARGUMENT", message: new RegExp(key) });
  }
});

t.test(
  "a change returns what is changed, null clears, and the journal keeps the former version",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const { id } = await save(rig, { tags: ["a"], event_start_at: "2026-06-02T10:00Z" });
    await rig.pass(minutes(5));
    const updated_at = "2026-06-01T08:05:00.000Z";
    t.same(await rig.get("update_memory", { id, title: "Juan", content: "@Eva knows" }), {
      id,
      title: "Juan",
      content: "@Eva knows",
      people: ["Eva"],
      updated_at,
    });
    t.same(await rig.get("update_memory", { id, tags: null, event_start_at: null }), {
      id,
      tags: [],
      event_start_at: null,
      date_bucket: "2026-06-01",
      updated_at,
    });
    t.match(await rig.refused("update_memory", { id }), { message: /nothing to change/ });
    t.match(await rig.refused("update_memory", { id, event_start_at: "x" }), { code: "INVALID_ARGUMENT" });
    for (const fixed of ["created_at", "user_id"])
      t.match(await rig.refused("update_memory", { id, [fixed]: "x" }), { message: new RegExp(fixed) });
    t.match(itemsOf(await search(rig, { query: "eva" })), [
      { id, title: "Juan", created_at: START, tags: [] },
    ]);
    t.equal((await search(rig, { query: "café" })).count, 0, "the former words find it no more");
    const journal = await readFile(join(rig.state, "journal", "memory-items.jsonl"), "utf8");
    t.match(journal, NOTE.content);
  },
);

t.test("a deleted memory is hidden, and shown to who asks for deleted ones", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { id } = await save(rig);
  const gone = { id, title: NOTE.title, deleted: true };
  t.same(await rig.get("delete_memory", { id }), gone);
  t.same(await rig.get("delete_memory", { id }), gone, "twice is no error");
  t.equal((await search(rig, { query: "Juan" })).count, 0);
  t.match(await search(rig, { status: "DELETED" }), { count: 1, items: [{ id, status: "DELETED" }] });
  await rig.get("update_memory", { id, status: "ACTIVE" });
  t.equal((await search(rig, { query: "Juan" })).count, 1, "and a change brings it back");
  t.equal((await rig.refused("delete_memory", { id: UUID })).code, "NOT_FOUND");
});

t.test(
  "words are found in any case, without accents, and with other endings in three languages",
  async (t) => {
    const rig = await rigFor(t);
    const texts = [
      "A Juan le gustan los cafés",
      "The ferns were misted on the balcony",
      "Die Pflanzen brauchen Wasser, ich gieße die Blumen",
      "Straße nach Süden",
    ];
    for (const content of texts) await save(rig, { title: content.slice(0, 9), content });
    const finds = async (query: string) =>
      itemsOf(await search(rig, { query })).map(({ content }) => content);
    const expected: readonly (readonly [string, number])[] = [
      ["CAFE", 0],
      ["gusta", 0],
      ["fern", 1],
      ["misting", 1],
      ["Balconies", 1],
      ["Pflanze", 2],
      ["gießt blume", 2],
      ["strasse", 3],
      ["SUDEN", 3],
    ];
    for (const [query, at] of expected) t.same(await finds(query), [texts[at]], query);
    t.same(await finds("bicycle"), [], "nothing relevant is an empty answer");
    t.same(await finds("what is the bicycle of the neighbour"), [], "words that are everywhere find nothing");
    t.same(await finds("!?"), [], "nor what has no words");
  },
);

t.test("each hit says why, with a score, the best first", async (t) => {
  const rig = await rigFor(t, { start: START });
  await save(rig, { title: "Basil", content: "likes the sun as the fern does not" });
  await save(rig, { title: "Fern", content: "drinks at night", tags: ["green"] });
  const found = itemsOf(await search(rig, { query: "when does the fern drink" }));
  t.match(found, [
    { title: "Fern", matched: ["title: fern", "content: drink"] },
    { title: "Basil", matched: ["content: fern"] },
  ]);
  const [best, second] = found.map(({ score }) => score as number) as [number, number];
  t.ok(best <= 1 && best > second && second > 0, `${best} ${second}`);
  t.match(itemsOf(await search(rig, { query: "green", tags: ["GREEN"] })), [
    { title: "Fern", matched: ["tags: green", "tag: GREEN"] },
  ]);
});

t.test("memories are found by section, tags, status and time, in pages, the newest first", async (t) => {
  const rig = await rigFor(t, { start: START });
  for (let day = 1; day <= 5; day += 1) {
    const more = { section: day === 3 ? "DIARY" : "NOTE", tags: day < 3 ? ["Früh", "x"] : [] };
    await save(rig, { ...more, title: `${day}`, event_start_at: `2026-07-0${day}T12:00Z` });
  }
  t.same(titlesOf(await search(rig)), ["5", "4", "3", "2", "1"]);
  t.same(titlesOf(await search(rig, { section: "DIARY" })), ["3"]);
  t.same(titlesOf(await search(rig, { tags: ["fruh"] })), ["2", "1"]);
  t.same(titlesOf(await search(rig, { tags: ["fruh", "y"] })), []);
  t.same(titlesOf(await search(rig, { from: "2026-07-02", to: "2026-07-04" })), ["4", "3", "2"]);
  t.same(titlesOf(await search(rig, { to: "2026-07-02T11:59Z" })), ["1"]);
  const page = await search(rig, { limit: 2, offset: 1 });
  t.same([titlesOf(page), page.count], [["4", "3"], 5]);
  t.match(await rig.refused("search_memories", { from: "soon" }), { message: /from is not an ISO 8601/ });
});

t.test("a person sees, changes and deletes the own memories and the household's alone", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const { id } = await save(rig, {}, ANA);
  await save(rig, { title: "ours", user_id: "household" }, ANA);
  t.same(titlesOf(await search(rig, {}, ANA)).sort(), [NOTE.title, "ours"]);
  t.same(titlesOf(await search(rig, { query: "Juan" }, BEN)), ["ours"]);
  t.equal((await rig.refused("update_memory", { id, title: "x" }, BEN)).code, "NOT_FOUND");
  t.equal((await rig.refused("delete_memory", { id }, BEN)).code, "NOT_FOUND");
  t.equal((await rig.refused("search_memories", { user_id: "ana" }, BEN)).code, "FORBIDDEN");
  t.equal((await refusedSave(rig, { user_id: "ana" }, BEN)).code, "FORBIDDEN");
  t.same(titlesOf(await search(rig, { user_id: "ben" })), ["ours"], "the agent asks for one of them");
  t.equal((await refusedSave(rig, { user_id: "carl" })).code, "NOT_FOUND");
  const recalled = await rig.get("recall_user_context", { topic: "coffee café" }, BEN);
  t.same(
    (recalled.entries as Value[]).map(({ title }) => title),
    ["ours"],
  );
});

t.test("what add_memory remembers is one store with the others", async (t) => {
  const rig = await rigFor(t, { start: START });
  const text = "the fern drinks at night";
  await rig.get("add_memory", { text });
  await save(rig);
  const listed = async () => ((await rig.get("list_memories")).memories as Value[]).map((each) => each.text);
  t.same(await listed(), [text], "care cycles are shown what the agent remembers, and no diary");
  const [found] = itemsOf(await search(rig, { query: "ferns" }));
  t.match(found, { title: text, content: text, source: "CAPTURE", user_id: "household", created_at: START });
  await rig.get("update_memory", { id: found?.id, content: "it drinks at noon" });
  t.same(await listed(), ["it drinks at noon"]);
  t.equal((await search(rig, { query: "night", section: "NOTE" })).count, 1, "the title still has it");
  await rig.restart();
  t.same(await listed(), ["it drinks at noon"]);
  await rig.get("delete_memory", { id: found?.id });
  t.same(await listed(), []);
  t.equal((await rig.refused("forget_memory", { id: 1 }, { as: "human" })).code, "UNKNOWN_MEMORY");
  t.match(await rig.refused("update_memory", { id: found?.id, status: "ACTIVE" }), { message: /taken back/ });
  await rig.get("add_memory", { text });
  await rig.get("forget_memory", { id: 2 }, { as: "human" });
  t.equal((await search(rig, { query: "fern" })).count, 0, "and what is forgotten is found no more");
});

t.test("what was acknowledged is there after a crash, once, and found", async (t) => {
  const rig = await rigFor(t);
  const first = await save(rig, {}, { key: "one" });
  await save(rig, { title: "two", content: "perlite" });
  await rig.get("update_memory", { id: first.id, title: "Juan!" });
  const before = await search(rig);
  await rig.crash();
  await rig.open();
  t.same(await search(rig), before);
  t.same(await save(rig, {}, { key: "one" }), first, "the same call with its key again adds nothing");
  t.equal((await search(rig)).count, 2);
  t.same(titlesOf(await search(rig, { query: "perlite" })), ["two"]);
});

t.test("memories of one person are bounded, deleted ones aside", async (t) => {
  const rig = await rigFor(t, { start: START });
  const item = await save(rig, { user_id: "ana" });
  await rig.stop();
  const line = (n: number) => ({ id: n, timestamp: START, by: "agent", item: { ...item, id: `${n}` } });
  const lines = Array.from({ length: 4999 }, (_, n) => `${JSON.stringify(line(n + 2))}\n`);
  await appendFile(join(rig.state, "journal", "memory-items.jsonl"), lines.join(""));
  await rig.open();
  t.equal((await search(rig)).count, 5000);
  t.equal((await search(rig, { query: "juan" })).count, 5000, "and each is found");
  t.match(await refusedSave(rig, { user_id: "ana" }), { code: "TOO_MANY_MEMORIES", message: /ana has 5000/ });
  await save(rig, { user_id: "ben" });
  await rig.get("delete_memory", { id: item.id });
  await save(rig, { user_id: "ana" });
});

t.test("the bytes of memories are bounded, of new ones and of changes", async (t) => {
  const rig = await rigFor(t, { start: START });
  const item = await save(rig, { user_id: "ana" });
  await rig.stop();
  const large = { ...item, metadata: { text: "x".repeat(16_000) } };
  const line = (n: number) => ({ id: n, timestamp: START, by: "agent", item: { ...large, id: `${n}` } });
  const room = MAX_BYTES_OF_ONE - Buffer.byteLength(JSON.stringify(item));
  const count = Math.floor(room / Buffer.byteLength(JSON.stringify({ ...large, id: "100" })));
  const lines = Array.from({ length: count }, (_, n) => `${JSON.stringify(line(n + 2))}\n`);
  await appendFile(join(rig.state, "journal", "memory-items.jsonl"), lines.join(""));
  await rig.open();
  const content = "x".repeat(8000);
  const refusal = { code: "TOO_MANY_MEMORIES", message: /memories of ana, .*more than 10485760 bytes/ };
  for (let n = 0; n < 2; n += 1) await rig.call("save_memory", { ...NOTE, content, user_id: "ana" });
  t.match(await refusedSave(rig, { user_id: "ana", content }), refusal);
  t.match(
    await rig.refused("update_memory", { id: item.id, metadata: { text: "x".repeat(16_000) } }),
    refusal,
  );
  await rig.get("update_memory", { id: "2", metadata: {} });
  await rig.get("update_memory", { id: item.id, content });
  await save(rig, { user_id: "ben", content });
});

t.test("docs/limits.md has the limits of memories", async (t) => {
  const page = await readFile("docs/limits.md", "utf8");
  const grouped = (n: number) => n.toLocaleString("en-US");
  const mib = (bytes: number) => `${bytes / 1_048_576} MiB`;
  for (const limit of [
    `| memories | ${grouped(MAX_OF_ONE)} of each owner, ${grouped(MAX_IN_ALL)} in all |`,
    `| ${mib(MAX_BYTES_OF_ONE)} of each owner, ${mib(MAX_BYTES_IN_ALL)} in all,`,
    `| entries of a profile | ${MAX_FACTS_OF_ONE} of each owner, ${grouped(MAX_FACTS)} in all;`,
  ])
    t.ok(page.includes(limit), limit);
});
