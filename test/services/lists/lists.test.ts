import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { minutes } from "../../../drivers/units.js";
import {
  MAX_IN_ALL,
  MAX_ITEMS,
  MAX_ITEMS_OF_ONE,
  MAX_LISTS_OF_ONE,
} from "../../../runtime/services/lists/lists.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
/** Ana and Ben have tokens of their own; the agent's token belongs to nobody. */
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: Ana, tokens: [human.ana] }
  - { id: ben, name: Ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;

const list = (rig: Rig, operation: string, args: Value = {}, options = {}) =>
  rig.get("list_tool", { operation, ...args }, options);
const refused = (rig: Rig, operation: string, args: Value = {}, options = {}) =>
  rig.refused("list_tool", { operation, ...args }, options);
const textsOf = ({ items }: Value) => (items as { item_text: string }[]).map(({ item_text }) => item_text);
const namesOf = ({ lists }: Value) => (lists as { list_name: string }[]).map(({ list_name }) => list_name);

t.test(
  "an item is added to a list by its name, which is made where there is none, and says so",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
    const first = await list(rig, "add_item", { list_name: "Lista de la compra", item_text: "leche" });
    t.match(first, { item_text: "leche", position: 1, created: true });
    const second = await list(rig, "add_item", { list_name: " lista de la COMPRA ", item_text: "pan" });
    t.match(second, { list_id: first.list_id, position: 2, created: undefined });
    t.match(await list(rig, "list_items", { list_name: "lista de la compra" }), {
      list_id: first.list_id,
      list_name: "Lista de la compra",
      count: 2,
      items: [
        {
          item_id: first.item_id,
          item_text: "leche",
          completed: false,
          completed_at: null,
          position: 1,
          created_at: "2026-06-01T08:00:00.000Z",
          user_id: "household",
        },
        { item_text: "pan", position: 2 },
      ],
    });
  },
);

t.test("accents count in the name of a list: mañana is not manana", async (t) => {
  const rig = await rigFor(t);
  await list(rig, "create_list", { list_name: "mañana" });
  t.equal((await refused(rig, "list_items", { list_name: "manana" })).code, "NOT_FOUND");
  await list(rig, "create_list", { list_name: "manana" });
  t.match(await list(rig, "list_items", { list_name: "MAN\u0303ANA" }), { list_name: "mañana" });
});

t.test("a list of a name that is there is not made twice, and the refusal names its id", async (t) => {
  const rig = await rigFor(t);
  const { list_id } = await list(rig, "create_list", { list_name: "Packing" });
  const error = await refused(rig, "create_list", { list_name: " PACKING" });
  t.match(error, { code: "ALREADY_EXISTS", details: { list_id } });
  const both = await Promise.allSettled(
    ["Garden", "garden"].map((list_name) => list(rig, "create_list", { list_name })),
  );
  t.same(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"], "nor by two calls at once");
});

t.test("the text of an item is changed where it stands; who does not see it finds none", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
  const { item_id } = await list(rig, "add_item", { list_name: "Gifts", item_text: "a bok" }, ANA);
  await list(rig, "add_item", { list_name: "Gifts", item_text: "ribbon" }, ANA);
  await list(rig, "complete_item", { item_id }, ANA);
  await rig.pass(minutes(1));
  const renamed = { item_id, item_text: "a book" };
  t.match(await list(rig, "update_item", renamed, ANA), {
    ...renamed,
    updated_at: "2026-06-01T08:01:00.000Z",
  });
  t.equal((await refused(rig, "update_item", renamed, BEN)).code, "NOT_FOUND");
  t.equal((await refused(rig, "update_item", { item_id, item_text: "" }, ANA)).code, "INVALID_ARGUMENT");
  await rig.restart();
  const { items } = await list(rig, "list_items", { list_name: "gifts" }, ANA);
  t.match(items, [{ ...renamed, completed: true, position: 1 }, { item_text: "ribbon" }]);
});

t.test("positions follow the order of adding, and close up where an item is removed", async (t) => {
  const rig = await rigFor(t);
  const ids: unknown[] = [];
  for (const item_text of ["a", "b", "c"])
    ids.push((await list(rig, "add_item", { list_name: "x", item_text })).item_id);
  const removed = await list(rig, "remove_item", { item_id: ids[1] });
  t.same(removed, { item_id: ids[1], item_text: "b", removed: true });
  t.match(await list(rig, "list_items", { list_name: "x" }), {
    count: 2,
    items: [
      { item_text: "a", position: 1 },
      { item_text: "c", position: 2 },
    ],
  });
  t.match(await list(rig, "add_item", { list_name: "x", item_text: "d" }), { position: 3 });
  t.equal((await refused(rig, "remove_item", { item_id: ids[1] })).code, "NOT_FOUND");
});

