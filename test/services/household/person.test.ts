import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { erasePerson, exportPerson, people } from "../../../runtime/cli/person.js";
import { runtimeApi } from "../../../runtime/core.js";
import { TendrilError } from "../../../runtime/errors.js";
import { type Rig, rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";
import { TOOL_CONTRACTS } from "../contracts.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
const PERSON = { as: "human" } as const;
const AGENT = { as: "agent" } as const;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const CALLS = "server: { calls_per_second: 100000 }";
const FAMILY = `
${CALLS}
people:
  - { id: ana, name: Ana Lima, zone: America/Recife, tokens: [human.ana, agent.ana] }
  - { id: ben, tokens: [human.ben] }
`;
/** A word that only Ana says. */
const WORD = "quokka";

/** The files of the state folder that have this text. */
async function filesWith(rig: Rig, text: string): Promise<readonly string[]> {
  const files = await readdir(rig.state, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of files.filter((each) => each.isFile()))
    if ((await readFile(join(file.parentPath, file.name))).includes(text)) found.push(file.name);
  return found.sort();
}

const linesOf = async (rig: Rig, journal: string): Promise<readonly Value[]> =>
  (await readFile(join(rig.state, "journal", `${journal}.jsonl`), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Value);

const MEMORY = { skip: TOOL_CONTRACTS.has("save_memory") ? false : "without memories" };

let keys = 0;
/** With a key: then its result is kept. Of a family that was removed nothing is said. */
const say = async (rig: Rig, tool: string, args: Value, options: Value = ANA): Promise<Value> =>
  TOOL_CONTRACTS.has(tool) ? rig.get(tool, args, { ...options, key: `key ${keys++}` }) : {};

const ask = async (rig: Rig, tool: string, args: Value, options: Value): Promise<Value> =>
  TOOL_CONTRACTS.has(tool) ? rig.get(tool, args, options) : {};

/** Each journal with records of persons, and a tool of its family. */
const JOURNALS = Object.entries({
  lists: "list_tool get_lists",
  tasks: "task_tool list_tasks",
  "memory-items": "save_memory",
  profile: "get_user_profile",
  messages: "send_message_to_agent",
  chats: "send_chat_message",
}).flatMap(([journal, tool]) => (TOOL_CONTRACTS.has(tool) ? [journal] : []));

/** Something in every family that knows of persons. */
async function fill(rig: Rig, word: string, who: Value): Promise<void> {
  const { item_id } = await say(
    rig,
    "list_tool add_item",
    { operation: "add_item", list_name: `${word} things`, item_text: `a ${word}` },
    who,
  );
  await say(rig, "list_tool complete_item", { operation: "complete_item", item_id }, who);
  const { task_id } = await say(
    rig,
    "task_tool create_task",
    { operation: "create_task", title: `feed the ${word}`, due_at: "2026-06-01T08:05:00Z" },
    who,
  );
  await say(
    rig,
    "task_tool update_task",
    { operation: "update_task", task_id, description: `${word} food` },
    who,
  );
  await say(
    rig,
    "scheduleAgentTask",
    {
      taskPayload: { about: word },
      timeExpression: "every day at 7am",
      humanReadableDescription: `the ${word}`,
    },
    who,
  );
  const { id } = await say(
    rig,
    "save_memory",
    { source: "DIARY", title: "trip", content: `met a ${word}` },
    who,
  );
  await say(rig, "update_memory", { id, content: `met two ${word}s` }, who);
  await say(rig, "search_memories", { query: word }, who);
  await say(rig, "recall_user_context", { topic: word }, who);
  for (const value of ["animals", word])
    await say(rig, "update_user_profile", { category: "preference", key: "likes", value }, who);
  const chat = await say(rig, "send_chat_message", { text: `is the ${word} hungry?` }, who);
  const { turn_id: turn } = await say(
    rig,
    "begin_turn",
    { kind: "conversation", chat_id: chat.chat_id },
    AGENT,
  );
  await say(rig, "list_chat_messages", {}, { ...AGENT, turn });
  await say(rig, "send_chat_message", { text: `no ${word} is` }, { ...AGENT, turn });
  const { message_id } = await say(rig, "send_message_to_agent", { message: `where is the ${word}?` }, who);
  await rig.get("send_message_to_human", { message: `the ${word} is here`, in_reply_to: message_id });
  await say(rig, "list_messages_from_human", {}, { as: "agent" });
}

/** Ana's and Ben's rows, and the household's, with reminders told. */
async function filled(t: Parameters<typeof rigFor>[0]): Promise<Rig> {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  await fill(rig, "wombat", BEN);
  await fill(rig, WORD, ANA);
  await say(
    rig,
    "list_tool add_item",
    { operation: "add_item", list_name: "house", item_text: "soap" },
    PERSON,
  );
  await rig.pass(minutes(10));
  await say(rig, "list_notifications", {}, ANA);
  return rig;
}

/** What Ben and the household have. */
const others = async (rig: Rig) => [
  await ask(rig, "list_tool get_lists", { operation: "get_lists" }, BEN),
  await ask(rig, "task_tool list_tasks", { operation: "list_tasks" }, BEN),
  await ask(rig, "search_memories", {}, BEN),
  await ask(rig, "get_user_profile", {}, BEN),
  await ask(rig, "list_notifications", {}, BEN),
];

t.test(
  "what is erased of a person is in no file of the state folder, and all else is as it was",
  async (t) => {
    const rig = await filled(t);
    const before = await filesWith(rig, WORD);
    for (const journal of [...JOURNALS, "calls"]) t.ok(before.includes(`${journal}.jsonl`), journal);
    const kept = await others(rig);
    const lines = await linesOf(rig, "lists");
    t.match(await rig.get("erase_person", { user_id: "ana" }, PERSON), { erased: true, set_aside: [] });
    t.same(await filesWith(rig, WORD), []);
    t.same(await others(rig), kept);
    const after = await linesOf(rig, "lists");
    t.same(
      after.filter(({ erased }) => !erased),
      lines.filter((line) => after.find(({ id }) => id === line.id)?.erased === undefined),
      "other lines and their numbers are as they were",
    );
    for (const lose of [false, true]) {
      await rig.stop();
      if (lose) await rm(join(rig.state, "tendril.sqlite"));
      await rig.open();
      t.same(rig.core.house.store.warnings, [], "no journal counts as damaged");
      t.same(await others(rig), kept);
      const { tasks = [] } = await ask(rig, "task_tool list_tasks", { operation: "list_tasks" }, ANA);
      t.same(tasks, [], "and nothing of Ana came back");
      t.same((await ask(rig, "search_memories", { user_id: "ana", query: WORD }, PERSON)).items ?? [], []);
    }
    await rig.pass(minutes(24 * 60));
    t.same(await filesWith(rig, WORD), [], "and nothing rings any more");
  },
);

t.test("an erasure goes on at the next start, wherever it was interrupted", async (t) => {
  for (let steps = 0, isDone = false; !isDone; steps += 1) {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    await fill(rig, WORD, ANA);
    rig.disk.failAtReplacement(steps);
    isDone = (await rig.call("erase_person", { user_id: "ana" }, PERSON)).ok;
    rig.disk.failAtReplacement(Number.POSITIVE_INFINITY);
    await rig.crash();
    await rig.open();
    t.same(await filesWith(rig, WORD), [], `after ${steps / 2} journals`);
    if (isDone) t.ok(steps >= 2 * JOURNALS.length, "before and behind each journal");
    await rig.end();
  }
});

/** Arguments with the word in this one, where it is a text. */
const withWord = (args: Value, key: string): Value => ({ ...args, [key]: `${String(args[key])} ${WORD}` });

t.test("whatever a tool that takes user_id has written for a person, the erasure takes it out", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const tools = [...TOOL_CONTRACTS].filter(
    ([name, { valid }]) => "user_id" in valid && !["export_person", "erase_person"].includes(name),
  );
  let taken = 0;
  for (const [name, { valid }] of tools)
    for (const key of Object.keys(valid).filter((each) => typeof valid[each] === "string")) {
      const args = withWord(valid, key);
      const result = await rig.call(name, args, { ...ANA, key: `${name} ${key}` });
      if (result.ok) taken += 1;
    }
  t.ok(taken >= 12, `${taken} calls were taken`);
  t.ok((await filesWith(rig, WORD)).length >= 5);
  await rig.get("erase_person", { user_id: "ana" }, PERSON);
  t.same(await filesWith(rig, WORD), []);
});

t.test("what is kept of a call of another person survives an erasure", MEMORY, async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const note = (title: string) => ({ source: "CAPTURE", title, content: title });
  const [his, hers] = [
    { ...BEN, key: "his" },
    { ...ANA, key: "hers" },
  ];
  const first = await rig.get("save_memory", note("garden"), his);
  await rig.get("save_memory", note("kitchen"), hers);
  await rig.get("erase_person", { user_id: "ana" }, PERSON);
  t.same(await rig.get("save_memory", note("garden"), his), first, "the same call gives its first answer");
  const { code } = await rig.refused("save_memory", note("kitchen"), hers);
  t.equal(code, "RESULT_ERASED", "what her call gave is forgotten, and it is not done again");
});

