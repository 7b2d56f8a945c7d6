import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { minutes } from "../../drivers/units.js";
import { barriers, becomes, browserTests, goTo } from "../runtime/web/page-rig.js";
import { TcpProxy } from "../tcp-proxy.js";

/** The page in a real browser, beside what test/runtime/web/page.test.ts holds: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

inBrowser("when the runtime goes away and comes back, the page says so and goes on", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await rig.stop();
  await page.waitForSelector("text=No connection");
  const { y, height } = (await page.locator(".lost").boundingBox()) ?? { y: -1, height: 0 };
  t.ok(y >= 0 && y + height < 200, `it stays in sight, wherever one looks (at ${y})`);
  t.ok(await page.locator("main.old").isVisible(), "what it shows is grey");
  await rig.again();
  await page.getByText("No connection").waitFor({ state: "detached" });
  t.equal(await page.locator("main.old").count(), 0);
  t.same(rig.troubles, []);
});

inBrowser("a link that is open but dead is noticed, given up, and made anew", async (t) => {
  const rig = await pageRig(t);
  const proxy = new TcpProxy(rig.port);
  const base = `http://127.0.0.1:${await proxy.listen()}`;
  t.teardown(() => proxy.close());
  const page = await rig.page(t);
  await page.clock.install();
  await page.goto(await rig.link("human", base));
  await page.waitForSelector(".plant");
  proxy.isDead = true;
  await page.clock.runFor(16_000);
  await page.waitForSelector("text=No connection");
  proxy.isDead = false;
  proxy.cut();
  await page.clock.runFor(10_000);
  await page.getByText("No connection").waitFor({ state: "detached" });
});

inBrowser("a session that is ended elsewhere, and one that logs out, see nothing more", async (t) => {
  const rig = await pageRig(t);
  const [ended, leaving] = [await rig.opened(t), await rig.opened(t, "observer")];
  const { sessions } = await rig.asPerson<{ sessions: { id: string; role: string }[] }>("GET", "/sessions");
  const human = sessions.find(({ role }) => role === "human");
  await rig.asPerson("DELETE", `/sessions/${human?.id}`);
  await ended.waitForSelector("text=session of this browser was ended");
  t.equal(await ended.locator(".plant").count(), 0);
  await leaving.getByRole("button", { name: "Log out" }).click();
  await leaving.waitForSelector("text=session of this browser was ended");
  t.match(await rig.asPerson("GET", "/sessions"), { sessions: [] });
  t.same(rig.troubles, []);
});

inBrowser(
  "the story tells why there was no water, why there was some, and gives its figures away",
  async (t) => {
    const rig = await pageRig(t, { hydration: 40 });
    const thought = {
      ...{ observation: "37 %", hypothesis: "dry", candidate_actions: [], uncertainties: "" },
      reasoning: "it drinks a lot",
    };
    await rig.rig.get("log_thought", thought, { as: "agent" });
    await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
    await rig.rig.water(20, { as: "agent" });
    await rig.rig.pass(minutes(40));
    await rig.rig.core.sample();
    await rig.rig.status([], { reasoning: "moist enough" }, { as: "agent" });
    const page = await rig.opened(t, "human", "desktop");
    await goTo(page, "Story");
    await page.waitForSelector(".chart canvas");
    await page.getByRole("button", { name: "Why did you water?" }).click();
    t.match(await page.textContent(".why"), /watered: 20 ml in 1 dose.*rather dry(?!.*planned no water)/s);
    await page.getByRole("button", { name: "Why did you not water?" }).click();
    t.match(
      await page.textContent(".why .answer"),
      /^(?!.*20 ml in 1 dose).*planned no water/s,
      "the other question",
    );
    await goTo(page, "Now");
    await page.getByRole("button", { name: "Why did you water?" }).waitFor();
    await page.getByRole("button", { name: "Why did you not water?" }).click();
    await page.waitForSelector(".plant .answer >> text=planned no water");
    await goTo(page, "Story");
    await page.getByRole("button", { name: "20 ml of water" }).click();
    await page.waitForSelector("text=it drinks a lot");
    t.match(await page.textContent(".reasons"), /asked for 20 ml.*by the agent.*rather dry/s);
    await page.getByText("Table of the chart").click();
    t.equal(await page.locator("tbody tr").count(), 288);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByText("Save as CSV").click(),
    ]);
    const csv = await readFile(await download.path(), "utf8");
    t.match(csv, /^from_utc,to_utc,moisture_percent,readings,water_ml,doses\r\n2026-/);
    t.match(csv, /,20,1\r\n/);
    for (const range of ["Hour", "Week", "Month", "Year"]) {
      await page.getByRole("button", { name: range, exact: true }).click();
      await page.waitForSelector(`.ranges [aria-pressed=true] >> text=${range}`);
      await page.waitForSelector(".chart canvas");
    }
    t.same(rig.troubles, []);
  },
);

inBrowser("an answered request says what became of it, also when the agent has used the yes", async (t) => {
  const config = "confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config, hydration: 40 });
  await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const page = await rig.opened(t);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForSelector("text=/Approved: pour 20 ml.*has not used your yes yet/");
  await rig.rig.water(20, { as: "agent" });
  await page.waitForSelector("text=The agent has used your yes");
  t.same(rig.troubles, []);
});

inBrowser(
  "a second tap within a second answers no other request, nor one that has just appeared",
  async (t) => {
    const config = `plants: [{ id: basil, name: Basil }, { id: fern, name: Fern, probe: { channel: 1 } }]
confirm: { dispense_water: always }
server: { calls_per_second: 100000 }`;
    const rig = await pageRig(t, { config, hydration: 40 });
    const ask = async (plant: string) => {
      await rig.rig.status([{ action: "water", value: 15 }], { plant }, { as: "agent" });
      await rig.rig.refused("dispense_water", { ml: 15, plant }, { as: "agent" });
    };
    const states = async () => {
      const { approvals } = await rig.rig.get("list_approvals", {}, { as: "human" });
      return (approvals as { plant: string; state: string }[]).map(({ plant, state }) => `${plant} ${state}`);
    };
    await ask("basil");
    const page = await rig.page(t);
    await page.clock.install();
    await page.goto(await rig.link());
    const approve = page.getByRole("button", { name: "Approve" });
    const tap = async () => {
      const { x, y, width, height } = (await approve.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      await page.mouse.click(x + width / 2, y + height / 2);
    };
    /** Preact draws on the clock, too. */
    const seen = async (wanted: Locator) => {
      while (!(await wanted.isVisible())) await page.clock.runFor(20);
    };
    await approve.click();
    await page.getByText(/Approved: pour 15 ml/).waitFor();
    await page.clock.pauseAt(Number(await page.evaluate("Date.now() + 1000")));
    await ask("fern");
    await seen(page.getByRole("heading", { name: /for Fern/ }));
    for (const later of [0, 900]) {
      await page.clock.runFor(later);
      t.ok(await approve.isDisabled(), `${later} ms later`);
      await tap();
      t.same(await states(), ["fern pending", "basil approved"]);
    }
    await page.clock.runFor(200);
    await tap();
    await seen(page.getByText(/Approved: pour 15 ml \(Fern\)/));
    t.same(await states(), ["fern approved", "basil approved"]);
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "a page that is opened again knows which dose was approved, and which one is asked for",
  async (t) => {
    const config = "confirm: { dispense_water: always }\nserver: { calls_per_second: 100000 }";
    const rig = await pageRig(t, { config, hydration: 40 });
    const doses = [1, 2].map(() => ({ action: "water", value: 14 }) as const);
    await rig.rig.status(doses, { reasoning: "a little dry" }, { as: "agent" });
    await rig.rig.refused("dispense_water", { ml: 14 }, { as: "agent" });
    const page = await rig.opened(t);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForSelector("text=/Approved: pour 14 ml.*has not used your yes yet/");
    await page.reload();
    await page.waitForSelector("text=/Approved: pour 14 ml.*has not used your yes yet/");
    await rig.rig.water(14, { as: "agent" });
    await rig.rig.refused("dispense_water", { ml: 14 }, { as: "agent" });
    await page.reload();
    await page.waitForSelector("text=This is dose 2 of 2 in the agent's plan.");
    await page.waitForSelector("text=/Approved: pour 14 ml.*The agent has used your yes/");
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.waitForSelector("text=/Refused: pour 14 ml/");
    await page.reload();
    await page.waitForSelector("text=/Refused: pour 14 ml/");
    t.same(rig.troubles, []);
  },
);

