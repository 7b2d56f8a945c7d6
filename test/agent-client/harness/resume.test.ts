import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { ResumableModel, RunFolder } from "../../../agent-client/harness/run-folder.js";
import { Caretaker } from "../../../agent-client/models/caretaker.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";
import { scenario, shortRun, simulated } from "./short-run.js";

const RUN = shortRun({
  days: 1,
  scenario: scenario({
    hydration: 42,
    events: [
      { day: 0.6, what: "message", text: "How is it?" },
      { day: 0.8, what: "power cut", minutes: 30 },
    ],
  }),
  plants: ["basil", "fern"],
});

/** Decides as the caretaker does, and fails now and then as links do; counts how often it is asked. */
class Counting implements Model {
  readonly name = "counting";
  asked = 0;
  private readonly caretaker = new Caretaker();

  constructor(private readonly whenAsked: (asked: number) => void = () => undefined) {}

  async respond(conversation: readonly Message[], tools: Parameters<Model["respond"]>[1]): Promise<Reply> {
    this.asked += 1;
    this.whenAsked(this.asked);
    if (this.asked % 17 === 0) throw new Error("the model is out for lunch");
    const reply = await this.caretaker.respond(conversation, tools);
    return { ...reply, usage: { input: 100, output: 7 } };
  }
}

/** A folder in which a run is carried out, in as many sittings as it takes. */
class Desk {
  readonly folder: RunFolder;

  constructor(private readonly path: string) {
    this.folder = new RunFolder(path);
    this.folder.begin(RUN);
  }

  get report(): string {
    return readFileSync(join(this.path, "report.json"), "utf8");
  }

  /** How many hours and model calls it may take is the caller's to stop. Resolves with whether the run is finished. */
  async sit(model: Model, stop = new AbortController(), hours = Infinity): Promise<boolean> {
    const changed = (error: Error) => stop.abort(error);
    const result = await simulated(this.folder.load(), {
      signal: stop.signal,
      onHour: ({ hour }) => hour >= hours && stop.abort(),
      wrap: () => new ResumableModel(model, this.folder.replies, changed),
    });
    this.folder.finish(result, "");
    return result.finished;
  }
}

const desk = (t: Test) => {
  const path = t.testdir({});
  return [new Desk(join(path, "whole")), new Desk(join(path, "stopped"))] as const;
};

t.test("the caretaker, stopped twice between two cycles: the same report as in one go", async (t) => {
  const [whole, stopped] = desk(t);
  t.ok(await whole.sit(new Caretaker()));
  t.notOk(await stopped.sit(new Caretaker(), new AbortController(), 7));
  t.match(JSON.parse(stopped.report), { finished: false, end: "2026-06-01T13:00:00.000Z" });
  t.notOk(await stopped.sit(new Caretaker(), new AbortController(), 17));
  t.ok(await stopped.sit(new Caretaker()));
  t.equal(stopped.report, whole.report);
});

t.test(
  "a model stopped in the middle of a cycle is asked for no reply twice, failures included",
  async (t) => {
    const [whole, stopped] = desk(t);
    const once = new Counting();
    t.ok(await whole.sit(once));
    t.match(whole.report, '"reason": "the model is out for lunch"');
    const stop = new AbortController();
    const model = new Counting((asked) => asked === 40 && stop.abort());
    t.notOk(await stopped.sit(model, stop));
    t.equal(model.asked, 40);
    t.ok(await stopped.sit(model));
    t.equal(model.asked, once.asked);
    t.equal(stopped.report, whole.report);
    t.ok(await stopped.sit(model), "and a finished run again asks nobody");
    t.equal(model.asked, once.asked);
  },
);

t.test("a run that is made longer goes on where it was finished", async (t) => {
  const [whole, short] = desk(t);
  whole.folder.save({ ...RUN, days: 2 });
  t.ok(await whole.sit(new Caretaker()));
  t.ok(await short.sit(new Caretaker()));
  short.folder.save({ ...RUN, days: 2 });
  t.ok(await short.sit(new Caretaker()));
  t.equal(short.report, whole.report);
});
