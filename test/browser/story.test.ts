import { barriers, browserTests, goTo } from "../runtime/web/page-rig.js";

/** The story in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

inBrowser("a refused dose is listed with why, and faults, holds and their ends have marks", async (t) => {
  const rig = await pageRig(t, { hydration: 40 });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
  await rig.rig.get("set_hold", { hold: false, reason: "back" }, { as: "human" });
  const page = await rig.opened(t, "human", "desktop");
  await goTo(page, "Story");
  await page.getByRole("button", { name: "20 ml refused · by agent" }).click();
  await page.waitForSelector(".reasons >> text=NO_CYCLE");
  t.match(await page.textContent(".key"), /refused.*on hold.*ended/s);
  await page.getByRole("button", { name: "Why did you not water?" }).click();
  t.match(await page.textContent(".why"), /1 dose was refused/);
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

run("the story in a browser");
