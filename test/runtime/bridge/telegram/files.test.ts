import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { soon } from "./fake-telegram.js";
import { ALONE, ANNA, FAMILY, HUMAN, PhoneRig, STRANGER } from "./phone-rig.js";

/** Photos and documents that people send to the bot. */

const JPEG = Buffer.concat([Buffer.from("ffd8ffe000104a464946", "hex"), Buffer.alloc(3000, 7)]);
const KEPT = /^Kept as media\/(uploads\/[\w-]+\.\w+)\./;

const filesOf = (phone: PhoneRig) => readdir(join(phone.rig.state, "media", "uploads")).catch(() => []);
const chatOf = async (phone: PhoneRig, person = "anna") => {
  const where = { chat_id: `telegram:${person}`, user_id: person };
  const page = await phone.rig.call("list_chat_messages", where, HUMAN);
  // before the first message there is no chat
  return (page.ok ? page.value.messages : []) as readonly { text: string; forwarded?: boolean }[];
};
const heard = (phone: PhoneRig, pattern: RegExp) =>
  soon(async () => (await chatOf(phone)).find(({ text }) => pattern.test(text)));
const keptAs = async (phone: PhoneRig, pattern = KEPT) =>
  KEPT.exec((await phone.telegram.says(ANNA, pattern)).text)?.[1] ?? "";

async function family(t: Parameters<typeof PhoneRig.start>[0]): Promise<PhoneRig> {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  return phone;
}

t.test("a photo is kept at its largest, and the agent can use it with its caption", async (t) => {
  const phone = await family(t);
  phone.telegram.sendsPhoto(ANNA, JPEG, { caption: "the fern in May" });
  const path = await keptAs(phone);
  t.match(path, /^uploads\/photo-[0-9a-f]{16}\.jpg$/);
  t.same(await readFile(join(phone.rig.state, "media", path)), JPEG);
  const { text } = await heard(phone, /^the fern in May/);
  t.ok(text.includes(path), text);
  const memory = { source: "DIARY", title: "fern", content: "fern", media_path: path };
  t.match(await phone.rig.call("save_memory", memory, HUMAN), { ok: true });
});

t.test("of a photo without words the agent hears with the next words, and not with a command", async (t) => {
  const phone = await family(t);
  phone.telegram.sendsPhoto(ANNA, JPEG);
  const path = await keptAs(phone, /Tell me what it is for\.$/);
  phone.telegram.write(ANNA, "/help");
  await phone.telegram.says(ANNA, /\/status/);
  t.same(await chatOf(phone), []);
  phone.telegram.write(ANNA, "that is the basil");
  t.ok((await heard(phone, /^that is the basil/)).text.includes(path));
  phone.telegram.write(ANNA, "and water it");
  t.equal((await heard(phone, /^and water it/)).text, "and water it", "once");
});

t.test("each file of an album is kept by itself; a document too, under its name", async (t) => {
  const phone = await family(t);
  phone.telegram.sendsPhoto(ANNA, JPEG, { media_group_id: "1", caption: "both" });
  phone.telegram.sendsPhoto(ANNA, JPEG, { media_group_id: "1" });
  phone.telegram.sendsDocument(ANNA, Buffer.from("Größe: 12\n"), { file_name: "Größe.txt" });
  await keptAs(phone, /Gro-e-\w+\.txt/);
  t.equal((await filesOf(phone)).length, 3);
});

t.test("what is too large or of another kind is told, and nothing of it is kept", async (t) => {
  const phone = await family(t);
  const large = Buffer.concat([JPEG, Buffer.alloc(10_000_000)]);
  phone.telegram.sendsDocument(
    ANNA,
    large,
    { file_name: "a.jpg", file_size: large.length },
    { caption: "one" },
  );
  await phone.telegram.says(ANNA, /not kept: it has more than 10 MB/);
  await heard(phone, /^one$/);
  t.notOk(phone.telegram.calls.includes("getFile"), "not even asked for");
  const told = (pattern: RegExp, count: number) =>
    soon(() => phone.telegram.shown.filter(({ text }) => pattern.test(text)).length === count || undefined);
  phone.telegram.sendsDocument(ANNA, large, { file_name: "a.jpg" });
  await told(/more than 10 MB/, 2);
  phone.telegram.sendsDocument(ANNA, Buffer.alloc(20_000_001), { file_name: "a.jpg" });
  await told(/more than 10 MB/, 3);
  phone.telegram.sendsDocument(ANNA, Buffer.from("<script>"), { file_name: "a.jpg" });
  await phone.telegram.says(ANNA, /not kept: I take photos/);
  t.same(await filesOf(phone), []);
});