t.test("only people export and erase, and with a token of one's own only oneself", async (t) => {
  const rig = await filled(t);
  for (const tool of ["export_person", "erase_person", "list_people"]) {
    const args = tool === "list_people" ? {} : { user_id: "ana" };
    t.equal((await rig.refused(tool, args, { as: "agent", token: "agent.ana" })).code, "FORBIDDEN", tool);
  }
  const ana = { user_id: "ana", name: "Ana Lima", tokens: ["human.ana", "agent.ana"] };
  t.match(await rig.get("list_people", {}, PERSON), {
    people: [
      { ...ana, records: Number },
      { user_id: "ben", tokens: ["human.ben"], records: Number },
    ],
  });
  t.match(await rig.get("list_people", { records: false }, PERSON), {
    people: [
      { ...ana, records: null },
      { user_id: "ben", records: null },
    ],
  });
  t.match(await rig.get("list_people", {}, BEN), {
    people: [
      { user_id: "ben", records: Number },
      { user_id: "ana", records: null },
    ],
  });
  for (const tool of ["export_person", "erase_person"]) {
    t.equal((await rig.refused(tool, { user_id: "ana" }, BEN)).code, "FORBIDDEN");
    t.equal((await rig.refused(tool, { user_id: "household" }, PERSON)).code, "INVALID_ARGUMENT");
    t.equal((await rig.refused(tool, { user_id: "carl" }, PERSON)).code, "NOT_FOUND");
  }
  t.match(await rig.get("erase_person", { user_id: "ben" }, BEN), { erased: true });
  t.same(await filesWith(rig, "wombat"), []);
});

