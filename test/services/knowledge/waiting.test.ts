import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { minutes, seconds } from "../../../drivers/units.js";
import { Files } from "../../../runtime/services/knowledge/files.js";
import { Knowledge, type OtherSource } from "../../../runtime/services/knowledge/knowledge.js";
import { NOT_READY, type ReaderAnswer } from "../../../runtime/services/knowledge/reader.js";
import { rigFor } from "../../rig.js";

/** Files whose reader hangs when the test says so, until it is let go on. */
class SlowFiles implements OtherSource {
  readonly type = "file";
  hangs = false;
  rounds = 0;
  private goOn: () => void = () => undefined;

  async follow(): Promise<void> {
    this.rounds += 1;
    if (this.hangs) await new Promise<void>((resolve) => (this.goOn = resolve));
  }

  end(): void {
    this.hangs = false;
    this.goOn();
  }
}

t.test(
  "a question waits some seconds for files that are being read, then answers from what is there",
  async (t) => {
    const rig = await rigFor(t, { peopleToo: true });
    const files = new SlowFiles();
    const knowledge = new Knowledge(rig.core.house, [files], undefined);
    t.teardown(() => knowledge.close());
    await rig.get("add_memory", { text: "The window faces south" }, { as: "agent" });
    const question = { words: "window", type: undefined, sees: () => true, limit: 5 };
    const { passages, isComplete } = await knowledge.ask(question);
    t.match([passages.length, isComplete], [1, true]);
    files.hangs = true;
    const asked = Array.from({ length: 10 }, () => knowledge.ask(question));
    while (files.rounds < 2) await turn();
    for (let each = 0; each < 20; each += 1) await turn();
    await rig.pass(seconds(6));
    for (const answer of await Promise.all(asked))
      t.match([answer.passages.length, answer.isComplete], [1, false]);
    await rig.get("add_memory", { text: "The balcony faces east" }, { as: "agent" });
    const later = knowledge.ask({ ...question, words: "balcony" });
    for (let each = 0; each < 200; each += 1) await turn();
    await rig.pass(seconds(6));
    t.match((await later).passages, [{ content: /balcony/ }], "what is written meanwhile is found");
    files.end();
    t.match(await knowledge.ask(question), { isComplete: true });
    t.ok(files.rounds <= 4, `${files.rounds} rounds: those who ask meanwhile share one`);
  },
);

t.test("a reader that does not start is left alone for a while; files that need none are read", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "tendril-resting-"));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const rig = await rigFor(t, { peopleToo: true });
  let opened = 0;
  let answer: ReaderAnswer = NOT_READY;
  const openReader = () => {
    opened += 1;
    return { read: async () => answer, close: () => undefined };
  };
  const files = new Files([{ path: root }], rig.core.house.realClock, openReader);
  const knowledge = new Knowledge(rig.core.house, [files], undefined);
  t.teardown(() => knowledge.close());
  const found = async (words: string) =>
    (await knowledge.ask({ words, type: undefined, sees: () => true, limit: 5 })).passages.length;
  await writeFile(join(root, "a.pdf"), "%PDF-");
  t.equal(await found("siphon"), 0);
  await writeFile(join(root, "b.txt"), "The siphon breaks");
  await writeFile(join(root, "c.html"), "<p>Another siphon</p>");
  t.equal(await found("siphon"), 1);
  t.match(await files.list(), [
    { reason: /did not start within 30 s; it is tried again later/ },
    { reason: undefined },
    { reason: /did not start/ },
  ]);
  answer = { text: "A siphon" };
  await rig.pass(minutes(4));
  t.equal(await found("siphon"), 1);
  t.equal(opened, 1, "tried once");
  await rig.pass(minutes(2));
  t.equal(await found("siphon"), 3);
  t.equal(opened, 2);
});

t.test(
  "a folder on a disk that hangs holds one thread of Node's four, and keeps no list or stop waiting",
  async (t) => {
    const rig = await rigFor(t, { peopleToo: true });
    let looks = 0;
    const hangs = () => {
      looks += 1;
      return new Promise<never>(() => undefined);
    };
    const files = new Files([{ path: "/mnt/nas/manuals" }], rig.core.house.realClock, undefined, hangs);
    const knowledge = new Knowledge(rig.core.house, [files], undefined);
    const asked = knowledge.ask({ words: "siphon", type: undefined, sees: () => true, limit: 5 });
    while (looks < 1) await turn();
    const lists = Promise.all(Array.from({ length: 20 }, () => files.list()));
    await rig.pass(seconds(6));
    t.match(await asked, { isComplete: false });
    for (const list of await lists)
      t.match(list, [{ name: "manuals", reason: /disk of this folder, or of another one, does not answer/ }]);
    t.equal(looks, 1);
    await knowledge.close();
  },
);
