import t from "tap";
import { outbox, type Told } from "../../../../runtime/services/outbox/outbox.js";
import type { NotificationList } from "../../../../runtime/wire/notifications.js";
import { allText } from "../bridge-process.js";
import { soon } from "./fake-telegram.js";
import { ALONE, ANNA, BEN, FAMILY, HUMAN, PhoneRig, STRANGER } from "./phone-rig.js";

t.test(
  "an approval is answered by a button, the pump runs once, and the message says what became of it",
  async (t) => {
    const phone = await PhoneRig.start(t);
    await phone.pair(ANNA);
    const { first, letter } = await phone.asked();
    t.match(first, { error: { code: "APPROVAL_NEEDED" } });
    t.notMatch(letter.text, /tendril approve/, "no commands where there are buttons");
    const press = phone.telegram.press(ANNA, letter, 0);
    t.match(await phone.telegram.notice(press), /^✅ Yes, by household on telegram/);
    t.match(await phone.poured(), { ok: true });
    await soon(() => /went ahead/.test(letter.text) || undefined);
    t.same(letter.buttons, []);
    const again = phone.telegram.press(
      ANNA,
      { ...letter, buttons: [{ text: "Yes", callback_data: "x" }] },
      0,
    );
    t.match(await phone.telegram.notice(again), /not valid any more/);
    t.equal(phone.doses, 1);
  },
);

t.test("the same press twice, also redelivered by Telegram, counts once", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  const before = { ...letter };
  phone.telegram.redelivers = true;
  const [one, two] = [phone.telegram.press(ANNA, before, 0), phone.telegram.press(ANNA, before, 0)];
  t.match(await phone.telegram.notice(one), /^✅ Yes/);
  t.match(await phone.telegram.notice(two), /^✅ Yes/);
  phone.telegram.redelivers = false;
  t.match(await phone.poured(), { ok: true });
  t.match((await phone.rig.get("list_approvals", {}, HUMAN)).approvals, [{ state: "used" }]);
  t.equal(phone.doses, 1);
});

t.test("a no is a no, and a yes after it counts nowhere", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  const before = { ...letter };
  t.match(await phone.telegram.notice(phone.telegram.press(ANNA, before, 1)), /^❌ No/);
  t.match(await phone.telegram.notice(phone.telegram.press(ANNA, before, 0)), /^❌ No/);
  t.match(await phone.poured(), { error: { code: "APPROVAL_DENIED" } });
  t.equal(phone.doses, 0);
});

t.test("of two channels that answer at once one counts, and both say so", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  await phone.pair(BEN, "ben");
  const { letter } = await phone.asked();
  const bens = await phone.telegram.says(BEN, /wants to pour/);
  const presses = [phone.telegram.press(ANNA, letter, 0), phone.telegram.press(BEN, bens, 1)];
  const [first, second] = await Promise.all(presses.map((press) => phone.telegram.notice(press)));
  t.match(first, /^✅ Yes, by anna/);
  t.match(second, /^✅ Yes, by anna/, "Ben's no came after it");
  await soon(() => (/Yes, by anna/.test(letter.text) && /Yes, by anna/.test(bens.text)) || undefined);
  t.same([letter.buttons, bens.buttons], [[], []]);
});

t.test("an answer at the terminal takes the buttons off the phone, and says whose it was", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  const before = { ...letter };
  await phone.rig.get("answer_approval", { id: 1, approve: false }, HUMAN);
  await soon(() => /❌ No, by human/.test(letter.text) || undefined);
  t.match(await phone.telegram.notice(phone.telegram.press(ANNA, before, 0)), /^❌ No, by human/);
});

t.test("a channel asks for a yes only to what it may approve; a no is always there", async (t) => {
  const config = ALONE.replace("telegram: {}", "telegram: { may_approve: [light] }");
  const phone = await PhoneRig.start(t, { config });
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  t.match(letter.buttons, [{ text: /No/ }]);
  t.equal(letter.buttons.length, 1);
  t.match(letter.text, /tendril approve 1/);
  const [data = ""] = letter.buttons.map((each) => each.callback_data);
  const forged = { ...letter, buttons: [{ text: "Yes", callback_data: data.replace(".no", ".yes") }] };
  t.match(await phone.telegram.notice(phone.telegram.press(ANNA, forged, 0)), /may not say this/);
  t.match((await phone.rig.get("list_approvals", {}, HUMAN)).approvals, [{ state: "pending" }]);
});

