import type { Page } from "playwright-core";
import { EN, type Tab } from "../../runtime/web/page/words.js";
import { browserTests, viewLoaded } from "../runtime/web/page-rig.js";

/** The page by keyboard alone, in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

/** The name of what has the focus, and whether that is to be seen. */
const FOCUS = `(() => {
  const { activeElement: on } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(on);
  const box = on.getBoundingClientRect();
  const name = on.getAttribute("aria-label") ?? on.textContent.trim();
  return { name, ring: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1, area: box.width * box.height };
})()`;

/** Presses Tab until what has that name has the focus; all names on the way. */
async function tabTo(page: Page, name: RegExp): Promise<{ way: string[]; isSeen: boolean }> {
  const way: string[] = [];
  let isSeen = true;
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("Tab");
    const on = (await page.evaluate(FOCUS)) as { name: string; ring: boolean; area: number };
    way.push(on.name);
    isSeen &&= on.ring && on.area > 0;
    if (name.test(on.name)) return { way, isSeen };
  }
  throw new Error(`Tab does not reach ${name}: ${way.join(", ")}`);
}

/** What a person comes to each view for. */
const GOALS: Readonly<Record<Tab, RegExp>> = {
  story: /Earlier/,
  photos: /^Hour of the day$/,
  chat: /^Send$/,
  lists: /^New list$/,
  house: /^Put everything on hold$/,
  now: /^Why did you not water/,
};

inBrowser("every view is reached by keyboard, and what has the focus is always to be seen", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t, "human", "desktop");
  for (const [tab, goal] of Object.entries(GOALS)) {
    const view = EN.tabs[tab as Tab];
    await page.reload();
    await page.waitForSelector(".card");
    const { isSeen } = await tabTo(page, new RegExp(`^${view}$`));
    await page.keyboard.press("Enter");
    await page.waitForSelector(`nav [aria-current=page] >> text=${view}`);
    await viewLoaded(page);
    await page.waitForSelector(tab === "story" ? ".chart canvas" : ".card");
    const there = await tabTo(page, goal);
    t.ok(isSeen && there.isSeen, `${view}: ${there.way.join(", ")}`);
  }
  t.same(rig.troubles, []);
});

inBrowser("a person stops everything, resumes and reads why, without a pointer", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t, "human", "phone");
  const { way } = await tabTo(page, /^Everything off$/);
  t.ok(way.length <= 8, `it comes early: ${way.join(", ")}`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Everything is off, and on hold");
  await tabTo(page, /^Resume all plants$/);
  await page.keyboard.press("Space");
  await page.getByText("Everything is off").waitFor({ state: "detached" });
  await tabTo(page, /^Why did you not water/);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".answer >> text=switched off on the page");
  t.same(rig.troubles, []);
});

run("the page by keyboard");
