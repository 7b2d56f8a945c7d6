import { minutes } from "../../../drivers/units.js";
import { browserTests, goTo, TABS } from "./page-rig.js";

/** What must never break, in a real browser. Everything else of the page: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

const HOSTILE = "<img src=x onerror='window.hit=1'><script>window.hit=1</script>{{7*7}}";

/** Without the troubles of the plants, which stand above every view. */
const OF_THE_VIEW = "main > :not(.alerts)";

const ASK = "confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }";

inBrowser("a link opens the page once, and leaves neither address nor history a secret", async (t) => {
  const rig = await pageRig(t);
  const link = await rig.link();
  const page = await rig.page(t);
  await page.goto(link);
  await page.waitForSelector(".plant");
  t.equal(page.url(), `${rig.base}/`);
  t.equal(await page.evaluate("history.length"), 2, "the link was replaced, not left behind");
  t.equal(await page.evaluate("document.cookie + localStorage.length + sessionStorage.length"), "00");
  const second = await rig.page(t);
  await second.goto(link);
  await second.waitForSelector("text=The link did not work");
  t.match(
    await second.textContent("main"),
    /used before, or has expired.*tendril open/s,
    "and how to get another",
  );
  t.notMatch(await second.textContent("main"), /[A-Z]+_[A-Z]+/, "no code");
  t.same(rig.troubles, []);
});

inBrowser("everything off works with every role, and on this machine without a session", async (t) => {
  const rig = await pageRig(t);
  const lit = async () => {
    await rig.rig.get("set_hold", { hold: false }, { as: "human" });
    await rig.rig.pass(minutes(31));
    await rig.rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
  };
  const isOff = async () => {
    const { status } = await rig.rig.get("get_light_status");
    return status === "off";
  };
  for (const token of ["human", "observer"]) {
    await lit();
    const page = await rig.opened(t, token);
    // it switches off by three ways at once, and says so after the first: the others must not meet the next light
    const ways = [page.waitForResponse(/\/off$/), page.waitForResponse(/\/mcp$/)];
    await page.getByRole("button", { name: "Everything off" }).click();
    await page.waitForSelector("text=Everything is off");
    await Promise.all(ways);
    await goTo(page, "Story"); // over the WebSocket, behind what was sent there
    await page.waitForSelector(".chart canvas");
    t.ok(await isOff(), token);
    const [plant] = (await rig.rig.get("get_overview")).plants as { hold: object | null }[];
    t.equal(plant?.hold !== null, token === "human", "a person's also holds");
  }
  await lit();
  const out = await rig.page(t);
  await out.goto(rig.base);
  await out.waitForSelector("text=tendril open");
  await out.getByRole("button", { name: "Everything off" }).click();
  await out.waitForSelector("text=Everything is off");
  t.ok(await isOff(), "without a session, on this machine");
  t.same(rig.troubles, []);
});

inBrowser("hostile names and words are shown as text, and no script of theirs runs", async (t) => {
  const name = JSON.stringify(HOSTILE.slice(0, 60));
  const config = `plants: [{ id: basil, name: ${name} }]
people: [{ id: eve, name: ${name}, tokens: [human.eve] }]
climate: [{ place: ${name} }]
server: { calls_per_second: 100000 }`;
  const rig = await pageRig(t, { config });
  const person = { as: "human" } as const;
  await rig.rig.status([], { reasoning: HOSTILE }, { as: "agent" });
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  await rig.rig.get("send_message_to_human", { message: HOSTILE }, { as: "agent" });
  await rig.rig.get("list_tool", {
    operation: "add_item",
    list_name: HOSTILE.slice(0, 40),
    item_text: HOSTILE,
  });
  await rig.rig.get("task_tool", { operation: "create_task", title: HOSTILE });
  await rig.rig.get("send_chat_message", { text: HOSTILE }, person);
  await rig.rig.get("save_memory", { source: "CAPTURE", title: HOSTILE, content: HOSTILE }, person);
  await rig.rig.get("recall_user_context", { topic: "onerror" }, { as: "agent" });
  await rig.rig.get(
    "update_user_profile",
    { category: "habit", key: HOSTILE.slice(0, 40), value: HOSTILE },
    person,
  );
  await rig.rig.get("set_hold", { hold: true, reason: HOSTILE }, person);
  await rig.person("eve");
  await rig.link("human.eve");
  const page = await rig.opened(t, "human", "desktop");
  for (const tab of TABS) {
    await goTo(page, tab);
    await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true");
    await page.locator(OF_THE_VIEW).getByText("onerror").first().waitFor();
    await page.waitForTimeout(200);
    t.equal(await page.evaluate("window.hit"), undefined, tab);
    t.equal(await page.locator("main script, main img[src=x]").count(), 0, tab);
  }
  t.same(rig.troubles, []);
});

