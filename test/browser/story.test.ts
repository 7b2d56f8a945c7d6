import { minutes } from "../../drivers/units.js";
import { barriers, browserTests, goTo } from "../runtime/web/page-rig.js";

/** The story in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

const HOSTILE = "<img src=x onerror='window.hit=1'>";

inBrowser("a refused dose is listed with why, and faults, holds and their ends have marks", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
  await rig.rig.get("set_hold", { hold: false, reason: "back" }, { as: "human" });
  const page = await rig.opened(t, "human", "desktop");
  await goTo(page, "Story");
  await page
    .getByRole("button", { name: "20 ml refused · asked by the agent, refused by the runtime" })
    .click();
  await page.waitForSelector(".reasons >> text=/no plant status|status/");
  t.notMatch(await page.textContent(".reasons"), /NO_CYCLE/);
  t.match(await page.textContent(".key"), /refused.*on hold.*ended/s);
  await page.getByRole("button", { name: "Why did you not water?" }).click();
  t.match(await page.textContent(".why"), /A dose of 20 ml was refused at \S+ The runtime said: /);
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser(
  "on the first day the times under the chart are those of its axis and of the first reading",
  async (t) => {
    const rig = await pageRig(t);
    const page = await rig.opened(t, "human", "desktop");
    for (const now of ["08:03", "08:04"]) {
      await rig.rig.pass(minutes(now === "08:03" ? 3 : 1));
      await rig.rig.core.sample();
      await goTo(page, "Now");
      await goTo(page, "Story");
      await page.getByText(`1 Jun, 07:${now.slice(3)} – 1 Jun, ${now} UTC`, { exact: true }).waitFor();
      await page.getByText(/^Readings since 08:00(\.|:)/).waitFor();
    }
    t.same(rig.troubles, []);
  },
);

inBrowser("a repaired probe stays in the story and in the answer, also of yesterday", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  rig.rig.bench.faults("basil").probe = "unplugged";
  await rig.rig.core.sample();
  await rig.rig.pass(minutes(94));
  delete rig.rig.bench.faults("basil").probe;
  await rig.rig.core.sample();
  const page = await rig.opened(t, "human", "usual");
  const answer = /probe was faulty from 08:00 to 09:34\. Without it/;
  await page.getByRole("button", { name: "Why did you not water?" }).click();
  await page.getByText(answer).waitFor();
  await goTo(page, "Story");
  await page.getByRole("button", { name: "09:34 Probe works again (faulty since 08:00)" }).click();
  await page.getByRole("button", { name: "08:00 Probe faulty" }).click();
  await page.getByText("Without the probe no water flows").waitFor();
  t.match(await page.textContent(".reasons"), /by the runtime/);
  t.notMatch(await page.textContent("main"), /PROBE_/);
  t.match(await page.textContent(".key"), /probe faulty/, "the chart's band");
  t.notMatch(await page.textContent(".key"), /runtime off/);
  await page.getByRole("button", { name: "Earlier" }).click();
  await page.getByText("There are no readings of this time.").waitFor();
  await page.getByRole("button", { name: "Why did you not water?" }).click();
  await page.getByText("No agent looked at it in this time.", { exact: true }).waitFor();
  t.equal(await page.getByText("Is one running?").count(), 0);
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser(
  "a drag moves the chart through time, a pinch stretches it, and a tap is still a tap",
  async (t) => {
    const rig = await pageRig(t, { hydration: 40 });
    await rig.rig.status([], {}, { as: "agent" });
    for (let step = 0; step < 12; step++) {
      await rig.rig.pass(minutes(30));
      await rig.rig.core.sample();
    }
    const page = await rig.opened(t, "human", "phone", { hasTouch: true });
    await goTo(page, "Story");
    await page.waitForSelector(".chart canvas");
    await page.locator(".chart").scrollIntoViewIfNeeded();
    const foot = page.locator(".story-foot .quiet");
    const shown = async () => (await foot.textContent()) ?? "";
    const before = await shown();
    const chart = await page.waitForSelector(".chart canvas");
    const { x, y, width } = (await page.locator(".u-over").boundingBox()) ?? { x: 0, y: 0, width: 0 };
    const touches = await page.context().newCDPSession(page);
    const touch = (type: string, ...at: number[]) =>
      touches.send("Input.dispatchTouchEvent", {
        type: type as "touchStart",
        touchPoints: at.map((share, id) => ({ x: x + share * width, y: y + 100, id })),
      });
    await touch("touchStart", 0.3);
    for (const share of [0.4, 0.5, 0.6, 0.7]) await touch("touchMove", share);
    await touch("touchEnd");
    await foot.filter({ hasNotText: before }).waitFor();
    await chart.waitForElementState("hidden"); // it is drawn anew after its words: fingers on the former one would be lost
    t.ok(await page.getByRole("button", { name: "Later" }).isEnabled(), "it is no longer the present");
    t.ok(await page.getByRole("button", { name: "Day", pressed: true }).isVisible(), "and as long as before");
    const dragged = await shown();
    await touch("touchStart", 0.4, 0.6);
    for (const far of [0.15, 0.2]) await touch("touchMove", 0.5 - far, 0.5 + far);
    await touch("touchEnd");
    await foot.filter({ hasNotText: dragged }).waitFor();
    t.equal(await page.locator(".ranges [aria-pressed=true]").count(), 0, "a length of its own");
    t.equal(await page.locator(".reasons").count(), 0, "neither was a tap");
    await page.getByRole("button", { name: "Day", exact: true }).click();
    await foot.filter({ hasText: before }).waitFor();
    t.same(rig.troubles, []);
  },
);

inBrowser("a cycle says what it cost", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  const cost = { model: `openai:${HOSTILE}`, calls: 3, tokens: 12_000, money: 0.02 };
  await rig.rig.get("report_cost", cost, { as: "agent" });
  const page = await rig.opened(t);
  await goTo(page, "Story");
  await page.locator(".event.cycle > button").first().click();
  await page.waitForSelector(".reasons >> text=12000 tokens, cost 0.02");
  t.same(rig.troubles, []);
});

inBrowser("a note of one's own stays in the story, and the agent reads it", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "Story");
  await page.getByLabel("Your note").fill(`repotted ${HOSTILE}`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Note: repotted <img" }).click();
  t.match(await page.textContent(".key"), /note/);
  t.match(await rig.rig.get("search_memories", { query: "repotted" }, { as: "agent" }), { count: 1 });
  const { messages } = await rig.rig.get("list_messages_from_human");
  t.match((messages as object[]).at(0), { content: /A note on Basil: repotted/ });
  await goTo(page, "Lists");
  await page
    .locator("li", { hasText: "repotted" })
    .getByText(/^Note, /)
    .waitFor();
  const wall = await rig.opened(t, "observer");
  await goTo(wall, "Story");
  await wall.waitForSelector(".chart canvas");
  t.equal(await wall.getByLabel("Your note").count(), 0, "a screen on the wall shows no person's words");
  t.equal(await wall.getByText("repotted").count(), 0);
  t.equal(await page.evaluate("window.hit"), undefined);
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser("a fault is told in words, and the times in a refusal are the house's", async (t) => {
  const config = "zone: Asia/Kathmandu\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config, hydration: 40 });
  rig.rig.bench.faults("basil").pump = "tube off";
  for (let dose = 0; dose < 3; dose++) {
    await rig.rig.water(20, { as: "human" });
    await rig.rig.pass(minutes(40));
    await rig.rig.core.sample();
  }
  await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const page = await rig.opened(t, "human", "usual");
  await goTo(page, "Story");
  const locked = page.getByRole("button", {
    name: "No more water: the soil did not react to the last doses",
  });
  await locked.click();
  t.match(await page.textContent(".reasons"), /at best/);
  t.notMatch(await page.textContent("main"), /NO_RESPONSE/);
  await page.getByRole("button", { name: "20 ml refused" }).first().click();
  await page.waitForSelector(".reasons >> text=/is locked since \\d\\d:\\d\\d: /");
  t.notMatch(await page.textContent(".events"), /\dT\d|: NO_RESPONSE/);
  t.same(rig.troubles, []);
});

/** Notes where the chart writes its words: their boxes, in pixels of the screen. */
const WATCH_BOXES = `window.boxes = {};
const written = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const half = this.measureText(text).width / 2;
  const corners = [[x - half, y - 11 * devicePixelRatio], [x + half, y]].map(([left, top]) =>
    this.getTransform().transformPoint({ x: left, y: top }));
  const [xs, ys] = [corners.map((each) => each.x), corners.map((each) => each.y)];
  window.boxes[text] = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  return written.call(this, text, x, y);
};`;

