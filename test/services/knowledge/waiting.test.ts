import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { Knowledge, type OtherSource } from "../../../runtime/services/knowledge/knowledge.js";
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
    files.end();
    t.match(await knowledge.ask(question), { isComplete: true });
    t.ok(files.rounds <= 4, `${files.rounds} rounds: those who ask meanwhile share one`);
  },
);
