import type { Test } from "tap";
import { minutes } from "../../drivers/units.js";
import { barriers, becomes, browserTests, goTo } from "../runtime/web/page-rig.js";

/** The chat in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

const HOSTILE = "<img src=x onerror='window.hit=1'>";

inBrowser(
  "an answer of the agent appears by itself, as text, while the way to switch off stays free",
  async (t) => {
    const rig = await pageRig(t);
    const page = await rig.opened(t);
    await goTo(page, "Chat");
    await page.getByLabel("Write to the agent").fill("How are you?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForSelector(".chat .message.you >> text=How are you?");
    await page.waitForSelector("text=It waits for the agent");
    const { turn_id } = await rig.rig.get("begin_turn", { kind: "conversation", chat_id: "household" });
    await page.waitForSelector("text=The agent is working on an answer");
    await page.getByRole("button", { name: "Everything off" }).click();
    await page.waitForSelector("text=Everything is off, and on hold", { timeout: 5000 });
    await rig.rig.get(
      "send_chat_message",
      { text: `Well ${HOSTILE}` },
      { as: "agent", turn: String(turn_id) },
    );
    await page.waitForSelector(".chat .message.agent >> text=Well <img", { timeout: 5000 });
    await rig.rig.get("end_turn", {}, { as: "agent", turn: String(turn_id) });
    await page.getByText("The agent is working").waitFor({ state: "detached" });
    t.equal(await page.evaluate("window.hit"), undefined);
    t.same(rig.troubles, []);
  },
);

inBrowser("a question that waits since the agent asks for a yes says so, with the way to it", async (t) => {
  const config = "confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config, hydration: 40 });
  await rig.rig.get("send_chat_message", { text: "How is Basil?" }, { as: "human" });
  await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  for (const [locale, words] of [
    ["de-DE", "Der Agent wartet auf Ihr Ja oder Nein"],
    ["es-ES", "El agente espera su sí o su no"],
    ["pt-PT", "O agente espera o seu sim ou não"],
    ["en-GB", "The agent waits for your yes or no"],
  ] as const) {
    const page = await rig.opened(t, "human", "phone", { locale });
    await page.evaluate("location.hash = 'chat'");
    await page.waitForSelector(`.chat >> text=${words}`);
    if (locale !== "en-GB") continue;
    t.equal(await page.getByText("It waits for the agent").count(), 0);
    await page.locator(".chat").getByRole("link", { name: "Answer under Now" }).click();
    await page.getByRole("button", { name: "Refuse" }).click();
    await goTo(page, "Chat");
    await page.waitForSelector("text=It waits for the agent");
  }
  t.same(rig.troubles, []);
});

inBrowser("what was stopped in the chat stands in the story, with who did it", async (t) => {
  const rig = await pageRig(t);
  await rig.rig.get("send_chat_message", { text: "hello" }, { as: "human" });
  const { turn_id } = await rig.rig.get("begin_turn", { kind: "conversation", chat_id: "household" });
  await rig.rig.get("stop_all", {}, { as: "agent", turn: String(turn_id) });
  const page = await rig.opened(t);
  await goTo(page, "Story");
  await page.getByRole("button", { name: "Everything switched off" }).click();
  await page.waitForSelector("text=in a conversation (by the agent)");
  t.same(rig.troubles, []);
});

/** The chat, while the light is on. */
async function litChat(t: Test) {
  const rig = await pageRig(t, { config: "server: { calls_per_second: 100000 }" });
  await rig.rig.status([{ action: "light", value: 30 }], {}, { as: "agent" });
  await rig.rig.get("turn_on_light", { minutes: 30 }, { as: "agent" });
  const page = await rig.opened(t);
  await goTo(page, "Chat");
  return { rig, page };
}

inBrowser("stop in the chat switches off at once, and says what goes on and what keeps off", async (t) => {
  const { rig, page } = await litChat(t);
  const write = async (text: string) => {
    await page.getByLabel("Write to the agent").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForSelector(`.chat .message.you >> text=${text}`);
  };
  await write("Stop!");
  t.match(await rig.rig.get("get_light_status"), { status: "off" }, "without any agent");
  const told = page.getByText(/Pumps and lights are off\. Care goes on, .* “Everything off”, at the top/);
  await told.waitFor();
  t.same(await barriers(page), []);
  await write("How is Basil?");
  await told.waitFor({ state: "detached" });
  t.same(rig.troubles, []);
});