inBrowser("times are the house's, whatever zone the browser has", async (t) => {
  const config = "zone: Asia/Kathmandu\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config });
  const page = await rig.opened(t, "human", "phone", { timezoneId: "America/Los_Angeles" });
  t.match(await page.textContent("footer"), /1 Jun, 13:45 Asia\/Kathmandu/);
});

inBrowser("lists and tasks: add, complete, and a mistake in the page's own words", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  await page.getByLabel("New task").fill("buy soil");
  await page.getByLabel("When").fill("on the 45th of nowhere");
  await page.getByLabel("New task").press("Enter");
  await page.waitForSelector("text=/That time was not understood.*as a time: nothing is known of/");
  await page.getByLabel("When").fill("tomorrow at 9");
  // what is not read yet is not saved; in the field itself, since leaving it would have the words read before the key comes
  await page.getByLabel("When").press("Enter");
  await page.waitForSelector("text=/Understood: Tue,? 2 Jun, 09:00/");
  t.match(await rig.rig.get("task_tool", { operation: "list_tasks" }, { as: "human" }), { count: 0 });
  t.same(await barriers(page), []);
  await page.getByRole("button", { name: "Add" }).first().click();
  await page.waitForSelector("text=/due Tue,? 2 Jun, 09:00/");
  t.equal(await page.getByText("Understood:").count(), 0);
  await page.getByRole("button", { name: "Done: buy soil" }).click();
  await page.waitForSelector("text=No open task");
  await page.getByRole("button", { name: "Undo: buy soil" }).click();
  await page.waitForSelector("text=/due Tue,? 2 Jun, 09:00/");
  await page.getByRole("button", { name: "Edit: buy soil" }).click();
  await page.getByLabel("Task", { exact: true }).fill("buy good soil");
  await page.getByLabel("New time").fill("tomorrow at 5pm");
  await page.waitForSelector("text=/Understood: Tue,? 2 Jun, 17:00/");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForSelector("text=/due Tue,? 2 Jun, 17:00/");
  const remove = { name: "Delete: buy good soil" };
  await page.getByRole("button", { name: "Edit: buy good soil" }).click();
  await page.getByRole("button", remove).click();
  await page.getByRole("group", remove).getByRole("button", remove).click();
  await page.waitForSelector("text=No open task");
  await page.waitForSelector(".card >> text=No list yet");
  await page.getByLabel("New list").fill("Shopping");
  await page.getByLabel("New list").press("Enter");
  await page.getByLabel("New item").fill("perlite");
  await page.getByLabel("New item").press("Enter");
  await page.getByRole("button", { name: "Done: perlite" }).click();
  await page.waitForSelector("li.done >> text=perlite");
  await page.getByRole("button", { name: "Undo: perlite" }).click();
  await page.getByRole("button", { name: "Done: perlite" }).waitFor();
  await page.getByRole("button", { name: "Edit: perlite" }).click();
  await page.getByLabel("Item", { exact: true }).fill("coarse perlite");
  await page.getByLabel("Item", { exact: true }).press("Enter");
  await page.getByRole("button", { name: "Done: coarse perlite" }).waitFor();
  t.equal(await page.getByLabel("Item", { exact: true }).count(), 0, "the form is closed");
  t.same(await barriers(page), []);
  await page.getByRole("button", { name: "Edit: coarse perlite" }).click();
  for (const gone of ["Delete: coarse perlite", "Delete the list: Shopping"]) {
    await page.getByRole("button", { name: gone }).click();
    await page.getByRole("group", { name: gone }).getByRole("button", { name: gone }).click();
    await page.getByRole("group", { name: gone }).waitFor({ state: "detached" });
  }
  await page.waitForSelector(".card >> text=No list yet");
  t.same(rig.troubles, []);
});

