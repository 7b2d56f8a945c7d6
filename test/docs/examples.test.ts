import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import t from "tap";
import { RuntimeHere } from "../process.js";
import { endOf } from "../run-tendril.js";
import { PLAIN_NODE } from "../spawn-node.js";
import { tendrilHere } from "../tendril-here.js";

const PAGE = "docs/clients.md";
const PYTHON = "docs/examples/water.py";
const TYPESCRIPT = "docs/examples/water.ts";
/** In dist/test/docs, so that Node finds `ws` in the project's node_modules. */
const COMPILED = fileURLToPath(new URL("examples/water.js", import.meta.url));

t.test(`${PAGE} shows both example clients as they are`, async (t) => {
  const page = readFileSync(PAGE, "utf8");
  for (const example of [PYTHON, TYPESCRIPT]) t.ok(page.includes(readFileSync(example, "utf8")), example);
});

t.test("each example client completes a watering cycle against a real runtime", async (t) => {
  await build({ entryPoints: [TYPESCRIPT], outfile: COMPILED, format: "esm", logLevel: "warning" });
  const runtime = await RuntimeHere.start();
  t.teardown(() => runtime.stop());
  const token = join(runtime.state, "tokens", "agent");

  const python = await run(["python3", PYTHON, runtime.http, token]);
  t.match(python, { code: 0, err: "", out: /'dispensed': 15\b/ }, "Python");
  const typescript = await run([...PLAIN_NODE, COMPILED, runtime.url, token]);
  t.match(typescript, { code: 0, err: "", out: /dispensed: 15\b/ }, "TypeScript");

  const { out } = await tendrilHere(["status", "--json", "--state", runtime.state]);
  const plant = { water: { used_ml: 30, events: 2 }, care: null };
  t.match(JSON.parse(out), { plants: [plant] }, "both doses count, and both clients released the plant");

  // JSON leaves U+2028 as it is, and for some languages it ends a line
  await tendrilHere(["hold", "--reason", "a\u2028b", "--state", runtime.state]);
  const told = await run(["python3", PYTHON, runtime.http, token]);
  t.match(told, { code: 0, err: "", out: /a\u2028b/ }, "words of people are no ends of lines");
});

const run = ([program, ...args]: readonly [string, ...string[]]) =>
  endOf(spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] }));