t.test("a completed item stays on its list, and keeps the time of the first completion", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
  const { item_id } = await list(rig, "add_item", { list_name: "x", item_text: "a" });
  const first = await list(rig, "complete_item", { item_id });
  t.same(first, { item_id, item_text: "a", completed: true, completed_at: "2026-06-01T08:00:00.000Z" });
  await rig.pass(60_000 as never);
  t.same(await list(rig, "complete_item", { item_id }), first);
  t.match(await list(rig, "list_items", { list_name: "x" }), {
    items: [{ completed: true, completed_at: "2026-06-01T08:00:00.000Z", position: 1 }],
  });
  t.match(await list(rig, "get_lists"), { count: 1, lists: [{ list_name: "x", open: 0, completed: 1 }] });
});

t.test("a deleted list takes its items along, and says how many", async (t) => {
  const rig = await rigFor(t);
  const { item_id, list_id } = await list(rig, "add_item", { list_name: "x", item_text: "a" });
  await list(rig, "add_item", { list_name: "x", item_text: "b" });
  t.same(await list(rig, "delete_list", { list_id }), {
    list_id,
    list_name: "x",
    deleted: true,
    items_deleted: 2,
  });
  t.equal((await refused(rig, "complete_item", { item_id })).code, "NOT_FOUND");
  t.equal((await refused(rig, "list_items", { list_id })).code, "NOT_FOUND");
  await list(rig, "create_list", { list_name: "x" });
  t.match(await list(rig, "list_items", { list_name: "x" }), { count: 0 }, "a new one of that name is empty");
});

t.test("an id never makes a list, and an id with the name of another list is refused", async (t) => {
  const rig = await rigFor(t);
  const { list_id } = await list(rig, "create_list", { list_name: "x" });
  t.equal((await refused(rig, "add_item", { list_id: "nowhere", item_text: "a" })).code, "NOT_FOUND");
  const two = await refused(rig, "add_item", { list_id, list_name: "y", item_text: "a" });
  t.match(two, { code: "INVALID_ARGUMENT", message: /list_id is the list "x".*"y"/ });
  t.match(await list(rig, "add_item", { list_id, list_name: "X", item_text: "a" }), { list_id });
  t.equal((await refused(rig, "list_items")).code, "INVALID_ARGUMENT", "neither");
});

t.test("a parameter of another operation is refused by its name", async (t) => {
  const rig = await rigFor(t);
  const error = await refused(rig, "create_list", { list_name: "x", item_text: "a" });
  t.match(error, {
    code: "INVALID_ARGUMENT",
    message: /^list_tool create_list: item_text is not a parameter of this tool; leave it out/,
  });
  t.match(await rig.refused("list_tool", { operation: "empty_list" }), {
    code: "INVALID_ARGUMENT",
    message: /operation/,
  });
});

t.test("a person sees the own lists and the household's, never another person's", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const own = await list(rig, "add_item", { list_name: "Gifts", item_text: "a book for Ben" }, ANA);
  await list(rig, "create_list", { list_name: "Groceries", user_id: "household" }, ANA);
  t.same(namesOf(await list(rig, "get_lists", {}, ANA)), ["Gifts", "Groceries"]);
  t.same(namesOf(await list(rig, "get_lists", {}, BEN)), ["Groceries"]);
  for (const operation of ["list_items", "delete_list"])
    for (const which of [{ list_id: own.list_id }, { list_name: "Gifts" }])
      t.equal((await refused(rig, operation, which, BEN)).code, "NOT_FOUND", operation);
  for (const operation of ["complete_item", "remove_item"])
    t.equal((await refused(rig, operation, { item_id: own.item_id }, BEN)).code, "NOT_FOUND", operation);
  t.equal((await refused(rig, "get_lists", { user_id: "ana" }, BEN)).code, "FORBIDDEN");
  t.same(
    textsOf(await list(rig, "list_items", { list_name: "gifts" }, ANA)),
    ["a book for Ben"],
    "and it is all there",
  );
});