inBrowser(
  "what somebody else has changed meanwhile is told, and the person chooses which one stays",
  async (t) => {
    const rig = await pageRig(t);
    const tool = (name: string, args: object) => rig.rig.get(name, args as never, { as: "human" });
    const { item_id } = await tool("list_tool", {
      ...{ operation: "add_item", list_name: "Shopping", item_text: "perlite" },
    });
    const renamed = (item_text: string) =>
      tool("list_tool", { operation: "update_item", item_id, item_text });
    const isNow = async () => {
      const { items } = await tool("list_tool", { operation: "list_items", list_name: "Shopping" });
      return (items as [{ item_text: string }])[0].item_text;
    };
    const page = await rig.opened(t, "human", "usual");
    await goTo(page, "Lists");
    const write = async (text: string) => {
      await page.getByRole("button", { name: /^Edit: / }).click();
      await page.getByLabel("Item", { exact: true }).fill(text);
    };
    const [save, leave] = ["Save", "Leave it as it is now"].map((name) =>
      page.getByRole("button", { name, exact: true }),
    );
    await write("coarse perlite");
    await renamed("2 bags of perlite");
    await save?.click();
    await page.getByText("It is now: 2 bags of perlite").waitFor();
    t.equal(await isNow(), "2 bags of perlite", "nothing is lost");
    t.equal(
      await page.getByLabel("Item", { exact: true }).inputValue(),
      "coarse perlite",
      "nor is what was written",
    );
    t.same(await barriers(page), []);
    await renamed("3 bags of perlite");
    await save?.click();
    await page.getByText("It is now: 3 bags of perlite").waitFor();
    await save?.click();
    await page.getByRole("button", { name: "Done: coarse perlite" }).waitFor();
    t.equal(await isNow(), "coarse perlite");
    await write("fine perlite");
    await renamed("bark");
    await save?.click();
    await leave?.click();
    await page.getByLabel("Item", { exact: true }).waitFor({ state: "detached" });
    t.equal(await isNow(), "bark");
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "a task that was moved meanwhile keeps what its form does not change, and tells of the rest",
  async (t) => {
    const rig = await pageRig(t);
    const tool = (args: object) => rig.rig.get("task_tool", args as never, { as: "human" });
    const { task_id } = await tool({ operation: "create_task", title: "mist", time: "tomorrow at 9" });
    const page = await rig.opened(t, "human", "usual");
    await goTo(page, "Lists");
    const open = () => page.getByRole("button", { name: /^Edit: / }).click();
    const save = page.getByRole("button", { name: "Save", exact: true });
    await open();
    await page.getByLabel("Task", { exact: true }).fill("mist the fern");
    await tool({ operation: "update_task", task_id, time: "tomorrow at 11" });
    await save.click();
    await page.getByRole("button", { name: "Done: mist the fern" }).waitFor();
    await page.waitForSelector("text=/due Tue,? 2 Jun, 11:00/");
    await open();
    await page.getByLabel("New time").fill("tomorrow at 5pm");
    await page.waitForSelector("text=/Understood: Tue,? 2 Jun, 17:00/");
    await tool({ operation: "update_task", task_id, time: "tomorrow at 12:00" });
    await save.click();
    await page.getByText(/It is now: mist the fern, due Tue,? 2 Jun, 12:00/).waitFor();
    await save.click();
    await page.waitForSelector("text=/due Tue,? 2 Jun, 17:00/");
    t.same(rig.troubles, []);
  },
);

/** Taps that follow one another as fast as they can; the page takes each for `ms` later than the one before. */
async function tapsOf(page: Page, ms: number) {
  await page.evaluate(
    "Object.defineProperty(Event.prototype, 'timeStamp', { get: () => (window.tapAt ??= 9e6) })",
  );
  return async (x: number, y: number) => {
    await page.touchscreen.tap(x, y);
    await page.evaluate(`window.tapAt += ${ms}`);
  };
}

/** The middle of a button. */
async function placeOf(page: Page, name: string) {
  const button = page.getByRole("button", { name, exact: true });
  await button.scrollIntoViewIfNeeded();
  const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
  return [x + width / 2, y + height / 2] as const;
}

inBrowser(
  "a double tap on one task's Done leaves the next task, and Everything off is never too soon",
  async (t) => {
    const rig = await pageRig(t);
    const tasks = async () => {
      const { tasks } = await rig.rig.get(
        "task_tool",
        { operation: "list_tasks", completed: false },
        { as: "human" },
      );
      return (tasks as { title: string }[]).map(({ title }) => title);
    };
    for (const title of ["mist", "prune", "feed"])
      await rig.rig.get("task_tool", { operation: "create_task", title }, { as: "human" });
    const page = await rig.opened(t, "human", "usual", { hasTouch: true });
    await goTo(page, "Lists");
    await page.getByRole("button", { name: "Done: feed" }).waitFor();
    const [first = "", ...others] = await page
      .getByRole("button", { name: /^Done: / })
      .evaluateAll((all) => all.map((each) => each.ariaLabel ?? ""));
    const done = await placeOf(page, first);
    const tap = await tapsOf(page, 200);
    await tap(...done);
    await page.getByRole("status").getByText(first.replace("Done: ", "")).waitFor();
    const [second = ""] = others;
    // wherever the next "Done" lies now, the second tap of the two comes down on it
    await page.evaluate(`document.querySelector("button[aria-label='${second}']").style.cssText =
    "position: fixed; z-index: 9; left: ${done[0] - 20}px; top: ${done[1] - 20}px"`);
    await tap(...done);
    await rig.rig.pass(minutes(1));
    t.equal((await tasks()).length, 2);
    await page.evaluate("window.tapAt += 400");
    await tap(...done);
    await page.getByRole("button", { name: second, exact: true }).waitFor({ state: "detached" });
    t.equal((await tasks()).length, 1, "a tap of its own counts");
    for (const _ of [1, 2]) await tap(...(await placeOf(page, "Everything off")));
    await page.waitForSelector("text=Everything is off");
    t.same(rig.troubles, []);
  },
);

inBrowser("a title that ends with a time is no time of the task; a button makes it one", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  const add = async (title: string) => {
    await page.getByLabel("New task").fill(title);
    await page.getByLabel("New task").press("Enter");
  };
  await add("call mum tomorrow at 6pm");
  await page.waitForSelector("text=nobody is reminded. If “tomorrow at 6pm” is its time:");
  t.same(await barriers(page), []);
  await page.getByRole("button", { name: /^Tue,? 2 Jun, 18:00$/ }).click();
  await page.waitForSelector("text=/call mum *due Tue,? 2 Jun, 18:00/");
  t.equal(await page.getByText("nobody is reminded").count(), 0);
  const { tasks } = await rig.rig.get("task_tool", { operation: "list_tasks" }, { as: "human" });
  t.match(tasks, [{ title: "call mum", due_at: "2026-06-02T18:00:00.000Z" }]);
  await add("mist");
  await page.getByRole("button", { name: "Done: mist" }).waitFor();
  t.equal(await page.getByText("nobody is reminded").count(), 0);
  t.same(rig.troubles, []);
});