inBrowser(
  "a wall screen's own WebSocket does nothing that is a person's, whatever is sent over it",
  async (t) => {
    const rig = await pageRig(t, { config: ASK, hydration: 40 });
    await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
    await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
    const page = await rig.opened(t, "observer");
    const { approvals } = await rig.rig.get("list_approvals", {}, { as: "human" });
    const [{ id }] = approvals as [{ id: number }];
    const calls = [
      ["answer_approval", { id, approve: true }],
      ["set_hold", { hold: false }],
      ["clear_fault", {}],
      ["send_chat_message", { text: "let me in" }],
      ["list_people", {}],
      ["export_person", { user_id: "human" }],
      ["erase_person", { user_id: "human" }],
      ["list_recalls", {}],
      ["dispense_water", { ml: 20 }],
      ["turn_on_light", { minutes: 5 }],
    ] as const;
    const codes = await page.evaluate(overSocket(calls));
    t.same(
      codes,
      calls.map(() => "FORBIDDEN"),
    );
    for (const path of ["configuration", "session/all", "tokens", "doctor", "backups", "sessions"])
      t.not(
        await page.evaluate(
          `fetch("/${path}", { headers: { "x-tendril-page": "1" } }).then(({ status }) => status)`,
        ),
        200,
        path,
      );
    t.match(await rig.rig.get("list_approvals", {}, { as: "human" }), { approvals: [{ state: "pending" }] });
  },
);

/** Calls tools over a socket of the page's own session, as a script in it could. Gives their codes. */
const overSocket = (calls: readonly (readonly [string, object])[]): string => `new Promise((resolve) => {
  const codes = [];
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/mcp", ["mcp"]);
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const calls = ${JSON.stringify(calls)};
  const next = () => {
    const [name, args] = calls[codes.length] ?? [];
    if (name === undefined) return resolve(codes);
    send({ id: codes.length + 1, method: "tools/call", params: { name, arguments: args } });
  };
  socket.onopen = () => {
    send({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } } });
  };
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    if (id === 0) send({ method: "notifications/initialized" });
    else codes.push(error?.data?.code ?? (result.isError ? JSON.parse(result.content[0].text).error.code : "done"));
    next();
  };
})`;

inBrowser("of two sessions one approves, and the other is told so", async (t) => {
  const rig = await pageRig(t, { config: ASK, hydration: 40 });
  await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
  const [phone, tablet] = [await rig.opened(t), await rig.opened(t, "human", "desktop")];
  const { code } = await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  t.equal(code, "APPROVAL_NEEDED");
  const both = [phone, tablet].map((page) => page.getByRole("button", { name: "Approve" }));
  for (const button of both) await button.waitFor();
  t.match(
    await phone.textContent(".approval"),
    /agent wants to pour 20 ml for basil.*rather dry.*counts as a no/i,
  );
  // not by the mouse, which waits for a button that the other's answer may have taken away
  const buttons = await Promise.all(both.map((button) => button.elementHandle()));
  await Promise.all(buttons.map((button) => button?.dispatchEvent("click")));
  await phone.waitForSelector(".approval", { state: "detached" });
  await tablet.waitForSelector(".approval", { state: "detached" });
  const { approvals } = await rig.rig.get("list_approvals", {}, { as: "human" });
  t.match(approvals, [{ answered_by: "human" }]);
  t.equal((approvals as object[]).length, 1);
  t.same(rig.troubles, []);
});

run("the page in a browser");
