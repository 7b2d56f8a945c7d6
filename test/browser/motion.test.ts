import type { Page } from "playwright-core";
import { hours } from "../../drivers/units.js";
import { browserTests, goTo, unfold } from "../runtime/web/page-rig.js";

/** Motion, in a real browser, for who does not want any: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

/** Notes every animation and transition that begins, and how the page scrolls. */
const WATCH = `window.moved = [];
for (const kind of ["animationstart", "transitionrun"])
  addEventListener(kind, ({ target, propertyName = "" }) => window.moved.push(kind + " " + target.className + " " + propertyName), true);
const reveal = Element.prototype.scrollIntoView;
Element.prototype.scrollIntoView = function (how) {
  if (how?.behavior === "smooth") window.moved.push("glides to " + this.className);
  return reveal.call(this, how);
};`;

const moved = async (page: Page) => (await page.evaluate("window.moved")) as string[];
/** Those that run at this moment. */
const running = (page: Page) => page.evaluate("document.getAnimations().length");

for (const reducedMotion of ["reduce", "no-preference"] as const)
  inBrowser(`nothing moves by itself where a person wants no motion: ${reducedMotion}`, async (t) => {
    const isStill = reducedMotion === "reduce";
    const rig = await pageRig(t, { hydration: 60 });
    for (let day = 0; day < 3; day++) {
      await rig.rig.get("capture_photo", {}, { as: "agent" });
      await rig.rig.status([], { reasoning: "moist enough" }, { as: "agent" });
      await rig.rig.pass(hours(24));
    }
    await rig.rig.core.sample();
    const page = await rig.page(t, "phone", { reducedMotion });
    await page.addInitScript(WATCH);
    await page.goto(await rig.link());
    await page.waitForSelector(".plant .value");
    const before = await page.textContent(".plant .value");
    await rig.rig.pass(hours(48));
    await rig.rig.core.sample(); // the gauge shrinks
    await page
      .locator(".plant .value")
      .first()
      .filter({ hasNotText: before ?? "" })
      .waitFor();
    await page.getByRole("button", { name: "Why did you not water?" }).click();
    await page.waitForSelector(".answer");
    for (const tab of ["Story", "Chat", "Lists", "House"] as const) {
      await goTo(page, tab);
      await page.waitForSelector(tab === "Story" ? ".chart canvas" : ".card");
      if (tab === "House") await unfold(page, "Tokens");
      if (isStill) t.equal(await running(page), 0, tab);
    }
    await goTo(page, "Photos");
    const frame = page.locator(".screen figcaption");
    await frame.waitFor();
    const first = await frame.textContent();
    await page.waitForTimeout(2500); // longer than a picture of a film of three
    t.equal(await frame.textContent(), first, "the film waits until it is asked for");
    await page.getByRole("button", { name: "Play as a film" }).click();
    await frame.filter({ hasNotText: first ?? "" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    if (isStill) t.same(await moved(page), []);
    else
      t.match(
        (await moved(page)).join(),
        /transitionrun gauge-fill width.*glides to answer/s,
        "elsewhere it moves",
      );
    t.same(rig.troubles, []);
  });

run("motion of the page");
