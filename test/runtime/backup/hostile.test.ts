import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { array, assert, asyncProperty, constantFrom, integer, nat, oneof, record } from "fast-check";
import t, { type Test } from "tap";
import { Header, Pack, ReadEntry } from "tar";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { verifyBackup } from "../../../runtime/backup/contents.js";
import { restore } from "../../../runtime/backup/restore.js";
import { LEAVE_OUT } from "../../../runtime/places.js";
import { rigFor } from "../../rig.js";
import { backupOf, folderFor, restoreTo, treeOf } from "./backup-rig.js";

/** Archives that nobody of ours has written. */

interface Entry {
  readonly name: string;
  readonly text?: string;
  readonly type?: "File" | "SymbolicLink" | "Link" | "Directory" | "CharacterDevice" | "FIFO";
  readonly linkpath?: string;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const WATER: Entry = { name: "journal/water.jsonl", text: "" };

function manifestOf(entries: readonly Entry[], changes: Readonly<Record<string, unknown>> = {}): Entry {
  const members = entries.map(({ name, text = "" }) => ({ name, bytes: text.length, sha256: sha256(text) }));
  const head = { format: 1, tendril: "0.1.0", made_at: "2026-06-01T08:00:00.000Z", host: "h" };
  const rest = { database_version: null, records: {}, left_out: [], members };
  return { name: "manifest.json", text: JSON.stringify({ ...head, ...rest, ...changes }) };
}

async function archiveOf(t: Test, entries: readonly Entry[]): Promise<string> {
  const file = join(await folderFor(t), "hostile.tar.gz");
  const pack = new Pack({ portable: true, preservePaths: true });
  const written = pipeline(
    (async function* () {
      yield* pack;
    })(),
    createGzip(),
    createWriteStream(file),
  );
  for (const { name, text = "", type = "File", linkpath } of entries) {
    const header = {
      path: name,
      size: text.length,
      mode: 0o777,
      type,
      ...(linkpath !== undefined && { linkpath }),
    };
    const entry = new ReadEntry(new Header(header));
    pack.add(entry);
    if (text !== "") entry.write(Buffer.from(text));
    entry.end();
  }
  pack.end();
  await written;
  return file;
}

t.test("an agent's folder, which backups of before 2026-11-27 have, is not put back", async (t) => {
  const entries = [WATER, { name: "agent/conversations.jsonl", text: "what was said" }];
  const file = await archiveOf(t, [...entries, manifestOf(entries)]);
  const state = join(await folderFor(t), "state");
  await mkdir(state);
  await restoreTo(state, file);
  const restored = await readdir(state);
  t.same([restored.includes("journal"), restored.includes("agent")], [true, false]);
});

/** Refused, with neither the state folder nor anything around it changed; gives the refusal's words. */
async function refusedWhole(t: Test, file: string, code = /^/): Promise<string> {
  const around = await folderFor(t);
  const state = join(around, "state");
  await mkdir(state);
  await writeFile(join(state, "used"), "water");
  const before = await treeOf(around);
  const error = await restoreTo(state, file).catch((refusal: Error & { code?: string }) => refusal);
  t.match(error, { code });
  t.same(await treeOf(around), before);
  t.same(
    (await readdir(state)).filter((name) => name.startsWith(".") && name !== ".lock.twin"),
    [],
    "nothing is left of what was unpacked",
  );
  return error instanceof Error ? error.message : "";
}

t.test("a backup from before 2026-11-27 may hold an agent's folder, which is not restored", async (t) => {
  const entries = [WATER, { name: "used", text: "" }, { name: "agent/runs/0.jsonl", text: "a conversation" }];
  const file = await archiveOf(t, [...entries, manifestOf(entries)]);
  const state = await folderFor(t);
  await restoreTo(state, file);
  t.notOk(existsSync(join(state, "agent")));
});

const NAMES = [
  "../outside",
  "/tmp/outside",
  "journal/../../outside",
  "journal/./water.jsonl",
  "journal//water.jsonl",
  ".hidden",
  "journal/.hidden",
  "a/b/c/d",
  "relays.off",
  "lock.sqlite",
  "runtime.json",
  "restore.json",
  "tendril.sqlite-wal",
  "before-restore-x/used",
  "journal\\..\\..\\outside",
  `${"x".repeat(201)}`,
  "new\nline",
];
for (const name of NAMES)
  t.test(`a file named ${JSON.stringify(name.slice(0, 30))} is none of a backup`, async (t) => {
    const entries = [WATER, { name, text: "0 /etc/passwd" }];
    await refusedWhole(t, await archiveOf(t, [...entries, manifestOf(entries)]), /BACKUP_INVALID/);
  });

for (const type of ["SymbolicLink", "Link", "Directory", "CharacterDevice", "FIFO"] as const)
  t.test(`a ${type} is none of a backup`, async (t) => {
    const entry = { name: "journal", type, ...(type.endsWith("Link") && { linkpath: "/etc" }) };
    const file = await archiveOf(t, [entry, WATER, manifestOf([WATER])]);
    await refusedWhole(t, file, /BACKUP_INVALID/);
  });

const USED: Entry = { name: "used", text: "water" };
const WRONG: Readonly<Record<string, readonly Entry[]>> = {
  "without its manifest": [WATER, USED],
  "with nothing at all": [],
  "with a file that the manifest does not name": [WATER, USED, manifestOf([WATER])],
  "without a file that the manifest names": [WATER, manifestOf([WATER, USED])],
  "with another content": [{ name: "used", text: "light" }, manifestOf([USED])],
  "with a file twice": [USED, USED, manifestOf([USED, USED])],
  "with something behind the manifest": [manifestOf([USED]), USED],
  "with two manifests": [USED, manifestOf([USED]), manifestOf([USED])],
  "with a manifest that is no JSON": [USED, { name: "manifest.json", text: "{" }],
  "with a manifest of nothing": [USED, { name: "manifest.json", text: "{}" }],
  "whose manifest names what leads elsewhere": [USED, manifestOf([USED, { name: "../outside" }])],
  "with a file where a folder has to be": [
    { name: "journal", text: "x" },
    WATER,
    manifestOf([{ name: "journal", text: "x" }, WATER]),
  ],
};
for (const [what, entries] of Object.entries(WRONG))
  t.test(`an archive ${what} is refused whole`, async (t) => {
    await refusedWhole(t, await archiveOf(t, entries), /^[A-Z_]+$/);
  });

const TOKEN = "t".repeat(43);
const UNSTARTABLE: readonly (readonly [what: string, entries: readonly Entry[], says: RegExp])[] = [
  [
    "a mistake in its configuration",
    [{ name: "tendril.yaml", text: "plants:\n  - id: basil\n    pumpp: {}\n" }],
    /tendril\.yaml:3: plants\[0\]\.pumpp: unknown key.*--leave-out/,
  ],
  [
    "a configuration that is a folder",
    [{ name: "tendril.yaml/x", text: "" }],
    /tendril\.yaml: cannot be read \(EISDIR\).*--leave-out/,
  ],
  [
    "a calendar of nobody",
    [{ name: "tendril.yaml", text: "people: [{ id: anna }]\ncalendars:\n  - { name: a, person: ben }\n" }],
    /tendril\.yaml:3: calendars\[0\]\.person: no "ben" is under people/,
  ],
  [
    "a token that is none",
    [{ name: "tokens/agent", text: "short" }],
    /tokens\/agent does not hold one token/,
  ],
  [
    "a token of no role",
    [{ name: "tokens/owner", text: TOKEN }],
    /tokens\/owner does not begin with a role.*--leave-out/,
  ],
  [
    "a token twice",
    [
      { name: "tokens/agent", text: TOKEN },
      { name: "tokens/human", text: TOKEN },
    ],
    /tokens\/agent and tokens\/human hold the same token/,
  ],
  [
    "a scope that is none",
    [{ name: "tokens-scoped/agent", text: TOKEN }],
    /tokens-scoped\/agent does not begin/,
  ],
  ["a file in place of the tokens", [{ name: "tokens", text: TOKEN }], /tokens: part of the path is a file/],
  ["a damaged bench", [{ name: "bench.json", text: "{" }], /bench\.json is not JSON.*--leave-out/],
  ["another bench", [{ name: "bench.json", text: '{ "version": 1, "boots": 0 }' }], /bench\.json .*boots/s],
];
for (const [what, entries, says] of UNSTARTABLE)
  t.test(`an archive with ${what} could not start, and is refused whole`, async (t) => {
    const file = await archiveOf(t, [...entries, manifestOf(entries)]);
    const message = await refusedWhole(t, file, /BACKUP_CANNOT_START/);
    t.match(message, says);
    t.notMatch(message, /\.restore-/, "no folder that is gone");
  });

const LEFT_OUT = {
  "tendril.yaml": { name: "tendril.yaml", text: "plants: 5\n" },
  tokens: { name: "tokens-scoped/owner", text: TOKEN },
  "bench.json": { name: "bench.json", text: "{" },
} as const;
for (const name of LEAVE_OUT)
  t.test(`what could not start may be left out: then the ${name} of today stays`, async (t) => {
    const entries = [LEFT_OUT[name], USED];
    const file = await archiveOf(t, [...entries, manifestOf(entries)]);
    const state = join(await folderFor(t), "state");
    const today = {
      "tendril.yaml": "tendril.yaml",
      tokens: "tokens-scoped/metrics",
      "bench.json": "bench.json",
    }[name];
    await mkdir(join(state, dirname(today)), { recursive: true, mode: 0o700 });
    await writeFile(join(state, today), "of today", { mode: 0o600 });
    const options = { file, state, config: join(state, "tendril.yaml"), clock: new SimulatedClock() };
    await t.rejects(restore(options), { code: "BACKUP_CANNOT_START" });
    const { stayed } = await restore({ ...options, leaveOut: [name] });
    t.same(stayed, [today.split("/")[0]]);
    const now = await treeOf(state);
    const text = (path: string) => Buffer.from(now.get(path) ?? "", "base64").toString();
    t.equal(text(today), "of today");
    t.equal(text("used"), "water", "the rest is the backup's");
    if (name === "tokens") t.notOk(now.has(LEFT_OUT.tokens.name));
  });

t.test("what is no file of our kind is refused before it is read", async (t) => {
  const folder = await folderFor(t);
  const [zeros, pipe] = [join(folder, "zeros"), join(folder, "pipe")];
  await writeFile(zeros, "");
  await truncate(zeros, 2 ** 40);
  await promisify(execFile)("mkfifo", [pipe]);
  const wrong: readonly (readonly [file: string, says: string])[] = [
    ["/dev/zero", "/dev/zero cannot be used (it is no regular file)"],
    [pipe, `${pipe} cannot be used (it is no regular file)`],
    [folder, `${folder} cannot be used (it is a folder)`],
    [zeros, `${zeros} cannot be used (it does not begin as a gzipped file does)`],
  ];
  for (const [file, says] of wrong) {
    const state = join(folder, "state");
    await t.rejects(restoreTo(state, file), { code: "BACKUP_INVALID", what: says });
    await t.rejects(verifyBackup(file), { code: "BACKUP_INVALID", what: says });
    t.notOk(existsSync(state), "nothing is made for it");
  }
});

t.test("what a newer version has written is refused as that", async (t) => {
  for (const changes of [{ format: 2 }, { format: 2, members: "elsewhere" }, { database_version: 99 }]) {
    const file = await archiveOf(t, [USED, manifestOf([USED], changes)]);
    await refusedWhole(t, file, /STATE_TOO_NEW/);
  }
});

t.test("a file that blows up when it is unpacked is given up, having written nothing", async (t) => {
  const bomb = { name: "notes/zeros", text: "\0".repeat(40_000_000) };
  const file = await archiveOf(t, [bomb, manifestOf([bomb])]);
  t.ok((await readFile(file)).length < 60_000);
  await refusedWhole(t, file, /BACKUP_INVALID/);
});

t.test("whatever is cut off, changed or added in a backup, it is refused, or is what it was", async (t) => {
  const rig = await rigFor(t);
  await rig.get("send_message_to_human", { message: "hello" });
  const { file, manifest } = await backupOf(rig.state, await folderFor(t));
  const whole = await readFile(file);
  const damagedFile = join(await folderFor(t), "damaged.tar.gz");
  const at = nat(whole.length - 1);
  const flip = record({ kind: constantFrom("flip" as const), at, by: integer({ min: 1, max: 255 }) });
  const cut = record({ kind: constantFrom("cut" as const), at, by: integer({ min: 1, max: 255 }) });
  const one = oneof(flip, cut);
  await assert(
    asyncProperty(array(one, { minLength: 1, maxLength: 3 }), async (damages) => {
      let bytes = Buffer.from(whole);
      for (const { kind, at: place, by } of damages) {
        if (kind === "cut") bytes = bytes.subarray(0, place);
        else if (place < bytes.length) bytes.writeUInt8((bytes.readUInt8(place) ^ by) & 0xff, place);
      }
      await writeFile(damagedFile, bytes);
      const found = await verifyBackup(damagedFile).catch((error: { code?: string }) => error.code);
      if (found !== "BACKUP_INVALID" && JSON.stringify(found) !== JSON.stringify(manifest))
        throw new Error(`${JSON.stringify(damages)}: ${JSON.stringify(found)}`);
    }),
    { numRuns: 300, seed: 20261121 },
  );
  t.pass("300 damages");
});