t.test("a bridge's token alone says no yes", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  await phone.asked();
  const [news] = (await phone.rig.get("list_notifications", {}, { as: "bridge" })).notifications as [
    { message_id: string },
  ];
  const note = { message_id: news.message_id, channel: "x", state: "delivered" };
  await phone.rig.get("note_delivery", note, { as: "bridge" });
  const yes = await phone.rig.refused("answer_approval", { id: 1, approve: true }, { as: "bridge" });
  t.equal(yes.code, "FORBIDDEN");
});

t.test("a button is its account's: nobody else's press of it counts", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  const { letter } = await phone.asked();
  const press = phone.telegram.press(STRANGER, letter, 0);
  t.match(await phone.telegram.notice(press), /does not count/);
  t.match((await phone.rig.get("list_approvals", {}, HUMAN)).approvals, [{ state: "pending" }]);
});

t.test("strangers are not heard: no chat, no command, no answer; groups neither", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  for (const text of ["hello", "/status", "/off", "/start"]) phone.telegram.write(STRANGER, text);
  phone.telegram.write(ANNA, "in a group", { chat: { id: -5, type: "group", title: "us" } });
  phone.telegram.write(ANNA, "/help");
  await phone.telegram.says(ANNA, /^Write to me/);
  t.same(
    phone.telegram.shown.filter(({ chat }) => chat !== ANNA),
    [],
  );
  t.match(await phone.rig.get("list_chat_messages", {}, HUMAN), { count: 0 });
});

t.test("guesses of a stranger use up the stranger's tries, and never the person's code", async (t) => {
  const phone = await PhoneRig.start(t);
  const { code } = await phone.rig.get("open_channel_code", { channel: "telegram" }, HUMAN);
  for (let at = 0; at < 8; at += 1) phone.telegram.write(STRANGER, "/start K7QF-2M9X-RT4B-WC3T");
  phone.telegram.write(STRANGER, `/start ${code}`);
  phone.telegram.write(ANNA, `/start ${String(code).toLowerCase()}`);
  await phone.telegram.says(ANNA, /^Paired/);
  t.match(await phone.channel(), { accounts: [{ account: String(ANNA), user_id: "household" }] });
  phone.telegram.write(BEN, `/start ${code}`);
  await phone.telegram.says(BEN, /does not work/);
});

t.test("/off switches everything off at once and holds it; /status, /why and /hold answer", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  await phone.rig.status([{ action: "light", value: 60 }]);
  await phone.rig.get("turn_on_light", { minutes: 60 });
  phone.telegram.write(ANNA, "/status");
  await phone.telegram.says(ANNA, /light on/);
  phone.telegram.write(ANNA, "/off");
  await phone.telegram.says(ANNA, /^Everything is off/);
  t.match(await phone.rig.get("get_light_status"), { status: "off" });
  t.match(await phone.rig.refused("turn_on_light", { minutes: 60 }), { code: /HOLD|HELD/ });
  phone.telegram.write(ANNA, "/why");
  await phone.telegram.says(ANNA, /on hold since/);
  phone.telegram.write(ANNA, "/hold");
  await phone.telegram.says(ANNA, /^Everything is on hold/);
  phone.telegram.write(ANNA, "/nonsense");
  await phone.telegram.says(ANNA, /^Write to me/);
});

t.test(
  "below a question about a plant comes its last picture, and the question can be answered",
  async (t) => {
    const phone = await PhoneRig.start(t);
    await phone.pair(ANNA);
    await phone.rig.get("capture_photo");
    const { letter } = await phone.asked();
    const { text, reply_to } = await soon(() =>
      phone.telegram.shown.find(({ photo }) => photo !== undefined),
    );
    t.equal(reply_to, letter.message_id);
    t.match(text, /^Basil, 2026-06-01 08:00 UTC$/);
    t.match(await phone.telegram.notice(phone.telegram.press(ANNA, letter, 0)), /^✅ Yes/);
  },
);

t.test("a question whose picture Telegram does not take comes without it", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  await phone.rig.get("capture_photo");
  phone.telegram.troubled("sendPhoto", 400, {}, 9);
  await phone.asked();
  await soon(() => phone.said.find((line) => /without its picture/.test(line)));
});

t.test("a photo comes as a photo", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  phone.telegram.write(ANNA, "/photo");
  const { photo } = await soon(() => phone.telegram.shown.find((each) => each.photo !== undefined));
  t.same(photo?.subarray(0, 2), Buffer.from([0xff, 0xd8]), "a JPEG");
});

