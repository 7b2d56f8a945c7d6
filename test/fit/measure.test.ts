import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { measure } from "./measure.js";

const WEEK = join(process.cwd(), "test/fixtures/real-plant/week.csv");
const FILE = ["--file", WEEK];
const WATERED = "2025-09-15T17:27";

/** The command as a person runs it. */
const fit = (...args: string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ["dist/test/fit/fit.js", ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

t.test("the command prints one line a day with the RMSE in percent, and nothing else", async (t) => {
  const { code, stdout, stderr } = await fit(...FILE, "--watered", WATERED);
  t.match([code, stderr], [0, ""]);
  const lines = stdout.trimEnd().split("\n");
  t.same(
    lines.map((line) => line.slice(0, 10)),
    Array.from({ length: 11 }, (_, day) => `2025-09-${15 + day}`),
  );
  for (const line of lines) t.ok(/^\S+ \d+\.\d\d$/.test(line) && Number(line.split(" ")[1]) <= 5, line);
});

t.test("what cannot be measured ends the command with a reason, and with no figures", async (t) => {
  const { code, stdout, stderr } = await fit("--file", join(t.testdir(), "none.csv"));
  t.match([code, stdout], [1, ""]);
  t.match(stderr, /none\.csv cannot be read.*REPLAY_INVALID/s);
});

t.test("several waterings are given one by one or together, in millilitres or without", async (t) => {
  const [first, second] = [`${WATERED}=1080`, "2025-09-25T12:05"];
  t.same(
    measure([...FILE, "--watered", first, "--watered", second]),
    measure([...FILE, "--watered", first, second]),
  );
  t.notSame(measure([...FILE, "--watered", WATERED]), measure([...FILE, "--watered", `${WATERED}=200`]));
  t.equal(measure(FILE).length, 11, "a recording may have none");
});

t.test("options that are wrong are refused, each by name", async (t) => {
  for (const [args, reason] of [
    [["--watered", WATERED], /--file is missing/],
    [[...FILE, "--wet", WATERED], /--wet/],
    [[...FILE, WATERED], /belongs to no option/],
    [[...FILE, "--watered", "yesterday"], /"yesterday" is no time/],
    [[...FILE, "--watered", "2025-09-14T10:00"], /2025-09-14T10:00 is not within the recording/],
    [[...FILE, "--watered", "2025-09-26T10:00"], /2025-09-26T10:00 is not within the recording/],
    [[...FILE, "--watered", `${WATERED}=`], /not a number of millilitres/],
    [[...FILE, "--watered", `${WATERED}=-5`], /not a number of millilitres/],
    [[...FILE, "--watered", `${WATERED}=5=6`], /not a number of millilitres/],
  ] as const)
    t.throws(() => measure(args), { code: "BENCH_OPTION_INVALID", message: reason });
});

t.test("a recording that is broken is refused by file, line and reason", async (t) => {
  const [header = "", ...rows] = readFileSync(WEEK, "utf8").split("\n").slice(0, 4);
  const refused = (lines: readonly string[], message: RegExp) => {
    const file = join(t.testdir(), "broken.csv");
    writeFileSync(file, lines.join("\n"));
    t.throws(() => measure(["--file", file]), { code: "REPLAY_INVALID", message });
  };
  refused([], /broken\.csv line 1/);
  refused([header], /has no rows/);
  refused([header.replace("lux", "light"), ...rows], /line 1: the columns are local_time,light/);
  refused([header, rows[1] ?? "", rows[0] ?? ""], /line 3: .* is not later/);
  refused([header, "2025-09-15T17:07,bright,2.6,,"], /line 2: "bright" is not a number/);
  refused([header, "2025-09-15T17:07,,2.6,,"], /line 2: lux is missing/);
});