t.test(
  "before a person is erased their browsers are let out, and if that fails nothing is erased",
  async (t) => {
    const rig = await filled(t);
    const said: boolean[][] = [];
    const { onErase } = runtimeApi(rig.core);
    const heedNoMore = onErase(async (isTheirs) => {
      said.push(["human.ana", "agent.ana", "human.ben", "human"].map(isTheirs));
      throw new TendrilError("STORE_FAILED", "the card is full");
    });
    t.equal((await rig.refused("erase_person", { user_id: "ana" }, PERSON)).code, "STORE_FAILED");
    t.same(said, [[true, true, false, false]]);
    t.not((await filesWith(rig, WORD)).length, 0);
    await rig.restart();
    t.not((await filesWith(rig, WORD)).length, 0, "nor at the next start");
    heedNoMore();
    t.match(await rig.get("erase_person", { user_id: "ana" }, PERSON), { erased: true });
  },
);

t.test("who is no longer in the configuration, or never was, is exported and erased too", async (t) => {
  const rig = await filled(t);
  await rig.restart(CALLS);
  const remote = rigRemote(rig);
  t.match(await people(remote), /^ana {2}\d+ records {2}\(not in the configuration\)$/m);
  t.match(
    await erasePerson(remote, "ana", { isSure: true, terminal: undefined }),
    /^erased \d+ records of ana/,
  );
  t.notMatch(await people(remote), /ana/);
  for (const journal of JOURNALS.filter((each) => each !== "messages"))
    t.notOk((await filesWith(rig, WORD)).includes(`${journal}.jsonl`), journal);
});

