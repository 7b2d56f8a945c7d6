import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours } from "../../../drivers/units.js";
import { TendrilError } from "../../../runtime/errors.js";
import { Media, stemOf, typeOfBytes } from "../../../runtime/services/memory/media.js";
import { writeDurably } from "../../../runtime/store/durable-file.js";
import type { Uploaded } from "../../../runtime/wire/media.js";
import { type Rig, rigFor } from "../../rig.js";

const JPEG = Buffer.from("ffd8ffe000104a464946", "hex");
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');

type Parts = ConstructorParameters<typeof Media>[0];

/** The real folder and the real writes; free space and what memories name are as the test says. */
async function mediaIn(t: Test, change: Partial<Parts> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "tendril-media-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const clock = new SimulatedClock("2026-06-01T08:00:00Z");
  const open = () =>
    new Media({
      ...{ folder, saveFile: writeDurably, mostBytes: 1_000_000, clock, key: Buffer.alloc(32, 7) },
      ...{ publicUrl: () => "http://house", named: async () => new Map(), log: () => undefined },
      ...{ people: [], personOf: () => undefined },
      ...change,
    });
  const files = async () => (await readdir(join(folder, "uploads")).catch(() => [])).sort();
  return { folder, clock, media: open(), open, files };
}

const upload = (media: Media, name: string, bytes: Uint8Array = JPEG) =>
  media.upload({ name, bytes, by: "human" });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "taken",
    (error: unknown) => (error instanceof TendrilError ? error.code : String(error)),
  );

t.test("a file is what its bytes are, not what its name says", async (t) => {
  const { media, files } = await mediaIn(t);
  for (const [bytes, type, ending] of [
    [JPEG, "image/jpeg", ".jpg"],
    [PNG, "image/png", ".png"],
    [Buffer.from("GIF89a.."), "image/gif", ".gif"],
    [Buffer.from("RIFF\n\0\0\nWEBPVP8 "), "image/webp", ".webp"],
    [Buffer.from("\0\0\0\x18ftypheic"), "image/heic", ".heic"],
    [Buffer.from("%PDF-1.7"), "application/pdf", ".pdf"],
  ] as const) {
    const taken = await upload(media, "evil.html", bytes);
    t.match(taken, { type, bytes: bytes.length });
    t.ok(taken.path.endsWith(ending), taken.path);
  }
  t.match(await upload(media, "notes.TXT", Buffer.from("Größe: 12\n")), { type: /text\/plain/ });
  const before = await files();
  for (const [name, bytes] of [
    ["fern.jpg", SVG],
    ["fern.svg", SVG],
    ["page.html", Buffer.from("<script>alert(1)</script>")],
    ["fern.jpg", Buffer.from("no picture")],
    ["notes.txt", Buffer.from([0xff, 0xfe, 0x00])],
    ["notes.txt", Buffer.from("a\0b")],
    ["program.txt", Buffer.from("\x7fELF\x02\x01")],
    ["empty.jpg", Buffer.alloc(0)],
    ["empty.txt", Buffer.alloc(0)],
  ] as const)
    t.equal(await codeOf(upload(media, name, bytes)), "MEDIA_REFUSED", name);
  t.same(await files(), before, "and nothing of them is kept");
  t.equal(typeOfBytes(JPEG.subarray(0, 2), "a.jpg"), undefined, "a beginning is not enough");
});

