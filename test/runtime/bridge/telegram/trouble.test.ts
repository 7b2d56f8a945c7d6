import t, { type Test } from "tap";
import { seconds } from "../../../../drivers/units.js";
import { telegramWith } from "../../../../runtime/bridge/telegram/adapter.js";
import { channels } from "../../../../runtime/services/channels/channels.js";
import { outbox, type Told } from "../../../../runtime/services/outbox/outbox.js";
import { bridgeFolder, spawnBridge } from "../bridge-process.js";
import { type Shown, soon } from "./fake-telegram.js";
import { ALONE, ANNA, HUMAN, PhoneRig } from "./phone-rig.js";

const LEAK: Told = {
  kind: "leak",
  severity: "urgent",
  data: { input: "tray", plants: ["basil"] },
  key: "tray",
};

const stateOf = async (phone: PhoneRig) => {
  const { channels } = await phone.rig.get("get_overview", {}, HUMAN);
  return (channels as readonly { state: string; code: string | null }[])[0];
};
const test = (phone: PhoneRig) => phone.rig.get("test_channel", { channel: "telegram" }, HUMAN);
const pressedYes = async (phone: PhoneRig, letter: Awaited<ReturnType<PhoneRig["asked"]>>["letter"]) =>
  phone.telegram.notice(phone.telegram.press(ANNA, letter, 0));

/** Asks for a dose in the cycle that is open; its letter on the phone. */
async function askedFor(
  phone: PhoneRig,
  ml: number,
): Promise<{ readonly id: number; readonly letter: Shown }> {
  const { details } = await phone.rig.refused("dispense_water", { ml }, { key: `dose of ${ml}` });
  const letter = await phone.telegram.says(ANNA, new RegExp(`wants to pour ${ml} ml`));
  await soon(() => phone.rig.core.get(channels).letters.open().length > 0 || undefined);
  return { id: Number(details?.id), letter };
}

/** A bridge as a process of its own. */
async function spawned(t: Test, phone: PhoneRig) {
  const folder = await bridgeFolder(t, phone.telegram.yaml);
  const bridge = spawnBridge(["--url", phone.url, "--token-file", phone.tokenFile, "--state", folder]);
  t.teardown(() => bridge.child.kill("SIGKILL"));
  return bridge;
}

t.test(
  "asked within a cycle, with the bridge killed, the link cut, the agent restarted and the button pressed twice, the pump runs once",
  async (t) => {
    const phone = await PhoneRig.start(t);
    await phone.pair(ANNA);
    await phone.stopBridge();
    const first = await spawned(t, phone);
    await phone.rig.status([{ action: "water", value: 35 }]);
    const before = await askedFor(phone, 15);
    await phone.rig.get("answer_approval", { id: before.id, approve: true }, HUMAN);
    t.match(await phone.rig.during("dispense_water", { ml: 15 }, { key: "dose of 15" }), { ok: true });
    const { letter } = await askedFor(phone, 20);
    first.child.kill("SIGKILL");
    await first.ended;
    const asked = { ...letter };
    const presses = [phone.telegram.press(ANNA, asked, 0), phone.telegram.press(ANNA, asked, 0)];
    // the poll that it left open ends, then nobody asks again
    for (let at = 0; at < 4; at += 1) await phone.rig.pass(seconds(5));
    await phone.cutLink();
    const second = await spawned(t, phone);
    await new Promise((resolve) => setTimeout(resolve, 500));
    t.same(phone.telegram.notices, [], "nobody is told what the runtime does not know");
    await phone.mendLink();
    for (const press of presses) t.match(await phone.telegram.notice(press), /^✅ Yes/);
    const again = () =>
      phone.rig.during("dispense_water", { ml: 20 }, { key: "after a restart of the agent" });
    t.match([await again(), await again()], [{ ok: true }, { ok: true }]);
    t.equal(phone.doses, 2, "the dose before, and this one once");
    await soon(() => /went ahead/.test(letter.text) || undefined);
    second.child.kill("SIGTERM");
    await second.ended;
  },
);

t.test("answered on the phone and at the terminal at once, one answer counts, and both say so", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  await phone.rig.status([{ action: "water", value: 60 }]);
  for (const ml of [10, 11, 12]) {
    const { id, letter } = await askedFor(phone, ml);
    const press = phone.telegram.press(ANNA, letter, 1);
    // a poll takes a moment: so that each comes first at times
    await new Promise((resolve) => setTimeout(resolve, (ml - 10) * 15));
    const terminal = phone.rig.call("answer_approval", { id, approve: true }, HUMAN);
    const [answered, notice] = await Promise.all([terminal, phone.telegram.notice(press)]);
    const { approvals } = await phone.rig.get("list_approvals", { limit: 1 }, HUMAN);
    const [{ state } = { state: "" }] = approvals as readonly { readonly state: string }[];
    const sign = state === "approved" ? "✅ Yes" : "❌ No";
    t.equal(answered.ok, state === "approved", `the terminal says what counts: ${state}`);
    t.match(notice, sign, "and so does the phone");
    await soon(() => letter.text.includes(`\n\n${sign}`) || undefined);
    t.same(letter.buttons, []);
    const poured = await phone.rig.during("dispense_water", { ml }, { key: `dose of ${ml}` });
    t.equal(poured.ok, state === "approved");
  }
});