inBrowser("stop in the chat switches off although the WebSocket carries nothing any more", async (t) => {
  const { rig, page } = await litChat(t);
  await page.evaluate("WebSocket.prototype.send = () => undefined");
  await page.getByLabel("Write to the agent").fill("Stop!");
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForSelector("text=Pumps and lights are off. Care goes on");
  t.match(await rig.rig.get("get_light_status"), { status: "off" });
});

inBrowser("without the family of chats a message still reaches the agent", async (t) => {
  const config = "modules: { chats: false }\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config });
  const page = await rig.opened(t);
  await goTo(page, "Chat");
  await page.getByLabel("Write to the agent").fill("How are you?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForSelector(".message.you >> text=How are you?");
  t.match(await rig.rig.get("list_messages_from_human"), { messages: [{ content: "How are you?" }] });
  t.same(rig.troubles, []);
});

inBrowser("the agent's marks of Markdown are not shown; a person's words stay as they are", async (t) => {
  const rig = await pageRig(t);
  await rig.rig.get("send_chat_message", { text: "use **two** stars" }, { as: "human" });
  const { turn_id } = await rig.rig.get("begin_turn", { kind: "conversation", chat_id: "household" });
  const turn = String(turn_id);
  await rig.rig.get("send_chat_message", { text: "**Basil** is well" }, { as: "agent", turn });
  const page = await rig.opened(t);
  await goTo(page, "Chat");
  await page.waitForSelector(".message.agent >> text=Basil is well");
  await page.waitForSelector(".message.you >> text=use **two** stars");
  t.same(rig.troubles, []);
});

inBrowser(
  "a request that is answered is told as over, in the page's language and without a command",
  async (t) => {
    const config = "confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }";
    const rig = await pageRig(t, { config, hydration: 40 });
    await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
    await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
    const page = await rig.opened(t, "human", "phone", { locale: "de-DE" });
    await page.evaluate("location.hash = 'chat'");
    await page.waitForSelector(
      ".message.runtime >> text=/agent möchte: 20 ml gießen.*Unter „Jetzt“ antworten/i",
    );
    const english = await rig.opened(t);
    await goTo(english, "Chat");
    await english.waitForSelector(".message.runtime >> text=/The agent wants to pour 20 ml for Basil/");
    await page.evaluate("location.hash = 'now'");
    await page.getByRole("button", { name: "Ablehnen" }).click();
    await page.waitForSelector("text=/Abgelehnt: 20 ml gießen \\(.+\\)/");
    await page.evaluate("location.hash = 'chat'");
    await page.waitForSelector(".message.over >> text=/20 ml gießen.*Die Antwort war Nein/");
    t.equal(await page.getByText("tendril approve").count(), 0);
    t.same(rig.troubles, []);
  },
);

inBrowser("what an agent wrote of a request is no command any more, and none once it is over", async (t) => {
  const config = `confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }`;
  const rig = await pageRig(t, { config, hydration: 40 });
  await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  const { message } = await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  t.match(message, /tendril approve 1/);
  await rig.rig.get("send_message_to_human", { message }, { as: "agent" });
  const page = await rig.opened(t);
  await goTo(page, "Chat");
  await page.waitForSelector(".message.agent >> text=it waits for: “Approve” (Now)");
  await goTo(page, "Now");
  await page.getByRole("button", { name: "Refuse" }).click();
  await goTo(page, "Chat");
  await page.waitForSelector(".message.agent >> text=/This request is over\\.$/");
  t.notMatch(await page.textContent("main"), /approve 1|\(ended\)/);
  t.same(rig.troubles, []);
});

inBrowser("news that are over say so, and name no button any more", async (t) => {
  const config = "inputs: [{ kind: leak, name: sink, gpio: 6 }]\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config });
  for (const isWet of [true, false]) {
    rig.rig.bench.setInput("sink", isWet);
    await rig.rig.core.settled();
  }
  const [page, other] = [await rig.opened(t), await rig.opened(t, "human", "phone", { locale: "es-ES" })];
  await goTo(page, "Chat");
  await other.evaluate("location.hash = 'chat'");
  await page.waitForSelector(
    ".message.runtime >> text=clear the fault with: “I have checked it: clear” (Now)",
  );
  await other.waitForSelector(
    ".message.runtime >> text=El sensor de fugas «sink» está mojado: busque la fuga",
  );
  await goTo(page, "Now");
  await page.getByRole("button", { name: "I have checked it: clear" }).click();
  await page.locator(".note.fault").waitFor({ state: "detached" });
  await goTo(page, "Chat");
  await page.waitForSelector(".message.over >> text=/ended.*sink.* is wet, so Basil will get no water\\.$/s");
  t.notMatch(await page.textContent(".message.over"), /\(ended\)|clear|LEAK/);
  await other.evaluate("location.hash = 'now'");
  await other.waitForSelector(".plant");
  await other.evaluate("location.hash = 'chat'");
  await other.waitForSelector(".message.over >> text=/resuelto.*El sensor de fugas «sink» está mojado\\.$/s");
  t.same(rig.troubles, []);
});

inBrowser("who is told in the chat to water by a command is led to the button", async (t) => {
  const rig = await pageRig(t);
  await rig.rig.get("send_chat_message", { text: "water the basil" }, { as: "human" });
  const { turn_id } = await rig.rig.get("begin_turn", { kind: "conversation", chat_id: "household" });
  const text = "You can give a dose yourself: `tendril water 15`.";
  await rig.rig.get("send_chat_message", { text }, { as: "agent", turn: String(turn_id) });
  const page = await rig.opened(t);
  await goTo(page, "Chat");
  await page.waitForSelector(".chat >> text=You can give a dose yourself: “Water” (Now).");
  t.same(rig.troubles, []);
});

inBrowser("a view opens at its top, and the chat at its newest message", async (t) => {
  const rig = await pageRig(t);
  for (let at = 0; at < 20; at++)
    await rig.rig.get("send_chat_message", { text: `message ${at}` }, { as: "human" });
  const page = await rig.opened(t);
  await goTo(page, "House");
  await becomes(page, "scrollTo(0, 1000), scrollY > 300"); // the view grows while it loads
  await goTo(page, "Now");
  await becomes(page, "scrollY === 0");
  await goTo(page, "Chat");
  await becomes(page, SEES_NEWEST);
  t.same(rig.troubles, []);
});

const SEES_NEWEST = `(() => {
  const last = [...document.querySelectorAll(".chat .message")].at(-1)?.getBoundingClientRect();
  return last !== undefined && last.top > 0 && last.bottom < innerHeight;
})()`;

inBrowser("a message that is too long is told as such, with how long it may be, and stays", async (t) => {
  const rig = await pageRig(t);
  for (const [locale, words] of [
    ["en-GB", "The message is too long: it may have 8000 characters"],
    ["de-DE", "Die Nachricht ist zu lang: Sie darf 8000 Zeichen haben"],
    ["es-ES", "El mensaje es demasiado largo: puede tener 8000 caracteres"],
    ["pt-PT", "A mensagem é demasiado longa: pode ter 8000 caracteres"],
  ] as const) {
    const page = await rig.opened(t, "human", "phone", { locale });
    await page.evaluate("location.hash = 'chat'");
    const field = page.locator(".chat .line-form input");
    await field.fill("ä".repeat(8001));
    await page.locator(".chat .line-form button").click();
    await page.waitForSelector(`text=${words}`);
    t.equal((await field.inputValue()).length, 8001);
  }
  t.match(await rig.rig.get("list_chat_messages", {}, { as: "human" }), { count: 0 });
  t.same(rig.troubles, []);
});

inBrowser("a reminder is told without a command, and seen on Now", async (t) => {
  const rig = await pageRig(t);
  const at = { title: "mist the fern", time: "in 1 hour" };
  await rig.rig.get("task_tool", { operation: "create_task", ...at }, { as: "human" });
  const page = await rig.opened(t, "human", "phone");
  await page.waitForSelector(".plant");
  t.equal(await page.locator(".due").count(), 0, "not due yet");
  await rig.rig.pass(minutes(61));
  await page.waitForSelector(".due >> text=mist the fern");
  await goTo(page, "Chat");
  await page.waitForSelector(".message.runtime >> text=mist the fern");
  t.notMatch(await page.textContent("main"), /tendril task/);
  await page.getByRole("link", { name: "To the tasks" }).click();
  await page.getByRole("button", { name: "Done: mist the fern" }).click();
  await goTo(page, "Now");
  await page.waitForSelector(".plant");
  await page.locator(".due").waitFor({ state: "detached" });
  t.same(rig.troubles, []);
});

run("the chat in a browser");