inBrowser("Add tapped twice makes one task, and a draft outlives a change of the view", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t, "human", "usual", { hasTouch: true });
  await goTo(page, "Lists");
  await page.getByLabel("New list").fill("Shopping");
  await page.getByLabel("New list").press("Enter");
  await page.getByLabel("New item").fill("perlite");
  await page.getByLabel("New task").fill("mist");
  await page.getByLabel("When").fill("in 2 years");
  await page.waitForSelector("text=/Understood: .*1 Jun 2028, /");
  await goTo(page, "Chat");
  await page.getByLabel("Write to the agent").fill("How are");
  await goTo(page, "House");
  await page.waitForSelector("text=Nothing is wrong");
  await goTo(page, "Chat");
  t.equal(await page.getByLabel("Write to the agent").inputValue(), "How are");
  await goTo(page, "Lists");
  t.equal(await page.getByLabel("New item").inputValue(), "perlite");
  t.equal(await page.getByLabel("When").inputValue(), "in 2 years");
  await page.waitForSelector("text=/Understood: .*1 Jun 2028, /");
  const add = page.locator("form", { has: page.getByLabel("New task") }).getByRole("button", { name: "Add" });
  const { x = 0, y = 0 } = (await add.boundingBox()) ?? {};
  const tap = await tapsOf(page, 150);
  for (const _ of [1, 2]) await tap(x + 9, y + 9);
  await page.waitForSelector("text=/due .*1 Jun 2028, /");
  t.match(await rig.rig.get("task_tool", { operation: "list_tasks" }, { as: "human" }), { count: 1 });
  t.equal(await page.getByLabel("New task").inputValue(), "", "what was sent is no draft");
  await page.getByLabel("New list").fill("Shopping");
  await page.getByLabel("New list").press("Enter");
  await page.waitForSelector("text=There is one with this name already");
  t.same(rig.troubles, []);
});

