import { hours, minutes } from "../../drivers/units.js";
import { barriers, browserTests, goTo, TABS } from "../runtime/web/page-rig.js";

/** What a person who has never seen the page looks for first: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

const FAST = "server: { calls_per_second: 100000 }";

inBrowser("why the plant was not watered yesterday: two taps from the first view", async (t) => {
  const rig = await pageRig(t, { config: `zone: Asia/Kathmandu\n${FAST}`, hydration: 45 });
  await rig.rig.status([], { reasoning: "still moist from the rain" }, { as: "agent" });
  await rig.rig.pass(hours(24));
  await rig.rig.core.sample();
  await rig.rig.status([], { reasoning: "moist enough today" }, { as: "agent" });
  const page = await rig.opened(t);
  await page.getByRole("button", { name: "Why did you not water?" }).click();
  await page.waitForSelector(".why >> text=moist enough today");
  await page.getByRole("button", { name: "Yesterday" }).click();
  await page.waitForSelector(".why >> text=still moist from the rain");
  t.equal(await page.locator(".why").getByText("moist enough today").count(), 0, "and nothing of today");
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser("the answer is brought into view on a phone, and has the focus", async (t) => {
  const rig = await pageRig(t, { config: `confirm: { dispense_water: always }\n${FAST}`, hydration: 40 });
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  for (const tab of ["Now", "Story"] as const) {
    const page = await rig.opened(t, "human", "small");
    await goTo(page, tab);
    await page.getByRole("button", { name: "Why did you not water?" }).click();
    await page.waitForSelector(".answer >> text=waits for a person's yes");
    while (!(await page.evaluate(SEEN))) await page.waitForTimeout(50); // it glides; by the test's own patience
    t.equal(await page.evaluate("document.activeElement.className"), "answer", tab);
  }
  t.same(rig.troubles, []);
});

/** Whether the answer stands between the bar above and the views below, or begins there and is longer. */
const SEEN = `(() => {
  const { top, bottom } = document.querySelector(".answer").getBoundingClientRect();
  const { bottom: bar } = document.querySelector(".top").getBoundingClientRect();
  const { top: views } = document.querySelector("nav").getBoundingClientRect();
  return top >= bar && (bottom <= views || top < bar + 60);
})()`;

inBrowser("a request is told on every view, and has the plant's picture beside its words", async (t) => {
  const rig = await pageRig(t, { config: `confirm: { dispense_water: always }\n${FAST}`, hydration: 40 });
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const page = await rig.opened(t);
  for (const tab of TABS.filter((each) => each !== "Now")) {
    await goTo(page, tab);
    await page.getByRole("link", { name: /^Waits for your yes.*20 ml/ }).waitFor();
  }
  t.same(await barriers(page), []);
  await page.getByRole("link", { name: /^Waits for your yes/ }).click();
  await page.locator(".approval img").waitFor();
  t.match(await page.textContent(".approval"), /pour 20 ml.*rather dry.*counts as a no/s);
  await page.getByRole("button", { name: "Approve" }).click();
  await goTo(page, "Story");
  await page.getByRole("link", { name: /^Waits for your yes/ }).waitFor({ state: "detached" });
  t.same(rig.troubles, []);
});

inBrowser(
  "last month as a film is what the view of photos shows first; it says how much disk photos may have",
  async (t) => {
    const rig = await pageRig(t, { config: `photos: { keep_megabytes: 1234 }\n${FAST}` });
    for (let day = 0; day < 3; day++) {
      await rig.rig.get("capture_photo", {}, { as: "agent" });
      await rig.rig.pass(hours(24));
    }
    const page = await rig.opened(t, "human", "small");
    await goTo(page, "Photos");
    await page.getByRole("button", { name: "Play as a film" }).click();
    await page.waitForSelector("text=3 photos");
    await page.waitForSelector("text=1234 MB");
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "the story has the air of the room and the photos; a tap on a cycle shows the photos around it",
  async (t) => {
    const rig = await pageRig(t, { config: `climate: [{ place: kitchen }]\n${FAST}` });
    for (let step = 0; step < 6; step++) {
      await rig.rig.pass(minutes(10));
      await rig.rig.core.sample();
    }
    await rig.rig.get("capture_photo", {}, { as: "agent" });
    await rig.rig.status([{ action: "light", value: 30 }], { reasoning: "dark" }, { as: "agent" });
    await rig.rig.pass(minutes(5));
    await rig.rig.get("capture_photo", {}, { as: "agent" });
    const page = await rig.opened(t, "observer", "desktop");
    await goTo(page, "Story");
    await page.waitForSelector(".chart canvas");
    t.match(await page.textContent(".key"), /air, °C.*photo/s);
    await page.getByRole("button", { name: /^.*Care cycle: planned 30 min of light/ }).click();
    await page.locator(".reasons img").nth(1).waitFor();
    await page.getByText("Table of the chart").click();
    t.match(await page.textContent("thead"), /air, °C/);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.waitForSelector("text=Over more than a week");
    t.same(rig.troubles, []);
  },
);

run("what a person looks for first");