t.test("no name leads out of the folder, and a backup takes every name", async (t) => {
  const { media, folder, files } = await mediaIn(t);
  for (const [name, stem] of [
    ["../../etc/passwd.jpg", "passwd"],
    ["..\\..\\boot.ini", "boot"],
    ["/etc/cron.d/x.jpg", "x"],
    ["...", "file"],
    [".htaccess", "htaccess"],
    ["a\0b.jpg", "a-b"],
    ["Größe der Ärmel.jpg", "Gro-e-der-Armel"],
    ["花.jpg", "file"],
    ["-rf.jpg", "rf"],
    ["x".repeat(500), "x".repeat(60)],
    ["", "file"],
  ] as const) {
    t.equal(stemOf(name), stem, JSON.stringify(name));
    t.match((await upload(media, name)).path, /^uploads\/[A-Za-z0-9][A-Za-z0-9-]*-[0-9a-f]{16}\.jpg$/);
  }
  t.equal((await files()).length, 11);
  t.same(await readdir(folder), ["uploads"]);
  t.equal((await stat(join(folder, "uploads"))).mode & 0o077, 0, "nobody else on the machine reads them");
});

t.test("two uploads of one name are two files, also at once", async (t) => {
  const { media, folder } = await mediaIn(t);
  const both = await Promise.all([upload(media, "fern.jpg", JPEG), upload(media, "fern.jpg", PNG)]);
  t.not(both[0].path, both[1].path);
  t.same(await readFile(join(folder, both[0].path)), JPEG);
  t.same(await readFile(join(folder, both[1].path)), PNG);
});

t.test("what has no room is refused: by the limit, by many small files, by the disk", async (t) => {
  const { media, files } = await mediaIn(t, { mostBytes: 20_000 });
  await upload(media, "a.jpg", Buffer.concat([JPEG, Buffer.alloc(12_000)]));
  t.equal(await codeOf(upload(media, "b.jpg", Buffer.concat([JPEG, Buffer.alloc(9000)]))), "MEDIA_FULL");
  const small = await Promise.all([1, 2, 3].map(() => codeOf(upload(media, "c.jpg"))));
  t.same(small, ["taken", "taken", "MEDIA_FULL"], "a small file costs a block");
  t.equal((await files()).length, 3);
  const full = await mediaIn(t, { freeOn: async () => 200_000_000 });
  t.equal(await codeOf(upload(full.media, "a.jpg")), "NO_ROOM", "the record of water needs the rest");
  t.same(await full.files(), []);
});

t.test("a disk that fills up in the middle keeps nothing of the file, and the next one works", async (t) => {
  let isFull = true;
  const saveFile: Parts["saveFile"] = async (file, content) => {
    if (!isFull) return writeDurably(file, content);
    await writeFile(`${file}.tmp`, content.subarray(0, 3)); // as a power cut in the middle leaves it
    throw new TendrilError("STORE_FAILED", "no space left on device");
  };
  const { media, open, files } = await mediaIn(t, { saveFile });
  t.equal(await codeOf(upload(media, "a.jpg")), "STORE_FAILED");
  isFull = false;
  const { path } = await upload(open(), "b.jpg");
  t.same(await files(), [path.slice("uploads/".length)], "what was cut off is taken away after a restart");
});

t.test("an upload that no memory names goes after a day, and no other", async (t) => {
  const named = new Map<string, string[]>();
  const { folder, clock, open, files } = await mediaIn(t, { named: async () => named });
  const [kept, left, fresh] = [
    await upload(open(), "a.jpg"),
    await upload(open(), "b.jpg"),
    await upload(open(), "c.jpg"),
  ];
  named.set(kept.path, ["household"]);
  const old = (clock.now() - hours(25)) / 1000;
  for (const { path } of [kept, left]) await utimes(join(folder, path), old, old);
  await utimes(join(folder, fresh.path), clock.now() / 1000, clock.now() / 1000);
  await upload(open(), "d.jpg");
  const there = (await files()).map((name) => `uploads/${name}`);
  t.ok(there.includes(kept.path) && there.includes(fresh.path));
  t.notOk(there.includes(left.path));
});

t.test("the hourly upkeep removes it too, when nobody uploads anything", async (t) => {
  const { folder, clock, open, files } = await mediaIn(t);
  const { path } = await upload(open(), "a.jpg");
  const old = (clock.now() - hours(25)) / 1000;
  await utimes(join(folder, path), old, old);
  await open().tidy();
  t.same(await files(), []);
  const empty = await mediaIn(t);
  await t.resolves(empty.media.tidy(), "where there is no folder");
});

