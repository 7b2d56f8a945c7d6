import { appendFile, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { extract } from "tar";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { restore } from "../../../runtime/backup/restore.js";
import { documentOf } from "../../../runtime/services/knowledge/passages.js";
import { Database } from "../../../runtime/store/database.js";
import { PassageIndex } from "../../../runtime/store/passage-index.js";
import { type CallOptions, type Rig, rigFor } from "../../rig.js";

/** A state that the version of 2026-11-26 has written, and what it answered: test/fixtures/state/README.md. */
const BACKUP = "test/fixtures/state/backup.tar.gz";

type Value = Readonly<Record<string, unknown>>;

interface Asked {
  readonly name: string;
  readonly arguments: Value;
  readonly options: CallOptions;
  readonly answer: Value;
}

const FORMER = JSON.parse(await readFile("test/fixtures/state/answers.json", "utf8")) as {
  readonly at: string;
  readonly config: string;
  readonly asked: readonly Asked[];
};

const journal = (rig: Rig, name: string) => join(rig.state, "journal", `${name}.jsonl`);
const linesOf = async (rig: Rig, name: string) =>
  (await readFile(journal(rig, name), "utf8")).split(/(?<=\n)/);

const usedIn = async (rig: Rig) => (await readFile(join(rig.state, "used"), "utf8")).split("\n");

/** A runtime that is stopped, on the former state. */
async function formerRig(t: Test): Promise<Rig> {
  const rig = await rigFor(t, { start: FORMER.at, config: FORMER.config });
  await rig.stop();
  await putBack(rig);
  return rig;
}

async function putBack(rig: Rig): Promise<void> {
  await rm(rig.state, { recursive: true, force: true });
  await mkdir(rig.state);
  await extract({ file: BACKUP, cwd: rig.state });
}

/** What answers have had since. */
const SINCE: Readonly<Record<string, string>> = {
  list_messages_from_agent: "over_at",
  get_overview: "assumed_ml",
};

const asThen = (tool: string, now: Value): Value =>
  JSON.parse(JSON.stringify(now, (field, value) => (field === SINCE[tool] ? undefined : value)));

/** Every question has the answer that the former version gave. */
async function answersAsBefore(t: Test, rig: Rig, what = "", asked = FORMER.asked): Promise<void> {
  for (const { name, arguments: args, options, answer } of asked) {
    const now = await rig.get(name, args, options);
    const question = `${name} ${JSON.stringify(args)} ${what}`;
    if (args.status === "DELETED") hasAll(t, now, answer, question);
    else t.same(asThen(name, now), answer, question);
  }
}

/** What was taken back is now found among what is deleted, whether it had been changed before or not. */
function hasAll(t: Test, now: Value, before: Value, question: string): void {
  const { items } = now as { items: readonly Value[] };
  const isNew = ({ content }: Value) => content === "Ana sings to the cactus";
  t.same(
    items.filter((each) => !isNew(each)),
    before.items,
    question,
  );
  t.equal(items.filter(isNew).length, 1);
}

t.test("a state folder of 2026-11-26 has all that it had", async (t) => {
  const rig = await formerRig(t);
  await rig.open();
  await answersAsBefore(t, rig);
  t.same(rig.core.house.store.warnings, []);
  t.notOk((await readdir(join(rig.state, "journal"))).includes("memories.jsonl"), "one journal of memories");
  t.notMatch(await readFile(join(rig.state, "used"), "utf8"), /^memories$/m);
  t.match(await rig.get("add_memory", { text: "the fern drinks at night" }), { id: 1, known: true });
  t.match(await rig.get("add_memory", { text: "new" }), { id: 15, known: false }, "no number is given twice");
  await rig.get("forget_memory", { id: 15 }, { as: "human" });
  await rig.restart();
  t.equal((await rig.get("list_memories")).count, 3);
});

t.test("the database is of no need: all but readings is in the journals", async (t) => {
  const rig = await formerRig(t);
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  const isElsewhere = ({ name }: Asked) => /_history$|overview/.test(name);
  for (const { name, arguments: args, options, answer } of FORMER.asked.filter((each) => !isElsewhere(each)))
    if (args.status !== "DELETED") t.same(asThen(name, await rig.get(name, args, options)), answer, name);
});

t.test("a kill at any step of the way leaves a folder that has all that it had", async (t) => {
  const rig = await formerRig(t);
  const [before, used] = [await linesOf(rig, "memory-items"), await usedIn(rig)];
  await rig.open();
  await rig.stop();
  const added = (await linesOf(rig, "memory-items")).slice(before.length);
  t.ok(added.length > 5, `${added.length} lines`);
  /** Written are so many of the lines, and a part of the next. */
  const cuts = added.flatMap((line, n) => [added.slice(0, n), [...added.slice(0, n), line.slice(0, 90)]]);
  for (const [n, cut] of [...cuts, added].entries()) {
    await putBack(rig);
    await writeFile(journal(rig, "memory-items"), [...before, ...cut].join(""));
    await rig.open();
    // the overview tells of a line that is cut off
    const asked = FORMER.asked.filter(({ name }) => name !== "get_overview");
    await answersAsBefore(t, rig, `cut ${n}`, asked);
    await rig.stop();
  }
  await putBack(rig);
  await writeFile(journal(rig, "memory-items"), [...before, ...added].join(""));
  await writeFile(join(rig.state, "used"), used.filter((name) => name !== "memories").join("\n"));
  await rig.open();
  await answersAsBefore(t, rig, "between the mark and the file");
  t.notOk((await readdir(join(rig.state, "journal"))).includes("memories.jsonl"));
  t.notMatch(await readFile(join(rig.state, "used"), "utf8"), /^memories$/m);
});

t.test("a change that a crash had cut off is ended, and an erasure too", async (t) => {
  const rig = await formerRig(t);
  const append = async (name: string, ...entries: readonly Value[]) => {
    const lines = await linesOf(rig, name);
    const first = lines.filter(Boolean).length + 1;
    const more = entries.map((entry, n) => `${JSON.stringify({ id: first + n, ...entry })}\n`);
    await writeFile(journal(rig, name), [...lines, ...more].join(""));
  };
  const timestamp = FORMER.at;
  const set = { section: "TASK", title: "basil task" };
  await append(
    "memory-items",
    { timestamp, by: "human.ana", of: 1, set, pending: { create: true } },
    { timestamp, by: "human", memory: 14, erased: true, key: "aaaaaaaa-0000-8000-a000-000000000000" },
  );
  await rig.open();
  const { memories } = (await rig.get("list_memories")) as { memories: readonly Value[] };
  t.match(memories, [{ id: 1 }, { id: 2, by: "agent" }]);
  const { tasks } = (await rig.get("task_tool", { operation: "list_tasks" })) as { tasks: readonly Value[] };
  t.equal(tasks.filter(({ title }) => title === "basil task").length, 1);
  t.equal((await rig.get("search_memories", { query: "plain unchanged" })).count, 0);
  t.notMatch(await readFile(journal(rig, "memory-items"), "utf8"), /plain memory/);
});

t.test("a memory of the former journal is erased from every file", async (t) => {
  const rig = await formerRig(t);
  await rig.open();
  const { items } = await rig.get("search_memories", { query: "cactus", status: "DELETED" });
  await rig.get("erase_memory", { id: (items as Value[])[0]?.id }, { as: "human" });
  for (const entry of await readdir(rig.state, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !/^tasks\.jsonl|messages\.jsonl|\.sqlite/.test(entry.name))
      t.notMatch(await readFile(join(entry.parentPath, entry.name), "utf8"), /cactus/, entry.name);
  const database = await Database.open({
    file: join(rig.state, "tendril.sqlite"),
    setup: [],
    readOnly: true,
  });
  t.same(await database.all("SELECT * FROM records WHERE log LIKE 'memor%' AND body LIKE '%cactus%'"), []);
  await database.close();
});

t.test("the index of the knowledge has what is there once, and nothing that is gone", async (t) => {
  const rig = await formerRig(t);
  const index = await PassageIndex.open(rig.state);
  const text = { title: "", text: "the plain memory is unchanged", owner: "household", at: 0 };
  await index.put("memory", [await documentOf("memories 14", text)]);
  await index.close();
  await rig.open();
  const { chunks } = await rig.get("retrieve_knowledge", { query: "plain memory unchanged" });
  t.equal((chunks as Value[]).filter(({ content }) => /plain memory/.test(`${content}`)).length, 1);
});

t.test("a line that the disk has damaged takes no other with it, and is kept and told of", async (t) => {
  const rig = await formerRig(t);
  const lines = await linesOf(rig, "memories");
  await writeFile(journal(rig, "memories"), [lines[0], "zzz\n", ...lines.slice(2)].join(""));
  await rig.open();
  const { memories } = (await rig.get("list_memories")) as { memories: readonly Value[] };
  t.match(memories, [{ id: 1 }, { id: 2 }, { id: 14 }], "the second was changed, and stands elsewhere");
  t.same(await rig.core.house.store.setAside(), ["journal/memories.jsonl.torn"]);
  t.equal(await readFile(`${journal(rig, "memories")}.torn`, "utf8"), "zzz\n", "nothing that can be read");
  t.match(
    rig.core.house.store.warnings.join(),
    /memories had lines that cannot be read, now in memories.jsonl.torn/,
  );
});

for (const [what, harm, told] of [
  ["is missing", (file: string) => rm(file), /memories was missing or empty/],
  ["is empty", (file: string) => truncate(file), /memories was missing or empty/],
  ["has lost lines", (file: string) => truncate(file, 500), /memories had lost lines|ended in a torn line/],
  ["ends in a part of a line", (file: string) => appendFile(file, '{"id":15,"te'), /ended in a torn line/],
] as const)
  t.test(`a former journal of memories that ${what} is told of once`, async (t) => {
    const rig = await formerRig(t);
    await harm(journal(rig, "memories"));
    await rig.open();
    t.match(rig.core.house.store.warnings.join(), told);
    await rig.restart();
    t.same(rig.core.house.store.warnings, []);
  });

t.test("a backup of 2026-11-26 is restored with all that was in it", async (t) => {
  const rig = await rigFor(t, { start: FORMER.at, config: FORMER.config });
  await rig.get("add_memory", { text: "of today" });
  await rig.stop();
  const config = join(rig.state, "tendril.yaml");
  const clock = new SimulatedClock(FORMER.at);
  await restore({ file: BACKUP, state: rig.state, config, clock });
  await rig.open();
  const stays = /overview|water|history|list_tasks|notifications|messages/;
  for (const { name, arguments: args, options, answer } of FORMER.asked.filter(
    ({ name: n }) => !stays.test(n),
  ))
    if (args.status !== "DELETED") t.same(await rig.get(name, args, options), answer, name);
});
