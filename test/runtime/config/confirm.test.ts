import t from "tap";
import { parseConfig } from "../../../runtime/configuration.js";
import { ConfigError } from "../../../runtime/errors.js";

const parsed = (text: string) => parseConfig(text, "tendril.yaml");

const problems = (text: string): readonly string[] => {
  try {
    parsed(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

t.test("nothing has to be confirmed by default", async (t) => {
  t.match(parsed(""), { confirm: {}, confirm_within_minutes: 5, confirm_by: "person" });
});

t.test("once per cycle may be written as people write it", async (t) => {
  const { confirm } = parsed("confirm: { dispense_water: once per cycle, turn_on_light: once_per_cycle }");
  t.same(confirm, { dispense_water: "once_per_cycle", turn_on_light: "once_per_cycle" });
});

for (const [line, message] of [
  ["turn_off_light: always", /:2: confirm\.turn_off_light: switches off: that is never refused/],
  ["stop_all: never", /:2: confirm\.stop_all: switches off/],
  ["read_moisture: always", /:2: confirm\.read_moisture: only reads/],
  ["set_hold: always", /:2: confirm\.set_hold: is a person's own tool/],
  ["pour_water: always", /:2: confirm\.pour_water: there is no such tool/],
  ["save_notes: once_per_cycle", /:2: confirm\.save_notes: is about no plant/],
  ["dispense_water: sometimes", /:2: confirm\.dispense_water: must be "always"/],
] as const)
  t.test(`a configuration that says ${line} is refused, with its line`, async (t) => {
    t.match(problems(`confirm:\n  ${line}`), [message]);
  });

t.test("how long a request waits has a range", async (t) => {
  for (const minutes of [0, 31])
    t.match(problems(`confirm_within_minutes: ${minutes}`), [/confirm_within_minutes/]);
});