t.test("a person's own list comes before the household's of the same name", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const own = await list(rig, "create_list", { list_name: "Groceries" }, ANA);
  const shared = await list(rig, "create_list", { list_name: "groceries", user_id: "household" }, BEN);
  t.match(await list(rig, "list_items", { list_name: "GROCERIES" }, ANA), { list_id: own.list_id });
  t.match(await list(rig, "list_items", { list_name: "GROCERIES" }, BEN), { list_id: shared.list_id });
  const error = await refused(rig, "add_item", { list_name: "groceries", item_text: "a" });
  t.match(error, {
    code: "AMBIGUOUS_NAME",
    details: {
      candidates: [
        { list_id: own.list_id, user_id: "ana" },
        { list_id: shared.list_id, user_id: "household" },
      ],
    },
  });
  t.match(await list(rig, "add_item", { list_name: "groceries", item_text: "a", user_id: "ben" }), {
    list_id: shared.list_id,
  });
});

t.test("the agent's token may name every person, and no one who is not configured", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  await list(rig, "create_list", { list_name: "Ideas", user_id: "ana" });
  t.same(namesOf(await list(rig, "get_lists", {}, ANA)), ["Ideas"]);
  t.same(namesOf(await list(rig, "get_lists", { user_id: "ben" })), []);
  t.match(await refused(rig, "create_list", { list_name: "x", user_id: "carl" }), {
    code: "NOT_FOUND",
    message: /no person "carl"/,
  });
});

t.test("a new list is answered and listed whole, also by its chat", async (t) => {
  const rig = await rigFor(t, { start: START });
  const made = await list(rig, "create_list", { list_name: "Packing", chat_id: "phone" });
  const shown = { list_id: made.list_id, list_name: "Packing", created_at: START };
  t.same(made, shown);
  t.match(made.list_id, /^[0-9a-f-]{36}$/);
  await rig.pass(60_000 as never);
  await list(rig, "create_list", { list_name: "Garden" });
  t.same(await list(rig, "get_lists", { chat_id: "phone" }), {
    lists: [{ ...shown, open: 0, completed: 0 }],
    count: 1,
  });
});

t.test("user_id says whose a list or an item is, in every operation", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  const own = await list(rig, "add_item", { list_name: "Gifts", item_text: "a book", user_id: "ana" });
  for (const [operation, which] of [
    ["add_item", { list_id: own.list_id, item_text: "a pen" }],
    ["list_items", { list_id: own.list_id }],
    ["delete_list", { list_id: own.list_id }],
    ["complete_item", { item_id: own.item_id }],
    ["remove_item", { item_id: own.item_id }],
  ] as const) {
    const error = await refused(rig, operation, { ...which, user_id: "ben" });
    t.equal(error.code, "NOT_FOUND", operation);
  }
  t.same(textsOf(await list(rig, "list_items", { list_name: "Gifts", user_id: "ana" })), ["a book"]);
});

t.test("chat_id narrows get_lists alone: a list made on the phone is there on the page", async (t) => {
  const rig = await rigFor(t);
  const PAGE = { chat_id: "page" };
  const { item_id } = await list(rig, "add_item", { list_name: "x", item_text: "a", chat_id: "phone" });
  t.same(textsOf(await list(rig, "list_items", { list_name: "x", ...PAGE })), ["a"]);
  t.match(await list(rig, "complete_item", { item_id, ...PAGE }), { completed: true });
  t.match(await list(rig, "remove_item", { item_id, ...PAGE }), { removed: true });
  t.match(await list(rig, "delete_list", { list_name: "x", ...PAGE }), { deleted: true });
});

t.test("without configured people every user_id is a label", async (t) => {
  const rig = await rigFor(t);
  await list(rig, "add_item", { list_name: "x", item_text: "a", user_id: "user123", chat_id: "chat456" });
  t.same(namesOf(await list(rig, "get_lists", { user_id: "user123", chat_id: "chat456" })), ["x"]);
  t.same(namesOf(await list(rig, "get_lists", { chat_id: "another" })), []);
  t.same(namesOf(await list(rig, "get_lists", { user_id: "somebody" })), []);
});

t.test("what was acknowledged is there after a crash, once", async (t) => {
  const rig = await rigFor(t);
  const add = (item_text: string) => list(rig, "add_item", { list_name: "x", item_text }, { key: item_text });
  const first = await add("a");
  await add("b");
  await list(rig, "complete_item", { item_id: first.item_id });
  const before = await list(rig, "list_items", { list_name: "x" });
  await rig.crash();
  await rig.open();
  t.same(await list(rig, "list_items", { list_name: "x" }), before);
  t.same(await add("a"), first, "the same call with its key again adds nothing");
  t.same(textsOf(await list(rig, "list_items", { list_name: "x" })), ["a", "b"]);
});

