import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { UsageError } from "../../../agent-client/errors.js";
import { RunFolder } from "../../../agent-client/harness/run-folder.js";
import { runResult } from "./report/fixture.js";
import { scenario, shortRun } from "./short-run.js";

t.test("a simulation is read as it was begun, its scenario with it, and its length may change", async (t) => {
  const path = join(t.testdir({}), "new", "folder");
  const run = shortRun({ scenario: scenario({ events: [{ day: 1, what: "room", temperature: 3 }] }) });
  new RunFolder(path).begin(run);
  t.same(new RunFolder(path).load(), { version: 1, ...run });
  new RunFolder(path).save({ ...run, days: 9 });
  t.equal(new RunFolder(path).load().days, 9);
  new RunFolder(path).save(new RunFolder(path).load());
  t.equal(new RunFolder(path).load().days, 9, "what was loaded can be saved");
});

t.test("nothing is written over: a folder that holds a simulation takes no second one", async (t) => {
  const path = t.testdir({});
  new RunFolder(path).begin(shortRun());
  const before = readFileSync(join(path, "run.json"), "utf8");
  t.throws(() => new RunFolder(path).begin(shortRun({ seed: 2 })), UsageError);
  t.throws(
    () => new RunFolder(path).begin(shortRun({ seed: 2 })),
    /contains a simulation.*--resume.*another folder/,
  );
  t.equal(readFileSync(join(path, "run.json"), "utf8"), before);
});

t.test("a folder without a simulation has nothing to go on with", async (t) => {
  const path = t.testdir({});
  t.throws(() => new RunFolder(path).load(), /contains no simulation to resume/);
  t.throws(() => new RunFolder(join(path, "none")).load(), UsageError);
  t.same(readdirSync(path), []);
});

const RUN = { version: 1, ...shortRun() };
const BAD: readonly [string, string, RegExp][] = [
  ["of another version", JSON.stringify({ ...RUN, version: 2 }), /run\.json cannot be resumed: .*version/s],
  ["with a key more", JSON.stringify({ ...RUN, colour: "green" }), /colour/],
  ["with negative days", JSON.stringify({ ...RUN, days: -1 }), /days/],
  ["of a scenario that has changed its form", JSON.stringify({ ...RUN, scenario: {} }), /scenario\.title/],
  ["that is no JSON", "{", /run\.json cannot be resumed/],
];
for (const [what, text, message] of BAD) {
  t.test(`a simulation ${what} is refused, with the reason`, async (t) => {
    const path = t.testdir({});
    writeFileSync(join(path, "run.json"), text);
    t.throws(() => new RunFolder(path).load(), UsageError);
    t.throws(() => new RunFolder(path).load(), message);
  });
}

t.test("a finished run leaves its report as JSON and as a page, and its story", async (t) => {
  const path = t.testdir({});
  const folder = new RunFolder(path);
  folder.begin(shortRun());
  const result = runResult();
  folder.finish(result, "cycle 1 …\n");
  t.same(readdirSync(path).sort(), ["report.html", "report.json", "run.json", "story.txt"]);
  t.same(JSON.parse(readFileSync(join(path, "report.json"), "utf8")), JSON.parse(JSON.stringify(result)));
  t.match(readFileSync(join(path, "report.html"), "utf8"), /^<!doctype html>/i);
  t.equal(readFileSync(join(path, "story.txt"), "utf8"), "cycle 1 …\n");
});