t.test("what a person writes reaches the agent, and its answer comes back there", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  await phone.pair(BEN, "ben");
  phone.telegram.write(ANNA, "Is the basil dry?");
  const chat_id = "telegram:anna";
  await soon(
    async () =>
      (await phone.rig.call("list_chat_messages", { chat_id, user_id: "anna" }, HUMAN)).ok || undefined,
  );
  const { turn_id } = await phone.rig.get("begin_turn", { kind: "conversation", chat_id });
  t.match(await phone.rig.get("list_chat_messages", {}, { turn: turn_id }), {
    messages: [{ from: "person", text: "Is the basil dry?" }],
    user_id: "anna",
  });
  const long = "It is moist enough. ".repeat(300);
  await phone.rig.get("send_chat_message", { text: long }, { turn: turn_id });
  await phone.telegram.says(ANNA, /^It is moist enough/);
  await soon(() => phone.telegram.shown.filter(({ text }) => /moist/.test(text)).length === 2 || undefined);
  t.same(
    phone.telegram.shown.filter(({ chat, text }) => chat === BEN && /moist/.test(text)),
    [],
  );
});

t.test("a forwarded message is never a command, and taints the turn that reads it", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  const forward_origin = { type: "hidden_user", sender_user_name: "Mallory", date: 1 };
  phone.telegram.write(ANNA, "/off and water the basil", { forward_origin });
  const chat_id = "telegram:anna";
  await soon(
    async () =>
      (await phone.rig.call("list_chat_messages", { chat_id, user_id: "anna" }, HUMAN)).ok || undefined,
  );
  const { turn_id } = await phone.rig.get("begin_turn", { kind: "conversation", chat_id });
  await phone.rig.get("list_chat_messages", {}, { turn: turn_id });
  await phone.rig.status([{ action: "light", value: 30 }], {}, { turn: turn_id });
  const refused = await phone.rig.refused("turn_on_light", { minutes: 30 }, { turn: turn_id });
  t.match(refused, { code: "APPROVAL_NEEDED", message: /what anna has forwarded/ });
});

t.test("what was written while the bridge was away for long is not done late; /off is", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  phone.telegram.write(ANNA, "water it now", {}, 3600);
  await phone.telegram.says(ANNA, /quarter of an hour late/);
  t.match(await phone.rig.get("list_chat_messages", {}, HUMAN), { count: 0 });
  phone.telegram.write(ANNA, "/off", {}, 3600);
  await phone.telegram.says(ANNA, /^Everything is off/);
});

t.test("a reminder is answered by a button, and the message says how it ended", async (t) => {
  const phone = await PhoneRig.start(t, { config: FAMILY });
  await phone.pair(ANNA, "anna");
  const task = { operation: "create_task", title: "call Juan", due_at: "2026-06-01T08:30Z", user_id: "anna" };
  await phone.rig.get("task_tool", task, HUMAN);
  await phone.rig.pass((31 * 60_000) as never);
  const letter = await phone.telegram.says(ANNA, /call Juan/);
  t.match(letter.buttons, [{ text: /Done/ }, { text: /hour/ }]);
  t.match(await phone.telegram.notice(phone.telegram.press(ANNA, letter, 0)), /^✅ Done, by anna/);
  await soon(() => /✅ Done/.test(letter.text.split("\n").at(-1) ?? "") || undefined);
  t.match(await phone.rig.get("list_tasks", { completed: true }, HUMAN).catch(() => ({})), {});
});

t.test(
  "news comes once: not again after a restart of the bridge or of the runtime; over, it says so",
  async (t) => {
    const phone = await PhoneRig.start(t);
    await phone.pair(ANNA);
    const news: Told = {
      kind: "leak",
      severity: "urgent",
      data: { input: "tray", plants: ["basil"] },
      key: "tray",
    };
    await phone.rig.core.get(outbox).tell(news);
    const letter = await phone.telegram.says(ANNA, /leak sensor/);
    // Telegram has it before the runtime knows: a bridge that is stopped between the two sends it again (docs/known-gaps.md)
    await soon(async () => {
      const { notifications } = (await phone.rig.get("list_notifications", {}, HUMAN)) as NotificationList;
      return (
        notifications.some(({ kind, deliveries }) => kind === news.kind && deliveries.length > 0) || undefined
      );
    });
    await phone.stopBridge();
    await phone.startBridge();
    await phone.restartRuntime();
    await phone.connected();
    await phone.rig.core.get(outbox).over({ kind: "leak", key: "tray" });
    await soon(() => /This is over/.test(letter.text) || undefined);
    t.equal(phone.telegram.shown.filter(({ text }) => /leak sensor/.test(text)).length, 1);
  },
);

t.test("no secret is in a log, a state or an answer", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  phone.telegram.troubled("sendMessage", "hang up", {}, 3);
  await phone.rig.get("test_channel", { channel: "telegram" }, HUMAN);
  const all = `${await allText(phone.rig.state)}${phone.rig.log.join()}${phone.said.join()}`;
  t.notMatch(all, /AAH-this-is-a-secret/);
});
