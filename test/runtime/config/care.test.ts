import t from "tap";
import { parseConfig } from "../../../runtime/configuration.js";
import { ConfigError } from "../../../runtime/errors.js";

const parsed = (text: string) => parseConfig(text, "tendril.yaml").care;

t.test("the person is told after 36 hours without care, after as long as is said, or never", async (t) => {
  t.same(parsed(""), { tell_after_hours: 36 });
  for (const value of [1, 1.5, 720, "never"])
    t.same(parsed(`care: { tell_after_hours: ${value} }`), { tell_after_hours: value });
});

t.test("anything else is refused, with its line and what may stand there", async (t) => {
  for (const value of ["0", "0.5", "721", "-3", "off", "null"]) {
    const found = parseError(`care:\n  tell_after_hours: ${value}`);
    t.ok(found instanceof ConfigError, value);
    t.match(String(found), /:2: care\.tell_after_hours: must be a number of hours from 1 to 720, or "never"/);
  }
});

function parseError(text: string): unknown {
  try {
    return parsed(text);
  } catch (error) {
    return error;
  }
}
