import t from "tap";
import { telegramAdapter } from "../../../../runtime/bridge/telegram/adapter.js";
import { wantsOff } from "../../../../runtime/wire/stop-words.js";
import { soon } from "./fake-telegram.js";
import { ANNA, FAMILY, HUMAN, PhoneRig, STRANGER } from "./phone-rig.js";

const GUESS = "/start AAAA-BBBB-CCCC-DDD";
const FORWARDED = { forward_origin: { type: "hidden_user", sender_user_name: "Mallory", date: 1 } };

async function isHeld(phone: PhoneRig): Promise<true | undefined> {
  const { plants } = await phone.rig.get("get_overview", {}, HUMAN);
  const [plant] = plants as readonly { readonly hold: object | null }[];
  return plant?.hold ? true : undefined;
}

const answersTo = (phone: PhoneRig, chat: number) =>
  phone.telegram.shown.filter((each) => each.chat === chat);

t.test("strangers who guess cannot delay a person's /off, also while Telegram takes no letter", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const answer = phone.telegram.holdBack("sendMessage");
  for (let at = 0; at < 300; at += 1) phone.telegram.write(STRANGER + (at % 30), `${GUESS}${at % 10}`);
  phone.telegram.write(ANNA, "/off");
  await soon(() => isHeld(phone)); // while no letter has been taken
  answer();
  await phone.telegram.says(ANNA, /^Everything is off/);
});

t.test("a person's own messages, whose answers hang, do not delay the /off after them", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const answer = phone.telegram.holdBack("sendMessage");
  phone.telegram.write(ANNA, "/status");
  await soon(() => phone.telegram.calls.filter((each) => each === "sendMessage").length > 1 || undefined);
  phone.telegram.write(ANNA, "/why");
  phone.telegram.write(ANNA, "/off");
  await soon(() => isHeld(phone)); // while no letter has been taken
  answer();
  await phone.telegram.says(ANNA, /^Everything is off/);
});

t.test("a stranger gets no answer after the fifth wrong code", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const calls = () => phone.telegram.shown.filter(({ chat }) => chat === STRANGER).length;
  for (let at = 0; at < 12; at += 1) phone.telegram.write(STRANGER, `${GUESS}2`);
  await soon(() => calls() >= 5 || undefined);
  phone.telegram.write(ANNA, "/help");
  await phone.telegram.says(ANNA, /^Write to me/);
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.equal(answersTo(phone, STRANGER).length, 5);
});

t.test(
  "while the tokens cannot be read anew an /off holds and is answered, and what else is written waits",
  async (t) => {
    const phone = await PhoneRig.start(t, { config: FAMILY });
    await phone.pair(ANNA, "anna");
    phone.rig.tokensUnread = true;
    phone.telegram.write(ANNA, "Is all well?");
    phone.telegram.write(ANNA, "/off");
    await phone.telegram.says(ANNA, /^Everything is off/);
    t.equal(await isHeld(phone), true);
    await new Promise((resolve) => setTimeout(resolve, 500)); // the first was refused by now
    phone.rig.tokensUnread = false;
    const args = { chat_id: "telegram:anna", user_id: "anna" };
    const read = () => phone.rig.call("list_chat_messages", args, HUMAN);
    await soon(async () => /Is all well/.test(JSON.stringify(await read())) || undefined);
  },
);

t.test("what a person writes stays in its order", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  const words = Array.from({ length: 30 }, (_, at) => `message ${at}`);
  for (const text of words) phone.telegram.write(ANNA, text);
  const chat_id = "telegram:anna";
  const read = async () => {
    const page = await phone.rig.call("list_chat_messages", { chat_id, user_id: "anna", limit: 50 }, HUMAN);
    const { messages = [] } = (page as { value?: { messages?: readonly { text: string }[] } }).value ?? {};
    return messages.length === words.length ? messages.map(({ text }) => text) : undefined;
  };
  t.same(await soon(read), words);
});

t.test("every wish to switch off switches off, holds and is answered", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const wishes = [
    ...["/off!!! water on the floor", "/off, please", "/OFF", "/off@botname", "off", "STOP", "/stop"],
    ...["Stop, the floor is wet", "Help! Stop!", "/off now", "／ｏｆｆ"],
  ];
  for (const [at, text] of wishes.entries()) {
    await phone.rig.get("set_hold", { hold: false }, HUMAN);
    phone.telegram.write(ANNA, text);
    const offs = () => answersTo(phone, ANNA).filter((each) => /^Everything is off/.test(each.text));
    await soon(() => offs().length > at || undefined);
    t.equal(await isHeld(phone), true, text);
  }
  await phone.rig.get("set_hold", { hold: false }, HUMAN);
  phone.telegram.write(ANNA, "ignored", { text: undefined, caption: "/off the floor is wet" });
  await soon(() => isHeld(phone));
});

t.test("other words do not switch off", (t) => {
  for (const text of [
    ...["/office", "/status", "stop it when it rains", "switch the light off at nine", "is the pump off?"],
    ...["/photo", "Monday: off", "water 20 ml"],
  ])
    t.equal(wantsOff(text), false, text);
  t.end();
});

t.test("a forwarded code pairs nobody", async (t) => {
  const phone = await PhoneRig.start(t);
  const { code } = await phone.rig.get("open_channel_code", { channel: "telegram" }, HUMAN);
  phone.telegram.write(STRANGER, `/start ${code}`, FORWARDED);
  await phone.telegram.says(STRANGER, /forwarded code does not count/);
  t.match(await phone.channel(), { accounts: [] });
});

t.test("a second photo that fails in the same words is answered too", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  phone.rig.bench.faults("basil").camera = "dead";
  const failures = () => answersTo(phone, ANNA).filter(({ text }) => /There is no photo/.test(text));
  for (const count of [1, 2]) {
    phone.telegram.write(ANNA, "/photo");
    await soon(() => failures().length === count || undefined);
  }
  t.equal(failures().length, 2);
});

t.test("another message under an old number of Telegram's is taken", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  const receive = (text: string) =>
    phone.rig.call(
      "receive_message",
      { channel: "telegram", account: String(ANNA), text, message_id: "7", age_s: 0 },
      { as: "bridge" },
    );
  for (const text of ["one", "two", "two"])
    t.match(await receive(text), { ok: true, value: { reply: null } });
  const page = await phone.rig.get(
    "list_chat_messages",
    { chat_id: "telegram:anna", user_id: "anna" },
    HUMAN,
  );
  t.match(page, { count: 2, messages: [{ text: "one" }, { text: "two" }] });
});

t.test("the token goes to https or to this computer, and to no address that hides another", (t) => {
  const read = (api_root: string) =>
    telegramAdapter.config.safeParse({ token: `123456789:${"A".repeat(35)}`, api_root });
  for (const root of ["https://api.telegram.org", "http://localhost:8081", "http://127.0.0.1:8081/"])
    t.ok(read(root).success, root);
  for (const root of [
    ...["http://localhost:x@evil.com/", "http://127.0.0.1:8081@evil.com", "https://me:secret@api.org"],
    ...["http://localhost.evil.com", "http://evil.com", "ftp://localhost", "https://", "api.telegram.org"],
  ])
    t.notOk(read(root).success, root);
  t.match(read("http://127.0.0.1:8081/").data, { api_root: "http://127.0.0.1:8081" });
  t.end();
});