t.test("with the link to the runtime cut, a press is brought when it is there again", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  await phone.cutLink();
  const press = phone.telegram.press(ANNA, letter, 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.same(phone.telegram.notices, []);
  await phone.mendLink();
  t.match(await phone.telegram.notice(press), /^✅ Yes/);
  t.match(await phone.poured(), { ok: true });
  t.equal(phone.doses, 1);
});

t.test("a restart of the runtime is a no, and the person is told", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  const before = { ...letter };
  await phone.restartRuntime();
  const told = await soon(() =>
    phone.telegram.shown.find(
      ({ text, reply_to }) => /restarted/.test(text) && reply_to === letter.message_id,
    ),
  );
  t.match(told.text, /counts as a no/);
  t.match(letter.text, /counts as a no/);
  t.same(letter.buttons, []);
  t.match(await pressedYes(phone, before), /counts as a no/);
  t.equal(phone.doses, 0);
});

t.test("a request that nobody answers ends as a no on the phone too", async (t) => {
  const phone = await PhoneRig.start(t, { config: ALONE, peopleToo: true });
  await phone.pair(ANNA);
  const { letter } = await phone.asked();
  for (let at = 0; at < 31; at += 1) await phone.rig.pass(seconds(10));
  await soon(() => /counts as a no: nobody answered/.test(letter.text) || undefined);
  t.same(letter.buttons, []);
});

t.test("Telegram's wish to be left alone is kept, and the letter comes then", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  phone.telegram.troubled("sendMessage", 429, { retry_after: 1 });
  t.match(await test(phone), { letters: [{ delivered: true }] });
});

t.test("a letter that Telegram does not take is tried again, and comes once", async (t) => {
  const phone = await PhoneRig.start(t, { config: ALONE, peopleToo: true });
  await phone.pair(ANNA);
  phone.telegram.troubled("sendMessage", 502);
  await phone.rig.core.get(outbox).tell(LEAK);
  await soon(() =>
    phone.telegram.calls.filter((each) => each === "sendMessage").length > 1 ? true : undefined,
  );
  for (let at = 0; at < 4; at += 1) await phone.rig.pass(seconds(5));
  await phone.telegram.says(ANNA, /leak sensor/);
  t.equal(phone.telegram.shown.filter(({ text }) => /leak sensor/.test(text)).length, 1);
});

t.test("an account that has blocked the bot, a refused token and a second program are named", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  phone.telegram.blocked.add(ANNA);
  t.match(await test(phone), { letters: [{ delivered: false, code: "BLOCKED" }] });
  phone.telegram.troubled("getUpdates", 409);
  phone.telegram.write(ANNA, "/status");
  await soon(async () => ((await stateOf(phone))?.code === "CONFLICT" ? true : undefined));
  const [news] = await soon(async () => {
    const { notifications } = await phone.rig.get("list_notifications", {}, HUMAN);
    return (notifications as readonly object[]).length > 0 ? (notifications as readonly object[]) : undefined;
  });
  t.match(news, { kind: "channel_down", data: { code: "CONFLICT" } });
});

t.test("without its library this channel alone fails, says why, and the bridge goes on", async (t) => {
  const phone = await PhoneRig.start(t);
  await phone.pair(ANNA);
  await phone.stopBridge();
  const broken = telegramWith(() => Promise.reject(new Error("Cannot find package 'grammy'")));
  await phone.startBridge(broken);
  await soon(async () => ((await stateOf(phone))?.code === "NO_LIBRARY" ? true : undefined));
  t.match(await test(phone), { letters: [{ delivered: false, code: "NO_LIBRARY", message: /grammy/ }] });
  t.match(phone.said.join("\n"), /telegram: the library grammy cannot be loaded/);
});

t.test("a token that Telegram does not know is a fault", async (t) => {
  const phone = await PhoneRig.start(t);
  phone.telegram.troubled("getUpdates", 401);
  phone.telegram.write(ANNA, "wakes the poll");
  await soon(async () => ((await stateOf(phone))?.code === "UNAUTHORIZED" ? true : undefined));
  t.equal((await stateOf(phone))?.state, "down");
});

t.test("a channel that says nothing any more counts as down, whatever it said before", async (t) => {
  const phone = await PhoneRig.start(t, { config: ALONE, peopleToo: true });
  t.match(await stateOf(phone), { state: "ok" });
  phone.telegram.troubled("getUpdates", "hang up", {}, 10_000);
  // the bridge goes on taking jobs, so it is there; only the channel is silent
  for (let at = 0; at < 45; at += 1) {
    await phone.rig.pass(seconds(4));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.match(await stateOf(phone), { state: "down", code: "SILENT" });
});