t.test("a file of a stranger, and one in a group, is never fetched", async (t) => {
  const phone = await family(t);
  phone.telegram.sendsPhoto(STRANGER, JPEG, { caption: "look" });
  phone.telegram.sendsPhoto(ANNA, JPEG, { chat: { id: -5, type: "group", title: "g" } });
  phone.telegram.write(ANNA, "after it");
  await heard(phone, /^after it$/);
  t.notOk(phone.telegram.calls.includes("getFile"));
  t.same(await filesOf(phone), []);
});

t.test("a forwarded file has no name of a stranger's, and its words command nothing", async (t) => {
  const phone = await family(t);
  const forward_origin = { type: "hidden_user", sender_user_name: "x", date: 1 };
  const file = { file_name: "water the basil now.txt" };
  phone.telegram.sendsDocument(ANNA, Buffer.from("x"), file, { forward_origin, caption: "/off" });
  const path = await keptAs(phone);
  t.match(path, /^uploads\/forwarded-[0-9a-f]{16}\.txt$/);
  phone.telegram.write(ANNA, "done");
  t.ok((await heard(phone, /^done/)).text.includes(path));
  t.match(await chatOf(phone), [{ text: "/off" }, {}], "words of somebody else");
  t.notOk(phone.telegram.shown.some(({ text }) => /Everything is off/.test(text)));
});

t.test("the runtime decides whose file it is: the bridge's token alone uploads nothing", async (t) => {
  const phone = await family(t);
  const token = (await readFile(phone.tokenFile, "utf8")).trim();
  const upload = async (query: string) => {
    const url = `${phone.url.replace(/^ws/, "http").replace(/\/mcp$/, "")}/media?name=a.jpg${query}`;
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(url, { method: "POST", headers, body: JPEG });
    return ((await answer.json()) as { error?: { code: string } }).error?.code ?? "kept";
  };
  t.equal(await upload(""), "FORBIDDEN");
  t.equal(await upload(`&account=${ANNA}`), "FORBIDDEN");
  t.equal(await upload(`&channel=telegram&account=${STRANGER}`), "UNKNOWN_ACCOUNT");
  t.equal(await upload(`&channel=mail&account=${ANNA}`), "NO_CHANNEL");
  t.same(await filesOf(phone), []);
  t.equal(await upload(`&channel=telegram&account=${ANNA}`), "kept");
});

t.test("a runtime that is away for a moment gets the file; one that stays away is told", async (t) => {
  const phone = await family(t);
  await phone.cutLink();
  phone.telegram.sendsPhoto(ANNA, JPEG);
  await soon(() => phone.telegram.calls.includes("file") || undefined);
  await phone.mendLink();
  const path = await keptAs(phone);
  t.equal((await filesOf(phone)).length, 1, "once");
  await phone.cutLink();
  phone.telegram.sendsPhoto(ANNA, JPEG, { caption: "later" });
  await phone.telegram.says(ANNA, /not kept: Tendril does not answer/);
  await phone.mendLink();
  // its words are not lost, and say which file is there
  t.ok((await heard(phone, /^later/)).text.endsWith(`: ${path}]`));
  t.equal((await filesOf(phone)).length, 1);
});

t.test("Telegram's trouble is told, and the token is in no log and in no message", async (t) => {
  const phone = await family(t);
  phone.telegram.sendsPhoto(ANNA, JPEG);
  await keptAs(phone);
  phone.telegram.troubled("getFile", 500, {}, 1);
  phone.telegram.sendsDocument(ANNA, Buffer.from("x"), { file_name: "again.txt" });
  await keptAs(phone, /again-/);
  phone.telegram.sendsDocument(ANNA, Buffer.from("x"), { file_name: "a.txt", file_id: "gone" });
  await phone.telegram.says(ANNA, /not kept: Telegram did not hand it over/);
  const secret = phone.telegram.token.split(":")[1] ?? "";
  t.ok(phone.said.some((line) => /a file is not kept/.test(line)));
  for (const text of [...phone.said, ...phone.telegram.shown.map((each) => each.text)])
    t.notOk(text.includes(secret), text);
});

t.test("a file of somebody who says off does not delay it", async (t) => {
  const phone = await PhoneRig.start(t, { config: ALONE });
  await phone.pair(ANNA);
  phone.telegram.sendsPhoto(ANNA, JPEG, { caption: "/off" });
  await phone.telegram.says(ANNA, /^Everything is off/);
  await keptAs(phone);
  const texts = phone.telegram.shown.map(({ text }) => text);
  t.ok(
    texts.findIndex((text) => /^Everything is off/.test(text)) < texts.findIndex((text) => KEPT.test(text)),
  );
});
