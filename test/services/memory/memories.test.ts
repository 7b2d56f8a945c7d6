import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { rigFor } from "../../rig.js";

const START = "2026-06-01T08:00:00.000Z";
const PERSON = { as: "human" } as const;

const texts = (value: Readonly<Record<string, unknown>>) =>
  (value.memories as { text: string }[]).map(({ text }) => text);

t.test("a memory is kept once, the newest last, until a person takes it back", async (t) => {
  const rig = await rigFor(t, { start: START });
  t.match(await rig.get("add_memory", { text: "one" }), { id: 1, known: false, timestamp: START });
  await rig.get("add_memory", { text: "two" });
  t.match(await rig.get("add_memory", { text: " one " }), { id: 1, known: true });
  t.same(texts(await rig.get("list_memories")), ["one", "two"]);
  t.same(texts(await rig.get("list_memories", { n: 1, offset: 1 })), ["one"]);
  t.same(texts(await rig.get("list_memories", { offset: 2 })), []);
  t.equal((await rig.refused("forget_memory", { id: 1 })).code, "FORBIDDEN");
  await rig.get("forget_memory", { id: 1 }, PERSON);
  t.equal((await rig.refused("forget_memory", { id: 1 }, PERSON)).code, "UNKNOWN_MEMORY");
  await rig.restart();
  t.same(texts(await rig.get("list_memories")), ["two"]);
  t.match(await rig.get("add_memory", { text: "one" }), { known: false });
});

t.test("memories survive a crash and the loss of the database", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_memory", { text: "the fern drinks at night" });
  await rig.crash();
  await rm(join(rig.state, "tendril.sqlite"), { force: true });
  await rig.open();
  t.same(texts(await rig.get("list_memories")), ["the fern drinks at night"]);
});

t.test("a text that is empty or too long is refused, counted in code points", async (t) => {
  const rig = await rigFor(t, { start: START });
  const emoji = (n: number) => "🌱".repeat(n);
  t.match(await rig.get("add_memory", { text: emoji(2000) }), { known: false });
  for (const text of [emoji(2001), "", "  \n"])
    t.match(await rig.refused("add_memory", { text }), { code: "INVALID_ARGUMENT", message: /text is/ });
});

t.test("an observer reads memories, and adds none", async (t) => {
  const rig = await rigFor(t, { start: START });
  const observer = { as: "observer" } as const;
  t.equal((await rig.get("list_memories", {}, observer)).count, 0);
  t.equal((await rig.refused("add_memory", { text: "a" }, observer)).code, "FORBIDDEN");
});
