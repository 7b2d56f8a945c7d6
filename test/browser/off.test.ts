import { barriers, browserTests, goTo } from "../runtime/web/page-rig.js";

/** *Everything off* in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

inBrowser("the note about the hold covers nothing, and goes when the hold is lifted anywhere", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t, "human", "small");
  const note = page.getByText("Everything is off, and on hold");
  for (const lift of [
    async () => {
      await goTo(page, "House");
      await page.locator("main").getByRole("button", { name: "Resume all plants" }).click();
    },
    () => note.locator("..").getByRole("button", { name: "Resume all plants" }).click(),
    () => rig.rig.get("set_hold", { hold: false }, { as: "human" }),
  ]) {
    await page.getByRole("button", { name: "Everything off" }).click();
    await note.waitFor();
    t.equal(await page.evaluate(COVERED), false, "what is below it begins below it");
    t.same(await barriers(page), []);
    await goTo(page, "House");
    t.ok(await note.isVisible(), "on every view");
    await goTo(page, "Now");
    await page.waitForSelector(".plant");
    t.equal(await page.getByText(/until a person resumes/).count(), 1, "told once");
    await lift();
    await note.waitFor({ state: "detached" });
  }
  await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
  await page.waitForSelector("text=by a person: holiday");
  t.equal(await note.count(), 0, "another hold is not of this press");
  t.same(rig.troubles, []);
});

const COVERED = `document.querySelector(".off-note").getBoundingClientRect().bottom >
  document.querySelector("main").getBoundingClientRect().top`;

run("everything off in a browser");
