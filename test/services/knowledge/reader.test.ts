import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { partsOf } from "../../../runtime/services/knowledge/parts.js";
import { confined, Reader, shutIn } from "../../../runtime/services/knowledge/reader.js";
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
  const reader = new Reader({
    sleep: (ms, signal) => clock.sleep(ms === seconds(60) ? millis(ms * patience) : ms, signal),
  });
  t.teardown(() => reader.close());
  t.same(await reader.read("html", Buffer.from("<p>first</p>")), { text: "first\n" });
  patience = 1 / 60;
  t.same(await reader.read("pdf", pdfBomb(600)), {
    reason: "cannot be read: it takes too much time or memory",
  });
  patience = 1;
  t.same(await reader.read("html", Buffer.from("<p>next</p>")), { text: "next\n" });
});

t.test("a long file goes to its reader, and its text comes back, in short messages", async (t) => {
  const reader = new Reader(new SystemClock());
  t.teardown(() => reader.close());
  const text = "ä word 👩 ".repeat(150_000).trim();
  const reading = reader.read("html", Buffer.from(`<p>${text}</p>`));
  t.same(await reading, { text: `${text}\n` });
  const lengths = (whole: Uint8Array | string) =>
    [...partsOf(whole)].map(({ part, isLast }) => [part.length, isLast]);
  t.same(lengths("x".repeat(600_000)), [
    [262_144, false],
    [262_144, false],
    [75_712, true],
  ]);
  t.same(lengths(Buffer.alloc(262_144)), [[262_144, true]]);
  t.same(lengths(""), [[0, true]], "an empty file is told too");
});

t.test("a reader that never gets ready is ended, and no other file waits for it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tendril-stuck-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, "stuck.mjs");
  await writeFile(program, "process.on('message', () => undefined);"); // it lives, and says nothing
  const waits: number[] = [];
  const clock = {
    sleep: async (ms: Millis) => {
      waits.push(ms);
    },
  };
  const reader = new Reader(clock, program);
  t.teardown(() => reader.close());
  const stuck = { reason: /^is not read: its reader did not start within 30 s/, isPassing: true };
  t.match(await reader.read("html", Buffer.from("<p>first</p>")), stuck);
  t.match(await reader.read("html", Buffer.from("<p>next</p>")), stuck);
  t.same(waits, [30_000], "one wait for all");
  const isThere = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(program);
  while (isThere()) await new Promise((resolve) => setImmediate(resolve)); // a child that was left alone is never gone
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

t.test("a reader can open no socket, whatever it runs, and cannot get that back", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tendril-shut-in-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const program = join(folder, "try.mjs");
  await writeFile(
    program,
    `import { closeSync } from "node:fs"; import { connect, createServer } from "node:net"; import { createSocket } from "node:dgram";
     const port = Number(process.argv[2]);
     const tcp = () => new Promise((resolve) => connect(port, "127.0.0.1").on("connect", () => resolve("done")).on("error", ({ code }) => resolve(code)));
     const pipe = () => new Promise((resolve) => connect("\\0tendril").on("connect", () => resolve("done")).on("error", ({ code }) => resolve(code)));
     const listen = () => new Promise((resolve) => createServer().listen(0, "127.0.0.1", () => resolve("done")).on("error", ({ code }) => resolve(code)));
     const udp = () => new Promise((resolve) => { const socket = createSocket("udp4"); socket.on("error", ({ code }) => resolve(code)); socket.send("x", port, "127.0.0.1", (error) => resolve(error?.code ?? "done")); });
     const page = () => fetch("http://127.0.0.1:" + port).then(() => "done", ({ cause }) => cause.code);
     process.on("message", async () => {
       const first = [await tcp(), await pipe(), await listen(), await udp(), await page()];
       for (const open of [0, 1, 2]) closeSync(open); // what is closed leaves its number to the next
       process.send([...first, await tcp(), await udp()]);
     });
     process.send("ready");`,
  );
  const answerOf = async (child: ChildProcess) => {
    const [answer] = await Promise.all([once(child, "message"), child.send("try")]);
    child.kill("SIGKILL");
    return answer[0];
  };
  const { port } = server.address() as AddressInfo;
  const open = spawn(process.execPath, [...confined(program), String(port)], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  await once(open, "message");
  t.same(
    await answerOf(open),
    ["done", "ECONNREFUSED", "done", "done", "done", "done", "done"],
    "as Node's permission model leaves it",
  );
  t.same(await answerOf(await shutIn(program, [String(port)], new SystemClock())), Array(7).fill("EMFILE"));
});

t.test(
  "where a reader cannot be kept from the network it reads nothing, and the reason says so",
  async (t) => {
    const path = process.env.PATH;
    const folder = await mkdtemp(join(tmpdir(), "tendril-no-prlimit-"));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await symlink("/bin/sh", join(folder, "sh"));
    process.env.PATH = folder;
    t.teardown(() => {
      process.env.PATH = path;
    });
    const reader = new Reader(new SystemClock());
    t.match(await reader.read("html", Buffer.from("<p>a</p>")), {
      reason: /kept from the network here \(prlimit/,
    });
  },
);