inBrowser("each task that was done in the last minute stays in its line, and can be put back", async (t) => {
  const rig = await pageRig(t);
  for (const title of ["feed", "mist", "prune"])
    await rig.rig.get("task_tool", { operation: "create_task", title }, { as: "human" });
  const ids = async () => {
    const { tasks } = await rig.rig.get("task_tool", { operation: "list_tasks" }, { as: "human" });
    return (tasks as { task_id: string }[]).map(({ task_id }) => task_id).toSorted();
  };
  const before = await ids();
  const page = await rig.page(t, "usual");
  await page.clock.install();
  await page.goto(await rig.link());
  await goTo(page, "Lists");
  for (const title of ["mist", "prune"]) {
    await page.getByRole("button", { name: `Done: ${title}` }).click();
    await page.getByRole("button", { name: `Undo: ${title}` }).waitFor();
  }
  const lines = () => page.locator(".list-text").evaluateAll((all) => all.map((each) => each.textContent));
  t.match(await lines(), [/feed/, /mist/, /prune/]);
  t.same(await barriers(page), []);
  await page.getByRole("button", { name: "Undo: mist" }).click();
  await page.getByRole("button", { name: "Done: mist" }).waitFor();
  t.same(await ids(), before, "the same task, and not a new one");
  await page.clock.runFor(61_000);
  await page.getByRole("button", { name: "Undo: prune" }).waitFor({ state: "detached" });
  t.match((await lines()).toSorted(), [/feed/, /mist/]);
  t.same(rig.troubles, []);
});