t.test("whoever records are of stays within a line at a terminal", async (t) => {
  const rig = await rigFor(t);
  await rig.get(
    "task_tool",
    { operation: "create_task", title: "x", user_id: "ana\n! leak" },
    { as: "human" },
  );
  t.equal(await people(rigRemote(rig)), "ana\\n! leak  1 record  (not in the configuration)");
});

t.test("what a switched-off module may keep is never left out in silence", async (t) => {
  const rig = await filled(t);
  await rig.restart(`${FAMILY}\nmodules: { lists: false }`);
  for (const tool of ["export_person", "erase_person"])
    t.match(await rig.refused(tool, { user_id: "ana" }, PERSON), { code: "MODULE_OFF", message: /lists/ });
});

t.test("media that only this person's memories name are removed", MEMORY, async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const media = join(rig.state, "media");
  await mkdir(media);
  for (const name of ["hers.jpg", "both.jpg"]) await writeFile(join(media, name), WORD);
  const save = (options: Value, attachments: readonly string[]) =>
    rig.get("save_memory", { source: "IMPORT", title: "photo", content: "x", attachments }, options);
  await save(PERSON, ["both.jpg"]); // the household's: so both may name it
  await save(ANA, ["hers.jpg", "both.jpg"]);
  await save(BEN, ["both.jpg"]);
  await rig.get("erase_person", { user_id: "ana" }, PERSON);
  t.same(await readdir(media), ["both.jpg"]);
});

t.test(
  "the export has every line about the person, with history, in pages, and no line of others",
  async (t) => {
    const rig = await filled(t);
    const folder = await mkdtemp(join(tmpdir(), "tendril-person-"));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "ana.json");
    const remote = rigRemote(rig);
    t.match(await exportPerson(remote, "ANA LIMA", file), /everything about ana is in/);
    t.equal((await stat(file)).mode & 0o777, 0o600);
    const { person, lines } = JSON.parse(await readFile(file, "utf8")) as {
      person: Value;
      lines: { journal: string; line: Value }[];
    };
    t.same(person, { user_id: "ana", name: "Ana Lima", zone: "America/Recife", language: "en" });
    t.same([...new Set(lines.map(({ journal }) => journal))].sort(), [...JOURNALS].sort());
    for (const journal of JOURNALS) {
      const wanted = (await linesOf(rig, journal)).filter((line) => JSON.stringify(line).includes(WORD));
      const got = new Set(lines.filter((each) => each.journal === journal).map(({ line }) => line.id));
      t.ok(wanted.length > 0);
      t.same(
        wanted.filter(({ id }) => !got.has(id)),
        [],
        journal,
      );
    }
    t.ok(
      lines.some(({ line }) => JSON.stringify(line).includes("animals")),
      "the former value of the profile",
    );
    t.notMatch(JSON.stringify(lines), /wombat|soap/);
    await t.rejects(exportPerson(remote, "ana", file), /is there already/);
    t.same(await readdir(folder), ["ana.json"], "and nothing half written is left");
    await t.rejects(
      exportPerson(remote, "carl", join(folder, "carl.json")),
      /nothing is kept about "carl". The people are: /,
    );
    await t.rejects(erasePerson(remote, "ana", { isSure: false, terminal: undefined }), /--yes/);
  },
);

t.test("a long export comes in several pages, each line once", MEMORY, async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  for (let n = 0; n < 180; n += 1)
    await rig.get("save_memory", { source: "IMPORT", title: `no ${n}`, content: "x".repeat(8000) }, ANA);
  const found: unknown[] = [];
  let pages = 0;
  for (let skip: number | null = 0; skip !== null; pages += 1) {
    const page: Value = await rig.get("export_person", { user_id: "ana", skip }, PERSON);
    found.push(...(page.lines as { line: Value }[]).map(({ line }) => line.id));
    skip = page.next as number | null;
  }
  t.equal(pages, 2);
  t.same(
    found,
    Array.from({ length: 180 }, (_, n) => n + 1),
  );
});