/** What the server does with an upload and with a link. */
async function uploadTo(
  rig: Rig,
  name: string,
  bytes: Uint8Array = JPEG,
  token = "human",
): Promise<Uploaded> {
  const { house } = rig.core;
  const [route] = house.modules.flatMap((module) => module.uploads?.(house) ?? []);
  return (await route?.take({
    name,
    bytes,
    by: { name: token, role: "human" },
    from: undefined,
  })) as Uploaded;
}

async function opened(rig: Rig, url: string) {
  const { pathname, searchParams } = new URL(url);
  const { house } = rig.core;
  const routes = house.modules.flatMap((module) => module.routes?.(house) ?? []);
  const route = routes.find(({ path }) => path === "/media/");
  if (!route) throw new Error("there is no route for media");
  const answer = await route.answer({
    path: pathname,
    query: searchParams,
    isPrivate: true,
    header: () => undefined,
  });
  const file = answer.body as { readFile(): Promise<Buffer>; close(): Promise<void> };
  const bytes = await file.readFile();
  await file.close();
  return { ...answer, bytes };
}

const linksOf = async (rig: Rig, id: unknown) =>
  (await rig.get("get_media_links", { id }, { as: "human" })).links as {
    path: string;
    type: string;
    url: string;
  }[];

t.test("a note has its picture: a link opens it for an hour, a changed one never", async (t) => {
  const rig = await rigFor(t);
  const { path, type } = await uploadTo(rig, "fern.jpg");
  const note = {
    source: "DIARY",
    title: "repotted",
    content: "repotted",
    media_path: path,
    media_type: type,
  };
  const { id } = await rig.get("save_memory", note, { as: "human" });
  const [link] = await linksOf(rig, id);
  t.match(link, { path, type: "image/jpeg" });
  const shown = await opened(rig, link?.url ?? "");
  t.same(shown.bytes, JPEG);
  t.match(shown.headers, { "Content-Disposition": "inline", "Content-Security-Policy": /sandbox/ });
  const other = await uploadTo(rig, "other.jpg");
  for (const wrong of [
    link?.url.replace(path, other.path),
    link?.url.replace(/expires=\d+/, "expires=99999999999"),
    link?.url.replace(path, "../tokens/human"),
    link?.url.replace(path, "..%2Ftokens%2Fhuman"),
    link?.url.replace(path, "%"),
    link?.url.replace(/\?.*/, ""),
  ])
    t.equal(await codeOf(opened(rig, wrong ?? "")), "NOT_FOUND", wrong ?? "");
});

t.test("a link ends after an hour", async (t) => {
  const { media, clock } = await mediaIn(t);
  const { path } = await upload(media, "fern.jpg");
  const { searchParams } = new URL(media.link(path));
  const found = await media.open(path, searchParams);
  await found?.file.close();
  t.match(found, { type: { type: "image/jpeg" } });
  await clock.advance(hours(1));
  t.equal(await media.open(path, searchParams), undefined);
});

t.test("what is no picture is for the disk: no browser shows it as a page of ours", async (t) => {
  const rig = await rigFor(t);
  await mkdir(join(rig.state, "media"));
  await writeFile(join(rig.state, "media", "by-hand.html"), "<script>alert(1)</script>");
  const attachments = ["by-hand.html", (await uploadTo(rig, "a.txt", Buffer.from("<script>"))).path];
  const { id } = await rig.get("save_memory", { source: "IMPORT", title: "x", content: "x", attachments });
  for (const { url } of await linksOf(rig, id)) {
    const { type, headers } = await opened(rig, url);
    t.match(type, /^(?:application\/octet-stream|text\/plain; charset=utf-8)$/);
    t.match(headers, { "Content-Disposition": "attachment" });
  }
});