inBrowser(
  "a task that was done, and deleted elsewhere, is not put back, however often one tries",
  async (t) => {
    const rig = await pageRig(t);
    const tool = (operation: string, of: object) =>
      rig.rig.get("task_tool", { operation, ...of }, { as: "human" });
    const { task_id } = await tool("create_task", { title: "mist" });
    const page = await rig.opened(t, "human", "usual");
    await goTo(page, "Lists");
    await page.getByRole("button", { name: "Done: mist" }).click();
    const undo = page.getByRole("button", { name: "Undo: mist" });
    await undo.waitFor();
    await tool("delete_task", { task_id });
    for (let tries = 0; tries < 3; tries += 1) {
      await undo.click();
      await page.waitForSelector("text=It is not there any more");
    }
    t.match(await tool("list_tasks", {}), { count: 0 });
  },
);

inBrowser("a repeating task says when it comes again, before and after it is done", async (t) => {
  const rig = await pageRig(t);
  const task = { operation: "create_task", title: "mist", time: "every monday at 8pm" };
  await rig.rig.get("task_tool", task, { as: "human" });
  const page = await rig.opened(t, "human", "usual");
  await goTo(page, "Lists");
  await page.waitForSelector("text=/due 20:00.*next after “Done”: Mon,? 8 Jun, 20:00/s");
  await page.getByRole("button", { name: "Done: mist" }).click();
  await page.waitForSelector("li.done >> text=/mist.*next: Mon,? 8 Jun, 20:00/s");
  await page.getByRole("button", { name: "Undo: mist" }).click();
  await page.waitForSelector("text=due 20:00");
  t.same(rig.troubles, []);
});