t.test("lists and items are bounded, and the refusal says what to do", async (t) => {
  const rig = await rigFor(t, { config: FAMILY });
  for (let n = 0; n < 500; n += 1) await list(rig, "add_item", { list_name: "x", item_text: `${n}` });
  t.match(await refused(rig, "add_item", { list_name: "x", item_text: "501" }), { code: "LIST_FULL" });
  for (let n = 1; n < 100; n += 1) await list(rig, "create_list", { list_name: `list ${n}` });
  t.match(await refused(rig, "create_list", { list_name: "101" }), { code: "TOO_MANY_LISTS" });
  await list(rig, "create_list", { list_name: "101", user_id: "ana" });
});

/** Lists as their journal has them: `count` of each owner, each with so many items. */
function listLines(owners: readonly string[], count: number, items: number): string {
  const lines: Value[] = [];
  for (const owner of owners)
    for (let n = 0; n < count; n += 1) {
      const name = `${owner} ${n}`;
      const origin = { timestamp: START, by: "agent", owner };
      lines.push({ ...origin, list: name, name });
      for (let k = 0; k < items; k += 1) lines.push({ ...origin, item: `${name} ${k}`, in: name, text: "x" });
    }
  return lines.map((line, at) => `${JSON.stringify({ id: at + 1, ...line })}\n`).join("");
}

t.test("the items of one owner, and of all, are bounded over all lists", async (t) => {
  const owners = ["ana", "ben", "carl", "dora"];
  const rig = await rigFor(t);
  const withLines = async (lines: string) => {
    await rig.stop();
    await writeFile(join(rig.state, "journal", "lists.jsonl"), lines);
    await rm(join(rig.state, "tendril.sqlite"));
    await rig.open();
  };
  const add = (user_id: string) =>
    refused(rig, "add_item", { list_name: `${user_id} 10`, item_text: "y", user_id });
  await withLines(listLines(["ana"], 11, 455));
  t.match(await add("ana"), { code: "LIST_FULL", message: /lists of ana have 5000 items/ });
  await withLines(listLines(owners, 11, 454));
  for (const user_id of owners)
    for (let n = 0; n < 6; n += 1)
      await list(rig, "add_item", { list_name: `${user_id} 10`, item_text: "y", user_id });
  t.match(await refused(rig, "add_item", { list_name: "new", item_text: "y" }), {
    code: "LIST_FULL",
    message: /all lists together have 20000 items/,
  });
  await withLines(
    listLines(
      Array.from({ length: 10 }, (_, n) => `p${n}`),
      100,
      0,
    ),
  );
  t.match(await refused(rig, "create_list", { list_name: "new" }), {
    code: "TOO_MANY_LISTS",
    message: /there are 1000 lists/,
  });
});

/** That there is no list of the name, and that none comes back with a start. */
async function assertNoList(t: Test, rig: Rig, name: string, options: Value = {}): Promise<void> {
  t.notOk(namesOf(await list(rig, "get_lists", {}, options)).includes(name));
  await rig.restart();
  t.notOk(namesOf(await list(rig, "get_lists", {}, options)).includes(name), "after a start");
}

t.test("an item that is refused for want of room leaves no new list behind", async (t) => {
  const rig = await rigFor(t);
  await rig.stop();
  await writeFile(join(rig.state, "journal", "lists.jsonl"), listLines(["ana"], 11, 455));
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  const item = { list_name: "new", item_text: "y", user_id: "ana" };
  t.match(await refused(rig, "add_item", item), { code: "LIST_FULL" });
  const { item_text: title, ...where } = item;
  const memory = { source: "CAPTURE", section: "LIST", title, content: "z", ...where };
  t.match(await rig.refused("save_memory", memory), { code: "LIST_FULL" });
  const journal = await readFile(join(rig.state, "journal", "lists.jsonl"), "utf8");
  t.notOk(journal.includes('"new"'), "nor is there a line of it");
  await assertNoList(t, rig, "new");
});

t.test("a power cut between a list and the item that it is made for leaves no list behind", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  await list(rig, "create_list", { list_name: "empty" }, ANA);
  await list(rig, "add_item", { list_name: "whole", item_text: "a", user_id: "ana" }, ANA);
  await list(rig, "add_item", { list_name: "cut", item_text: "b", user_id: "ana" }, ANA);
  await rig.crash();
  const journal = join(rig.state, "journal", "lists.jsonl");
  const lines = (await readFile(journal, "utf8")).split("\n");
  await writeFile(journal, `${lines.slice(0, -2).join("\n")}\n`);
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  t.same(namesOf(await list(rig, "get_lists", {}, ANA)), ["empty", "whole"]);
  await assertNoList(t, rig, "cut", ANA);
  t.match(await readFile(journal, "utf8"), /"by":"human.ana","of":4,"change":"deleted"/);
});