inBrowser("the figure of a dose does not cover why there is a gap", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  rig.rig.bench.faults("basil").probe = "unplugged";
  await rig.rig.core.sample();
  await rig.rig.pass(minutes(40));
  delete rig.rig.bench.faults("basil").probe;
  await rig.rig.core.sample();
  await rig.rig.water(20, { as: "human" });
  await rig.rig.pass(minutes(600));
  await rig.rig.core.sample();
  const page = await rig.opened(t, "human", "usual");
  await page.addInitScript(WATCH_BOXES);
  await page.reload();
  await goTo(page, "Story");
  await page.waitForSelector(".chart canvas");
  const boxes = (await page.evaluate("boxes")) as Record<string, Box>;
  const [why, dose] = [boxes["probe faulty"], boxes["20 ml"]];
  if (!why || !dose) return void t.fail(Object.keys(boxes).join());
  t.ok(why.left < dose.right && dose.left < why.right, "one above the other");
  t.ok(why.bottom < dose.top || dose.bottom < why.top, JSON.stringify([why, dose]));
  t.same(rig.troubles, []);
});

type Box = Readonly<Record<"left" | "right" | "top" | "bottom", number>>;

/** Notes where the chart writes the millilitres of doses: from and to, in pixels of the page. */
const WATCH_LABELS = `window.labels = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const half = this.measureText(text).width / 2;
  if (/ ml$/.test(text)) window.labels.push([x - half, x + half].map((each) => each / devicePixelRatio));
  return write.call(this, text, x, y);
};`;

