import t from "tap";
import { parse, stringify } from "yaml";
import { ConfigError } from "../../../runtime/config/config-error.js";
import { loadConfig, parseConfig } from "../../../runtime/config/load.js";
import { defaultConfig } from "../../../runtime/config/schema.js";

const problemsOf = (text: string): readonly string[] => {
  try {
    parseConfig(text, "t.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

t.test("an empty file is the bench with one basil", async (t) => {
  t.same(parseConfig("", "t.yaml"), defaultConfig());
  t.match(defaultConfig(), { board: "bench", plants: [{ id: "basil", pump: { flow_ml_per_s: 1.5 } }] });
  t.equal(defaultConfig().server.host, "127.0.0.1", "on loopback unless told otherwise");
});

t.test("an unknown key is refused by name, file and line, and several mistakes come at once", async (t) => {
  const problems = problemsOf(
    "plants:\n  - id: basil\n    pmup: { flow_ml_per_s: 2 }\nserver:\n  prot: 8731\n",
  );
  t.same(problems, ["t.yaml:3: plants[0].pmup: unknown key", "t.yaml:5: server.prot: unknown key"]);
});

t.test("a value out of range names key, range and what was given", async (t) => {
  t.match(problemsOf("server: { port: 70000 }"), [/^t\.yaml:1: server\.port: .*65535.*\(got 70000\)$/]);
  t.match(problemsOf("water: { daily_limit_ml: 501 }"), [/water\.daily_limit_ml: .*500.*\(got 501\)/]);
  t.match(
    problemsOf("cycle: { max_age_minutes: 31 }"),
    [/cycle\.max_age_minutes/],
    "no laxer than the contract",
  );
});

t.test("a pump too slow for the largest dose is refused, the slowest that fits is not", async (t) => {
  const pump = (flow: number) => `plants: [{ id: a, pump: { flow_ml_per_s: ${flow} } }]`;
  t.match(problemsOf(pump(0.96)), [/flow_ml_per_s: must be at least 25\/26 = 0\.962 ml\/s/]);
  t.same(problemsOf(pump(25 / 26)), []);
});

t.test("two plants share neither id nor name nor probe", async (t) => {
  t.match(problemsOf("plants: [{ id: a }, { id: a, probe: { channel: 1 } }]"), [
    /plants\[1\]: shares its id/,
  ]);
  t.match(problemsOf("plants: [{ id: a, name: B }, { id: b, probe: { channel: 1 } }]"), [/shares/]);
  t.match(problemsOf("plants: [{ id: a }, { id: b }]"), [/72\/0/], "the same input of the same ADC");
});

t.test("a probe needs two different ends, and either may be the higher one", async (t) => {
  const probe = (dry: number, wet: number) =>
    `plants: [{ id: a, probe: { dry_volts: ${dry}, wet_volts: ${wet} } }]`;
  t.match(problemsOf(probe(2, 2.05)), [/must differ by at least 0\.1 V/]);
  t.same(problemsOf(probe(1, 2)), []);
  t.same(problemsOf(probe(2, 1)), []);
});

t.test("broken YAML, doubled keys and a file that is not there are clear errors", async (t) => {
  t.match(problemsOf("plants: [ {id: a"), [/^t\.yaml: /]);
  t.match(problemsOf("board: bench\nboard: bench\n"), [/unique/i]);
  t.match(problemsOf("- just\n- a list\n"), [/t\.yaml/]);
  t.throws(() => loadConfig("/nowhere/tendril.yaml"), {
    message: /\/nowhere\/tendril\.yaml: cannot be read \(ENOENT\)/,
  });
});

t.test("a cron pattern that is none is refused where it stands", async (t) => {
  t.match(problemsOf('sampling: { cron: "61 * * * *" }'), [/sampling\.cron: /]);
  t.match(problemsOf("sampling: { cron: every minute }"), [/sampling\.cron: /]);
  t.same(problemsOf('sampling: { cron: "*/5 * * * *" }'), []);
});

t.test("what `tendril config` prints is itself a configuration", async (t) => {
  t.same(parseConfig(stringify(defaultConfig()), "t.yaml"), defaultConfig());
  t.type(parse(stringify(defaultConfig())), "object");
});
