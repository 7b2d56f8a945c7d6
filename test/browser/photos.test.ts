import { hours } from "../../drivers/units.js";
import { barriers, browserTests, goTo } from "../runtime/web/page-rig.js";

/** The photos in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

inBrowser(
  "the last month plays as a film of one photo a day, and two photos stand side by side",
  async (t) => {
    const rig = await pageRig(t);
    for (let day = 0; day < 3; day++) {
      for (const pause of [4, 20]) {
        await rig.rig.get("capture_photo", {}, { as: "agent" });
        await rig.rig.pass(hours(pause));
      }
    }
    const page = await rig.opened(t, "human", "desktop");
    await goTo(page, "Photos");
    await page.waitForSelector("text=3 photos: one of each day");
    t.equal(await page.locator(".strip img").count(), 3);
    await page.waitForSelector("text=1 Jun – 3 Jun");
    t.match(await page.textContent(".screen"), /3 Jun, 12:0/, "the photo near noon, not that of the morning");
    await page.getByRole("button", { name: "Play as a film" }).click();
    await page.waitForSelector(".screen >> text=1 Jun");
    await page.waitForSelector(".screen >> text=3 Jun");
    await page.getByRole("button", { name: "Play as a film" }).waitFor();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    t.match(await page.textContent(".screen"), /1 Jun.*3 Jun/s, "the oldest beside the newest");
    await page.locator(".strip button").nth(1).click();
    t.match(await page.textContent(".screen"), /1 Jun.*2 Jun/s);
    t.same(await barriers(page), [], "also their dates are seen");
    await page.setViewportSize({ width: 390, height: 844 });
    t.same(await barriers(page), [], "on a phone too");
    t.same(rig.troubles, []);
  },
);

inBrowser("the first day of a house is a film already, by the hour", async (t) => {
  const rig = await pageRig(t);
  for (let hour = 0; hour < 4; hour++) {
    await rig.rig.get("capture_photo", {}, { as: "agent" });
    await rig.rig.pass(hours(1));
  }
  const page = await rig.opened(t, "human", "desktop");
  await goTo(page, "Photos");
  await page.waitForSelector("text=4 photos of one day");
  const labels = await page.locator(".strip span").allTextContents();
  t.equal(new Set(labels).size, 4);
  for (const label of labels) t.match(label, /^\d{1,2}:\d\d$/);
  await page.getByRole("button", { name: "Play as a film" }).click();
  await page.waitForSelector(`.screen >> text=${labels[0]}`);
  await page.waitForSelector(`.screen >> text=${labels[3]}`);
  t.same(rig.troubles, []);
});

inBrowser("a dose in the story shows the photo before and after it", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  await rig.rig.pass(hours(0.1));
  await rig.rig.water(20, { as: "human" });
  await rig.rig.pass(hours(0.1));
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  const page = await rig.opened(t, "human", "desktop");
  await goTo(page, "Story");
  await page.getByRole("button", { name: "20 ml of water" }).click();
  await page.waitForSelector(".reasons figcaption >> text=Before");
  t.equal(await page.locator(".reasons img").count(), 2);
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

run("the photos in a browser");
