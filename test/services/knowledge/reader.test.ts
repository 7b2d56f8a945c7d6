import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";
import { confined, Reader } from "../../../runtime/services/knowledge/reader.js";
import { type CallOptions, rigFor } from "../../rig.js";
import { lockedPdf, pdfBomb, pdfOf } from "./pdf.js";

const AGENT: CallOptions = { as: "agent" };

t.test("a PDF is found by its words, with the page; what cannot be read is listed with why", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "tendril-pdf-"));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, "manuals");
  await mkdir(folder);
  const rig = await rigFor(t, { config: `knowledge: { folders: [{ path: ${folder} }] }` });
  const files = {
    "broken.pdf": Buffer.from("%PDF-1.4\nno more than this"),
    "locked.pdf": lockedPdf(),
    "pump.pdf": pdfOf(["Replace the membrane every two years", "A siphon break keeps the floor dry"]),
    "scan.pdf": pdfOf(["", ""]),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  t.match((await rig.get("retrieve_knowledge", { query: "siphon break" }, AGENT)).chunks, [
    { source: "file: pump", content: /^# Page 2\nA siphon break keeps the floor dry$/ },
  ]);
  const listed = async () => (await rig.get("listFiles", {}, AGENT)).files;
  t.match(await listed(), [
    { name: "manuals/broken.pdf", reason: "is no PDF that can be read" },
    { name: "manuals/locked.pdf", reason: "is locked with a password" },
    { name: "manuals/pump.pdf", indexed: true },
    { name: "manuals/scan.pdf", reason: "has no text: its pages are pictures" },
  ]);
  await rig.restart();
  await rig.get("retrieve_knowledge", { query: "membrane" }, AGENT);
  t.match(await listed(), [{}, {}, { indexed: true }, {}], "after a restart too");
});

t.test("a file that takes too much ends its reader alone: the next one is read", async (t) => {
  const clock = new SystemClock();
  let patience = 1;
  const reader = new Reader({ sleep: (ms, signal) => clock.sleep(millis(ms * patience), signal) });
  t.teardown(() => reader.close());
  t.same(await reader.read("html", Buffer.from("<p>first</p>")), { text: "first\n" });
  patience = 1 / 60;
  t.same(await reader.read("pdf", pdfBomb(600)), {
    reason: "cannot be read: it takes too much time or memory",
  });
  patience = 1;
  t.same(await reader.read("html", Buffer.from("<p>next</p>")), { text: "next\n" });
});

t.test("a reader can open no file, no device and no program", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tendril-confined-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, "try.mjs");
  await writeFile(
    program,
    `import { readFileSync, writeFileSync } from "node:fs"; import { spawnSync } from "node:child_process"; import { Worker } from "node:worker_threads";
     const tried = (act) => { try { act(); return "done"; } catch ({ code, name }) { return code ?? name; } };
     console.log([
       tried(() => readFileSync("/etc/hostname")), tried(() => readFileSync("/dev/null")), tried(() => writeFileSync("/dev/null", "")),
       tried(() => spawnSync("true")), tried(() => new Worker("1", { eval: true })), tried(() => new Function("return 1")),
       tried(() => process.dlopen({ exports: {} }, "/lib/none.node")) ].join());`,
  );
  t.equal(
    execFileSync(process.execPath, confined(program), { encoding: "utf8" }),
    `${Array(5).fill("ERR_ACCESS_DENIED").join()},EvalError,ERR_DLOPEN_DISABLED\n`,
  );
});