t.test("a list stays when the item that it was made for is removed, or erased", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { item_id } = await list(rig, "add_item", { list_name: "removed", item_text: "a" }, ANA);
  await list(rig, "remove_item", { item_id }, ANA);
  const memory = { source: "CAPTURE", section: "LIST", title: "secret", content: "b", list_name: "erased" };
  const { id } = await rig.get("save_memory", memory, ANA);
  await rig.get("erase_memory", { id }, ANA);
  await rig.restart();
  t.same(namesOf(await list(rig, "get_lists", {}, ANA)), ["removed", "erased"]);
});

t.test("docs/limits.md has the limits of lists", async (t) => {
  const page = await readFile("docs/limits.md", "utf8");
  const grouped = (n: number) => n.toLocaleString("en-US");
  for (const limit of [
    `| lists | ${MAX_LISTS_OF_ONE} of each owner, each ${MAX_ITEMS} items;`,
    `| items on all lists of one owner | ${grouped(MAX_ITEMS_OF_ONE)} |`,
    `| lists of all owners, items on them | ${grouped(MAX_IN_ALL.lists)}, ${grouped(MAX_IN_ALL.items)} |`,
  ])
    t.ok(page.includes(limit), limit);
});

t.test("people are checked when the configuration is read", async (t) => {
  const broken = (people: string) => rigFor(t, { config: `people: ${people}` });
  await t.rejects(broken("[{ id: household }]"), /belongs to everybody/);
  await t.rejects(broken("[{ id: ana }, { id: ana }]"), /"ana" is named twice/);
  await t.rejects(
    broken("[{ id: ana, tokens: [human] }, { id: ben, tokens: [human] }]"),
    /"human" is named twice/,
  );
  await t.rejects(broken("[{ id: ana, zone: Mars/Olympus }]"), /time zone/);
});

t.test(
  "an observer that belongs to nobody sees the household's lists alone, once people are configured",
  async (t) => {
    const rig = await rigFor(t, { config: FAMILY });
    await list(rig, "create_list", { list_name: "surprise", user_id: "ana" });
    await list(rig, "create_list", { list_name: "groceries" });
    const WALL = { as: "observer" } as const;
    t.same(namesOf(await list(rig, "get_lists", {}, WALL)), ["groceries"]);
    t.same(namesOf(await list(rig, "get_lists", { user_id: "household" }, WALL)), ["groceries"]);
    t.match(await refused(rig, "get_lists", { user_id: "ana" }, WALL), { code: "FORBIDDEN" });
    t.match(await refused(rig, "list_items", { list_name: "surprise" }, WALL), { code: "NOT_FOUND" });
    const alone = await rigFor(t);
    await list(alone, "create_list", { list_name: "surprise", user_id: "ana" });
    t.same(
      namesOf(await list(alone, "get_lists", {}, WALL)),
      ["surprise"],
      "without people a user_id is a label",
    );
  },
);

t.test(
  "a done is taken back: the same item is open in its place, and once more changes nothing",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const { item_id } = await list(rig, "add_item", { list_name: "x", item_text: "a" }, ANA);
    await list(rig, "add_item", { list_name: "x", item_text: "b" }, ANA);
    const items = async () => (await list(rig, "list_items", { list_name: "x" }, ANA)).items;
    const before = await items();
    await list(rig, "complete_item", { item_id }, ANA);
    t.match(await list(rig, "reopen_item", { item_id }, ANA), { item_id, item_text: "a", completed: false });
    t.same(await items(), before);
    const journal = () => readFile(join(rig.state, "journal", "lists.jsonl"), "utf8");
    const lines = await journal();
    await Promise.all([1, 2, 3].map(() => list(rig, "reopen_item", { item_id }, ANA)));
    t.equal(await journal(), lines);
    await rig.restart();
    t.same(await items(), before);
    await list(rig, "complete_item", { item_id }, ANA);
    t.match(await refused(rig, "reopen_item", { item_id }, BEN), { code: "NOT_FOUND" });
    await list(rig, "remove_item", { item_id }, ANA);
    t.match(await refused(rig, "reopen_item", { item_id }, ANA), { code: "NOT_FOUND" });
    t.match(await list(rig, "list_items", { list_name: "x" }, ANA), { count: 1 });
  },
);