inBrowser("at 320 pixels the figure of a dose at the chart's edge stays clear of the axes", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  await rig.rig.water(20, { as: "human" });
  const page = await rig.opened(t, "human", "small", { deviceScaleFactor: 2 });
  await page.addInitScript(WATCH_LABELS);
  await page.reload();
  await goTo(page, "Story");
  await page.waitForSelector(".chart canvas");
  for (const hours of [0, 23.5]) {
    await rig.rig.pass(minutes(hours * 60)); // at the right edge, then at the left one
    await rig.rig.core.sample();
    await page.evaluate("labels.length = 0");
    await page.reload();
    await page.waitForSelector(".chart canvas");
    const { x, width } = (await page.locator(".u-over").boundingBox()) ?? { x: 0, width: 0 };
    const left = x - ((await page.locator(".u-wrap").boundingBox())?.x ?? 0);
    const labels = (await page.evaluate("labels")) as [number, number][];
    t.ok(labels.length > 0);
    for (const [from, to] of labels)
      t.ok(from >= left && to <= left + width, `${from} to ${to} in ${left} to ${left + width}`);
  }
  t.same(rig.troubles, []);
});

inBrowser("readings that are far apart are seen too, as points", async (t) => {
  const rig = await pageRig(t);
  for (let reading = 0; reading < 8; reading++) {
    await rig.rig.pass(minutes(30)); // the day's chart has five minutes to a value
    await rig.rig.core.sample();
  }
  const page = await rig.opened(t, "human", "phone");
  await goTo(page, "Story");
  await page.waitForSelector(".chart canvas");
  t.ok(Number(await page.evaluate(PIXELS_OF_SOIL)) >= 9 * 4, "a point for each reading");
  t.same(rig.troubles, []);
});

const PIXELS_OF_SOIL = `(() => {
  const canvas = document.querySelector(".chart canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const soil = [0x7a, 0x5a, 0x3a, 0xff];
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (soil.every((each, part) => data[at + part] === each)) count++;
  return count;
})()`;

run("the story in a browser");
