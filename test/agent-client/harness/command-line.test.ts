import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { scenarioNames } from "../../../agent-client/harness/scenario.js";
import { type Ran, spawnTendril, tendril } from "../../run-tendril.js";
import { programHere } from "../../tendril-here.js";

const MAIN = fileURLToPath(new URL("../../../agent-client/harness/main.js", import.meta.url));

/** As `tendril simulate` starts it, but in this process. */
const simulate = (...args: readonly string[]): Promise<Ran> => programHere(MAIN, args);

t.test("--json prints JSON and nothing else on stdout; the same seed prints the same bytes", async (t) => {
  const args = ["--days", "2", "--plants", "cactus,basil", "--json"];
  const [once, again] = await Promise.all([tendril(["simulate", ...args]), simulate(...args)]);
  t.equal(once.code, 0, once.err);
  t.match(JSON.parse(once.out), {
    version: 1,
    model: "caretaker",
    days: 2,
    finished: true,
    plants: [{ name: "Cactus1" }, { name: "Basil1" }],
  });
  t.equal(again.out, once.out);
  t.match(once.err, /^Steady month: day 0 of 2 {3}cactus hydration \d+ vigour \d+/, "progress is on stderr");
});

t.test("without --json a summary is printed; --report leaves a page, JSON and a story", async (t) => {
  const folder = join(t.testdir({}), "new");
  const { code, out } = await simulate("--days", "1", "--report", folder);
  t.equal(code, 0);
  t.match(out, /^caretaker scored \d+\.\d of 100 in “Steady month” \(seed 1\), 1 day, /);
  t.match(out, `The report: ${folder}/report.html`);
  t.equal(
    readFileSync(join(folder, ".gitignore"), "utf8"),
    "*\n",
    "a folder that is new is no part of a clone",
  );
  t.same(readdirSync(folder).sort(), [
    ".gitignore",
    "replies.jsonl",
    "report.html",
    "report.json",
    "run.json",
    "story.txt",
  ]);
  const second = await simulate("--days", "1", "--report", folder);
  wrongUse(t, second, /contains a simulation.*--resume/);
});

t.test("--list names every scenario with its title", async (t) => {
  const { code, out } = await simulate("--list");
  t.equal(code, 0);
  const names = out
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[0]);
  t.same(names, scenarioNames());
  t.match(out, /^steady-month +Steady month$/m);
});

/** One clear line, no stack, nothing on stdout. */
function wrongUse(t: Test, { code, out, err }: Ran, message: RegExp): void {
  t.equal(code, 2);
  t.equal(out, "");
  t.match(err, message);
  t.notMatch(err, /^\s+at /m);
}

const MISUSES: readonly [string, RegExp, ...string[]][] = [
  ["scenario", /^tendril simulate: there is no scenario "storm"; known: .*\n$/, "--scenario", "storm"],
  ["species", /^tendril simulate: there is no species "tulip"; known: .*\n$/, "--plants", "tulip"],
  ["model", /^tendril simulate: there is no model "gpt"; known: .*none.*\n$/, "--model", "gpt"],
  ["number of days", /^error: .*--days.*-3.*\n\(see "tendril simulate --help"\)\n$/, "--days", "-3"],
  [
    "folder to go on in",
    /^tendril simulate: nothing contains no simulation.*\n$/,
    "--resume",
    "--report",
    "nothing",
  ],
  ["--resume without a folder", /--resume needs --report/, "--resume"],
  [
    "change on --resume",
    /--seed cannot be changed with --resume/,
    "--resume",
    "--report",
    "x",
    "--seed",
    "2",
  ],
];
t.test("wrong use ends with exit code 2 and one clear line, and leaves no folder behind", async (t) => {
  const report = join(t.testdir({}), "report");
  for (const [what, message, ...args] of MISUSES) {
    const own = args.some((each) => /^--re/.test(each)) ? args : [...args, "--report", report];
    t.test(`an unknown or impossible ${what}`, async (t) => wrongUse(t, await simulate(...own), message));
  }
  t.notOk(existsSync(report));
});

t.test("a folder that cannot be written is named, without a stack", async (t) => {
  const path = t.testdir({ file: "" });
  const { code, out, err } = await simulate("--days", "1", "--report", join(path, "file", "report"));
  t.same([code, out], [2, ""]);
  t.match(err, /^tendril simulate: the folder .*file\/report cannot be made: it would lie in a file\n$/);
  t.match(await simulate("--days", "1", "--report", "/proc/nowhere"), { code: 2, err: /cannot be made/ });
});

