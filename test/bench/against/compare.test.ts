import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { compare } from "./compare.js";

const PACKAGE = { name: "tiny", scripts: { build: "node build.js" } };
const BUILD = `
const { mkdirSync, copyFileSync } = require("node:fs");
mkdirSync("dist/test/bench", { recursive: true });
copyFileSync("bench.js", "dist/test/bench/run.js");`;

/** A program whose only benchmark prints these rows; PID in them is another number in each run. */
const printing = (...rows: string[]) =>
  `const rows = ${JSON.stringify(rows)};
  if (process.argv[2] === "wire") console.log(["| | Tendril | bare |", "|---|---:|---:|", ...rows].join("\\n").replaceAll("PID", process.pid));`;

/** A small project in git: its first commit prints `before`, its built working copy `now`. */
function project(t: Test, before: string[], now: string[]): string {
  const folder = t.testdir({ "package.json": JSON.stringify(PACKAGE), "build.js": BUILD });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args]);
  writeFileSync(join(folder, "bench.js"), printing(...before));
  writeFileSync(join(folder, ".gitignore"), "dist/\n");
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "before");
  writeFileSync(join(folder, "bench.js"), printing(...now));
  mkdirSync(join(folder, "dist"));
  execFileSync("node", ["build.js"], { cwd: folder });
  return folder;
}

const run = (folder: string, told: string[] = [], rounds = 2) =>
  compare({
    project: folder,
    ref: "HEAD",
    sections: ["wire"],
    rounds,
    tell: (what) => told.push(what),
  });

t.test("each row of the working copy is compared with that of another commit", async (t) => {
  const before = ["| a call | 2.00 ms | 1.00 ms |", "| calls | 1,000 /s | 1 /s |"];
  const now = ["| a call | 3.00 ms | 1.00 ms |", "| calls | 1,500 /s | 1 /s |"];
  const told: string[] = [];
  const table = await run(project(t, before, now), told);
  t.match(table, /a call +\| 1\.50 × \| 1\.50 × \| 1\.50 × \| +2 of 2 \| +worse/);
  t.match(
    table,
    /calls +\| 1\.50 × \| 1\.50 × \| 1\.50 × \| +0 of 2 \| +better/,
    "a rate is better where it is more",
  );
  t.match(told, ["building HEAD", "round 1 of 2", "round 2 of 2"]);
});

t.test("rows that only one commit has are named, and not compared", async (t) => {
  const same = "| the same | 7.00 ms | |";
  const table = await run(project(t, [same, "| old | 1.00 ms | |"], [same, "| new | 1.00 ms | |"]));
  t.match(table, /the same +\| 1\.00 × .* 0 of 2 \| +\|/);
  t.match(table, /not compared: new\nonly in HEAD: old$/);
});

t.test("a few rounds that differ call no row worse, however well they agree", async (t) => {
  const folder = project(t, ["| a call | 2.00 ms | |"], ["| a call | PID.00 ms | |"]);
  t.match(await run(folder), /a call .* 2 of 2 \| +\|\n\nFewer than 7 rounds/);
  t.match(await run(folder, [], 7), /a call .* 7 of 7 \| +worse \|$/);
});

t.test("nothing of the other commit is left behind, also where it cannot be built", async (t) => {
  const folder = project(t, [], []);
  const leftBehind = () => readdirSync(join(folder, "dist")).filter((name) => name.startsWith("against"));
  await run(folder);
  t.same(leftBehind(), []);
  await t.rejects(
    compare({ project: folder, ref: "nowhere", sections: [], rounds: 1, tell: () => undefined }),
  );
  t.same(leftBehind(), []);
  t.notOk(existsSync(join(folder, ".git", "worktrees")), "git knows of no further worktree");
});
