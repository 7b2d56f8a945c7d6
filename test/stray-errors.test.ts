import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { endOf } from "./run-tendril.js";
import { spawnNode } from "./spawn-node.js";

const STRAY_ERRORS = new URL("stray-errors.js", import.meta.url).href;
const folder = await mkdtemp(join(tmpdir(), "tendril-stray-"));
t.teardown(() => rm(folder, { recursive: true, force: true }));

/** Runs a file of one test, which passes while `stray` happens beside it. */
async function ends(name: string, stray: string) {
  const file = join(folder, `${name}.mjs`);
  const test = `async (t) => { ${stray}; await new Promise((end) => setTimeout(end, 100)); t.pass(); }`;
  const tap = JSON.stringify(import.meta.resolve("tap"));
  await writeFile(file, `import t from ${tap}; t.test("passes", ${test});`);
  return endOf(spawnNode(["--import", STRAY_ERRORS, file]));
}

const STRAYS = {
  rejection: `Promise.reject(new Error("nobody hears it"))`,
  exception: `setImmediate(() => { throw new Error("nobody hears it") })`,
};

t.test("a stray error in a part of the suite fails that part, and is told", async (t) => {
  const ended = await Promise.all(Object.entries(STRAYS).map(([name, stray]) => ends(name, stray)));
  for (const { code, out, err } of ended) {
    t.not(code, 0);
    t.match(`${out}${err}`, "nobody hears it");
  }
});

t.test("without one it passes", async (t) => t.match(await ends("none", ""), { code: 0 }));
