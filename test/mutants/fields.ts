import { readdirSync } from "node:fs";
import { performance } from "node:perf_hooks";
import t, { Test } from "tap";
import type { z } from "zod";
import { MODULES, TOOLS } from "../../runtime/services/modules.js";
import { formsOf } from "../../runtime/tools/operations.js";
import { labelOf, type Tool, Untrusted } from "../../runtime/tools/tool.js";

/**
 * `npm run test:fields -- TOOL…`: takes each field of these tools away, one at a time, and runs the tests of their families. A
 * parameter is dropped before the tool runs; a field of the result is null, or a constant is in its place. Tells the fields that
 * no test misses. All in one process: of the tests that touch a field, each that fails is a find.
 */

type Value = Record<string, unknown>;
type Body = (t: unknown) => unknown;
type Options = Record<string, unknown>;

/** Milliseconds for one test with a field away, a choice. A test that waits for ever has found it. */
const LIMIT = 30_000;
/** A text and a number that no test expects. */
const STRANGE = { text: "a constant", number: -77.5 };

interface OneTest {
  readonly name: string;
  readonly options: Options;
  readonly body: Body;
  /** What would change something in it. */
  readonly touches: Set<string>;
  ms: number;
}

interface Mutant {
  /** "list_tool add_item > position: null". */
  readonly what: string;
  readonly form: Tool;
  input(args: Value): Value;
  output(value: unknown): unknown;
}

const same = <T>(value: T): T => value;
const isObject = (value: unknown): value is Value =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Each field of a result, those of rows and of parts too: "items[].item_text". */
function pathsIn(schema: z.ZodType): readonly string[][] {
  const { shape } = schema as Partial<z.ZodObject>;
  if (shape)
    return Object.entries(shape).flatMap(([key, inner]) => [
      [key],
      ...pathsIn(inner as z.ZodType).map((path) => [key, ...path]),
    ]);
  const { element } = schema as { element?: z.ZodType };
  return element ? pathsIn(element).map((path) => ["[]", ...path]) : [];
}

/** A copy with `change` at the path, wherever that is in the value. */
function changedAt(
  value: unknown,
  [key, ...rest]: readonly string[],
  change: (old: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value);
  if (key === "[]") return Array.isArray(value) ? value.map((each) => changedAt(each, rest, change)) : value;
  return isObject(value) && value[key] !== undefined
    ? { ...value, [key]: changedAt(value[key], rest, change) }
    : value;
}

/** Another value, of the same type where there is one. */
function constantFor(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return STRANGE.number;
  if (Array.isArray(value)) return value.length === 0 ? [STRANGE.text] : [];
  if (isObject(value)) return Object.keys(value).length === 0 ? { a: STRANGE.text } : {};
  return STRANGE.text;
}

function mutantsOf(form: Tool): readonly Mutant[] {
  const inputs = Object.entries(form.input.shape).filter(([key]) => key !== "operation");
  return [
    ...inputs.map(([key, schema]): Mutant => {
      const absent = (schema as z.ZodType).safeParse(undefined).data;
      return {
        what: `${labelOf(form)} < ${key}: dropped`,
        ...{ form, output: same },
        input: ({ [key]: _, ...args }) => ({ ...args, ...(absent !== undefined && { [key]: absent }) }),
      };
    }),
    ...pathsIn(form.output).flatMap((path) =>
      (["null", "constant"] as const).map(
        (how): Mutant => ({
          what: `${labelOf(form)} > ${path.join(".").replaceAll(".[]", "[]")}: ${how}`,
          ...{ form, input: same },
          output: (value) => changedAt(value, path, how === "null" ? () => null : constantFor),
        }),
      ),
    ),
  ];
}

/** Puts what the mutant does around the tool; the answer takes it off. */
function around({ form, input, output }: Pick<Mutant, "form" | "input" | "output">): () => void {
  const { run } = form;
  const changed: Tool["run"] = async (args, context) => {
    const answer = await run(input(args), context);
    return answer instanceof Untrusted ? new Untrusted(output(answer.value), answer.sources) : output(answer);
  };
  const put = (instead: Tool["run"]) => Object.assign(form, { run: instead });
  put(changed);
  return () => put(run);
}

const tools = TOOLS.filter(({ name }) => process.argv.includes(name, 2));
const families = MODULES.filter((family) => family.tools.some((tool) => tools.includes(tool)));
if (tools.length === 0) throw new Error("name tools");

t.setTimeout(0);
/** Apart from the process's own test, which would print each find as a failure. */
const apart = new Test({ name: "fields away", timeout: 0 });
apart.runMain(() => undefined);
apart.resume();
// a test that waits for ever may leave nothing else to do, and Node would end before its time is up
const awake = setInterval(() => undefined, LIMIT);

const mutants = tools.flatMap((tool) => formsOf(tool).flatMap(mutantsOf));
const tests = await collected();
for (const test of tests) await runUntouched(test);
/** The quick ones first, then those that found something lately. */
const inTurn = tests.toSorted((a, b) => a.ms - b.ms);
let missed = 0;
for (const mutant of mutants) {
  const finder = await finderOf(mutant);
  if (finder === undefined) missed += 1;
  else inTurn.unshift(...inTurn.splice(inTurn.indexOf(finder), 1));
  tell(`${finder ? "found " : "MISSED"} ${mutant.what}${finder ? `: ${finder.name}` : ""}`);
}
tell(`${mutants.length} fields away, ${missed} that no test misses`);
clearInterval(awake);

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The files' tests, which do not run yet. */
async function collected(): Promise<OneTest[]> {
  const found: OneTest[] = [];
  const { test } = t;
  const keep = (name: string, ...rest: readonly unknown[]) => {
    const body = rest.at(-1) as Body;
    const options = rest.length > 1 ? (rest[0] as Options) : {};
    if (!options.skip) found.push({ name, options, body, touches: new Set(), ms: 0 });
  };
  Object.assign(t, { test: keep });
  for (const { name } of families) {
    const folder = new URL(`../services/${name}/`, import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith(".test.js"));
    for (const file of files) await import(new URL(file, folder).href);
  }
  Object.assign(t, { test });
  return found;
}

async function passes({ name, options, body }: OneTest): Promise<boolean> {
  const result = await apart.test({ ...options, name, timeout: LIMIT }, body as never);
  return result?.ok === true;
}

/** Notes which fields the test touches. */
async function runUntouched(test: OneTest): Promise<void> {
  const seen = (mutant: Mutant, before: unknown, after: unknown) => {
    if (before !== after && JSON.stringify(before) !== JSON.stringify(after)) test.touches.add(mutant.what);
  };
  const forms = new Set(mutants.map(({ form }) => form));
  const takeOff = [...forms].map((form) => {
    const own = mutants.filter((mutant) => mutant.form === form);
    const watched = (part: "input" | "output") => (value: never) => {
      for (const mutant of own) seen(mutant, value, mutant[part](value));
      return value;
    };
    return around({ form, input: watched("input"), output: watched("output") });
  });
  const start = performance.now();
  if (!(await passes(test))) {
    tell(`left out, as it fails here with all fields: ${test.name}`);
    test.touches.clear();
  }
  test.ms = performance.now() - start;
  for (const take of takeOff) take();
}

async function finderOf(mutant: Mutant): Promise<OneTest | undefined> {
  const takeOff = around(mutant);
  try {
    for (const test of inTurn) if (test.touches.has(mutant.what) && !(await passes(test))) return test;
  } finally {
    takeOff();
  }
  return undefined;
}