t.test("a simulation ends with the program that started it, however that ended", async (t) => {
  const report = join(t.testdir({}), "report");
  const { child, ended } = spawnTendril(["simulate", "--days", "3660", "--report", report]);
  while (!existsSync(join(report, "replies.jsonl"))) await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGKILL");
  await ended; // its output is closed when the last process that could write to it is gone
  t.match(JSON.parse(readFileSync(join(report, "report.json"), "utf8")), { finished: false });
});

t.test("a model that nobody serves ends the run with its reason, and the run can be resumed", async (t) => {
  const report = join(t.testdir({}), "report");
  const nobody = { OLLAMA_HOST: "http://127.0.0.1:9" };
  const args = ["--style", "calls", "--model", "ollama:x", "--report", report];
  const { code, err } = await programHere(MAIN, args, nobody);
  t.equal(code, 1);
  t.match(err, /ollama:x failed 3 times in a row: .*127\.0\.0\.1:9/);
  t.match(JSON.parse(readFileSync(join(report, "report.json"), "utf8")), { finished: false });
  t.ok(existsSync(join(report, "run.json")));
});

t.test(
  "--suite runs every scenario with the model and two fools: one table, and a page for each run",
  async (t) => {
    const folder = join(t.testdir({}), "suite");
    const { code, out, err } = await simulate("--suite", "--days", "1", "--every", "24h", "--report", folder);
    t.equal(code, 0, err);
    const [head = "", ...lines] = out.trim().split("\n");
    t.match(head, /caretaker +never-water +always-water$/);
    t.match(err, /^leak: Not reached in 1 day: the leak sensor is wet \(day 5\.2\)\.$/m);
    for (const name of scenarioNames())
      t.ok(
        lines.some((line) => new RegExp(`^${name}( +[\\d.]+){3}$`).test(line)),
        name,
      );
    const files = readdirSync(folder);
    t.equal(files.filter((name) => name !== ".gitignore").length, 2 * 3 * scenarioNames().length);
    t.ok(files.includes("tank-dry-never-water.json"));
  },
);

/** Stopped by Ctrl-C once it has got somewhere. */
async function stopped(...args: readonly string[]): Promise<Ran> {
  const { child, ended } = spawnTendril(["simulate", ...args]);
  child.stderr?.once("data", () => child.kill("SIGINT"));
  return ended;
}

t.test("Ctrl-C ends a suite with 130 and a line; half a table is none", async (t) => {
  const { code, out, err } = await stopped("--suite");
  t.same([code, out], [130, ""]);
  t.match(err, /\nstopped before its last run; a suite cannot be continued\n$/);
});

t.test("Ctrl-C ends a run with 130 and a report of what there is; --resume finishes it", async (t) => {
  const folder = t.testdir({});
  const { code, out, err } = await stopped("--days", "60", "--seed", "3", "--report", folder);
  t.equal(code, 130, err);
  t.match(out, /stopped after .* of\s+60 days/);
  t.match(err, `continue: ./tendril simulate --resume --report ${folder}\n`);
  const report = () => JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
  t.match(report(), { finished: false, seed: 3 });
  const resumed = await simulate("--resume", "--report", folder, "--days", "2");
  t.equal(resumed.code, 0, resumed.err);
  t.match(report(), { finished: true, seed: 3, days: 2 });
  const shorter = await simulate("--resume", "--report", folder, "--days", "1");
  wrongUse(t, shorter, /its 2 days are over/);
  const whole = await simulate("--seed", "3", "--days", "2", "--json");
  t.same(report(), JSON.parse(whole.out));
});

t.test(
  "a run whose kept replies belong to another conversation is refused, and its report stays",
  async (t) => {
    const folder = t.testdir({});
    await simulate("--days", "1", "--report", folder);
    const before = readFileSync(join(folder, "report.json"), "utf8");
    const replies = join(folder, "replies.jsonl");
    const lines = readFileSync(replies, "utf8").split("\n");
    writeFileSync(replies, [lines[0], lines[2], ...lines.slice(2)].join("\n"));
    wrongUse(
      t,
      await simulate("--resume", "--report", folder),
      /replies\.jsonl, line 2: the simulation has run differently/,
    );
    t.equal(readFileSync(join(folder, "report.json"), "utf8"), before);
  },
);
