import type { CommanderError } from "commander";
import t from "tap";
import { hours, minutes } from "../../../agent-client/clock.js";
import { type Given, simulateCommand } from "../../../agent-client/harness/options.js";
import { loadScenario, STEADY } from "../../../agent-client/harness/scenario.js";
import { runOf } from "../../../agent-client/harness/simulate.js";

/** What was given, or what commander said. */
function given(...args: readonly string[]): Given | string {
  let said = "";
  const command = simulateCommand().exitOverride();
  command.configureOutput({ writeErr: (text) => (said += text) });
  try {
    return command.parse([...args], { from: "user" }).opts<Given>();
  } catch (error) {
    return `${(error as CommanderError).exitCode} ${said}`;
  }
}

t.test("nothing has to be given: the caretaker, seed 1, a steady month, every six hours", async (t) => {
  const bounds = { replyWithin: minutes(10), cycleWithin: minutes(25) };
  const defaults = {
    model: "caretaker",
    seed: 1,
    every: hours(6),
    maxRounds: 24,
    replayZone: "UTC",
    ...bounds,
  };
  t.same(given(), defaults);
  t.equal(runOf(defaults).scenario.name, STEADY);
});

t.test("what is given is read, in the units it is given in", async (t) => {
  const args = "--days 3 --plants Cactus,basil --seed 7 --every 30m --start 2031-02-03T04:05:06Z --json";
  t.match(given(...args.split(" ")), {
    days: 3,
    plants: ["cactus", "basil"],
    seed: 7,
    every: minutes(30),
    start: Date.UTC(2031, 1, 3, 4, 5, 6),
    json: true,
  });
  t.match(given("--start", "2031-02-03T04:05:06+01:00"), { start: Date.UTC(2031, 1, 3, 3, 5, 6) });
});

t.test("what is not given is the scenario's", async (t) => {
  const winter = loadScenario("dark-winter");
  t.match(runOf(given("--scenario", "dark-winter") as Given), {
    days: winter.days,
    plants: winter.plants,
    start: Date.parse(winter.start),
  });
  t.match(runOf(given("--scenario", "dark-winter", "--days", "2", "--plants", "cactus") as Given), {
    days: 2,
    plants: ["cactus"],
  });
});

t.test("a recording is as long as it is: more days are refused, not cut off", async (t) => {
  const recording = ["--replay", "test/fixtures/real-plant/soil.csv", "--replay-zone", "America/Chicago"];
  t.match(runOf(given(...recording) as Given), { days: 0.6 });
  t.throws(
    () => runOf(given(...recording, "--days", "1") as Given),
    /--days 1: .*soil\.csv ends after [\d.]+ days/,
  );
});

const BAD: readonly [string, RegExp, ...string[]][] = [
  ["no days", /--days <n>.*'0'.*whole number from 1 to 3660/, "--days", "0"],
  ["negative days", /--days <n>.*'-3'.*whole number/, "--days", "-3"],
  ["half a day", /--days <n>.*'1\.5'/, "--days", "1.5"],
  ["days in words", /--days <n>.*'many'/, "--days", "many"],
  ["more days than ten years", /--days <n>.*'3661'/, "--days", "3661"],
  ["a negative seed", /--seed <n>.*'-1'.*4294967295/, "--seed", "-1"],
  ["a seed of too many bits", /--seed <n>.*'4294967296'/, "--seed", "4294967296"],
  ["a day that is not", /--start <time>.*'2026-02-30'/, "--start", "2026-02-30"],
  ["a start in words", /--start <time>.*'tomorrow'.*2026-06-01T06:00:00Z/, "--start", "tomorrow"],
  ["no species", /--plants <species>.*cactus,basil/, "--plants", "basil,"],
  ["an interval too short", /--every <time>.*'30s'.*1m to 24h/, "--every", "30s"],
  ["an interval without unit", /--every <time>.*'6'/, "--every", "6"],
  ["no rounds", /--max-rounds <n>.*'0'/, "--max-rounds", "0"],
  ["an option nobody knows", /unknown option '--sed'.*--seed/s, "--sed", "1"],
  ["an argument too many", /too many arguments/, "basil"],
  ["a suite of one scenario", /--suite.*cannot be used with.*--scenario/, "--suite", "--scenario", STEADY],
  ["a suite to go on with", /--suite.*cannot be used with.*--resume/, "--suite", "--resume"],
];
for (const [what, message, ...args] of BAD) {
  t.test(`${what} is refused by name and with what is allowed`, async (t) => {
    t.match(given(...args), message);
    t.match(given(...args), /^1 error: [^\n]+\n(\([^\n]*\)\n)?$/, "in a line");
  });
}
