import t from "tap";
import { askedOf, Mistake, usageOf } from "./asked.js";

const NAMES = { sections: ["wire", "floods"], floods: ["calls"] };
const asked = (...args: readonly string[]) => askedOf(args, NAMES);

t.test("what the benchmarks are asked for", async (t) => {
  t.match(asked(), { help: false, write: false, against: undefined, rounds: 10, only: [] });
  t.match(asked("wire", "calls", "--against", "main", "--rounds", "3"), {
    against: "main",
    rounds: 3,
    only: ["wire", "calls"],
  });
  t.match(asked("--write"), { write: true });
  t.match(asked("-h"), { help: true });
});

t.test("a mistake is a sentence", async (t) => {
  const mistakes: readonly [RegExp, ...string[]][] = [
    [/no benchmark nosuch$/, "wire", "nosuch"],
    [/'--foo'/, "--foo"],
    [/--against/, "--against"],
    [/--rounds 0 /, "--against", "main", "--rounds", "0"],
    [/--write/, "wire", "--write"],
    [/--write/, "--against", "main", "--write"],
  ];
  for (const [message, ...args] of mistakes) {
    const found = mistakeIn(args);
    t.ok(found instanceof Mistake, args.join(" "));
    t.match(found, { message });
  }
});

t.test("the usage names what can be measured", async (t) => {
  t.match(usageOf(NAMES), /wire, floods;\n.*calls\n/);
});

function mistakeIn(args: readonly string[]): unknown {
  try {
    return asked(...args);
  } catch (error) {
    return error;
  }
}