t.test("who may not see a memory gets no link to its files; an observer and an agent get none", async (t) => {
  const config = "people: [{ id: ana, tokens: [human.ana] }, { id: ben, tokens: [human.ben] }]";
  const rig = await rigFor(t, { config });
  const { path } = await uploadTo(rig, "fern.jpg");
  const note = { source: "DIARY", title: "x", content: "x", media_path: path };
  const { id } = await rig.get("save_memory", note, { as: "human", token: "human.ana" });
  t.match(await rig.get("get_media_links", { id }, { as: "human", token: "human.ana" }), {
    links: [{ path }],
  });
  t.equal(
    (await rig.refused("get_media_links", { id }, { as: "human", token: "human.ben" })).code,
    "NOT_FOUND",
  );
  for (const as of ["observer", "agent"] as const)
    t.equal((await rig.refused("get_media_links", { id }, { as })).code, "FORBIDDEN", as);
});

t.test("an erased memory takes its uploads along, unless another memory names them", async (t) => {
  const rig = await rigFor(t);
  const [own, shared] = [await uploadTo(rig, "a.jpg"), await uploadTo(rig, "b.jpg")];
  const save = (attachments: string[]) =>
    rig.get("save_memory", { source: "DIARY", title: "x", content: "x", attachments }, { as: "human" });
  const { id } = await save([own.path, shared.path]);
  await save([shared.path]);
  await rig.get("erase_memory", { id }, { as: "human" });
  t.same(await readdir(join(rig.state, "media", "uploads")), [shared.path.slice("uploads/".length)]);
});

t.test("nobody names what another person uploaded, and is told what they are told of no file", async (t) => {
  const config = "people: [{ id: ana, tokens: [human.ana] }, { id: ben, tokens: [human.ben] }]";
  const rig = await rigFor(t, { config });
  const [ANA, BEN] = ["human.ana", "human.ben"].map((token) => ({ as: "human", token }) as const);
  const note = { source: "DIARY", title: "x", content: "x" };
  const naming = (path: string, more = {}) => ({ ...note, attachments: [path], ...more });
  const refusedBen = async (path: string) => {
    const { code, message } = await rig.refused("save_memory", naming(path), BEN);
    t.equal(code, "NOT_FOUND");
    return message.replace(path, "PATH");
  };
  const { path } = await uploadTo(rig, "passport.jpg", JPEG, "human.ana");
  const [others, nobodys] = [await refusedBen(path), await refusedBen("uploads/none.jpg")];
  t.equal(others, nobodys);
  const { id } = await rig.get("save_memory", naming(path), ANA);
  t.equal(await refusedBen(path), nobodys);
  const mine = await rig.get("save_memory", note, BEN);
  t.match(await rig.refused("update_memory", { id: mine.id, media_path: path }, BEN), { code: "NOT_FOUND" });
  await rig.get("update_memory", { id, media_path: path, attachments: [path] }, ANA);
  await rig.get("save_memory", naming(path, { user_id: "household" }), ANA);
  await rig.get("save_memory", naming(path), BEN);

  await writeFile(join(rig.state, "media", "fern.jpg"), JPEG);
  const mentioned = { ...note, content: "see @fern.jpg" };
  const linked = await rig.get("save_memory", mentioned, ANA);
  t.match(await rig.get("get_media_links", { id: linked.id }, ANA), { links: [{ path: "fern.jpg" }] });
  t.equal(await refusedBen("fern.jpg"), nobodys, "the owner's own file, which a memory of ana's names");
  const unlinked = await rig.get("save_memory", mentioned, BEN);
  t.same((await rig.get("get_media_links", { id: unlinked.id }, BEN)).links, []);
  await writeFile(join(rig.state, "media", "free.jpg"), JPEG);
  await rig.get("save_memory", naming("free.jpg"), BEN);
});