inBrowser(
  "a time that is none or many is told while it is written, with a button for each meaning",
  async (t) => {
    const rig = await pageRig(t);
    const page = await rig.opened(t, "human", "usual");
    await goTo(page, "Lists");
    await page.getByLabel("New task").fill("mist");
    await page.getByLabel("When").fill("jeden Tag um 8");
    await page.getByText("That time was not understood").waitFor();
    await page.getByLabel("When").fill("tomorrow at 5");
    await page.getByText("That can mean more than one time. Which one?").waitFor();
    t.same(await barriers(page), []);
    await page.getByRole("button", { name: /2 Jun, 17:00/ }).click();
    await page.waitForSelector("text=/Understood: Tue,? 2 Jun, 17:00/");
    await page.getByLabel("When").fill("every second thursday at 8");
    await page.getByRole("button", { name: "every 2 weeks on Thursday at 08:00" }).waitFor();
    await page.getByRole("button", { name: "every month on the 2nd Thursday at 08:00" }).click();
    await page.waitForSelector("text=/Understood: every month on the 2nd Thursday at 08:00/");
    t.same(rig.troubles, []);
  },
);

inBrowser("the words of a time are read while they are written, with the next three times", async (t) => {
  const config = `zone: Asia/Kathmandu
people: [{ id: anna, zone: UTC, language: es, tokens: [human] }]
server: { calls_per_second: 100000 }`;
  const rig = await pageRig(t, { config });
  const page = await rig.opened(t);
  await page.evaluate("location.hash = 'lists'");
  await page.getByLabel("Tarea nueva").fill("pulverizar");
  await page.getByLabel("Cuándo").fill("every other evening");
  await page.waitForSelector("text=Se entendió: cada 2 días a las 19:00 UTC");
  t.same(await page.locator(".understood li").allTextContents(), [
    "mar, 2 jun, 00:45 Asia/Kathmandu",
    "jue, 4 jun, 00:45 Asia/Kathmandu",
    "sáb, 6 jun, 00:45 Asia/Kathmandu",
  ]);
  await page.getByLabel("Cuándo").fill("cada lunes a las 8");
  await page.waitForSelector("text=Se entendió: cada semana el lunes a las 08:00 UTC");
  await page.getByLabel("Cuándo").fill("mañana a las 25");
  await page.getByLabel("Tarea nueva").focus();
  await page.waitForSelector("text=/No se entendió esa hora/");
  t.equal(await page.locator(".understood li").count(), 0);
  t.same(rig.troubles, []);
});

inBrowser("the page speaks the person's language, else the browser's", async (t) => {
  const config =
    "people: [{ id: anna, language: pt, tokens: [human] }]\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config });
  const anna = await rig.opened(t, "human", "phone", { locale: "de-DE" });
  await anna.getByRole("button", { name: "Desligar tudo" }).waitFor();
  await becomes(anna, "document.documentElement.lang === 'pt'");
  const wall = await rig.opened(t, "observer", "small", { locale: "de-DE" });
  await wall.getByRole("button", { name: "Alles aus" }).waitFor();
  t.same(await barriers(wall), []);
  t.same(rig.troubles, []);
});

run("the page in a browser, view by view");
