import type { CDPSession, Page } from "playwright-core";
import { hours } from "../../drivers/units.js";
import { browserTests, goTo, type PageRig } from "../runtime/web/page-rig.js";

/**
 * How long the page's first view takes on a slow processor, with a year of readings: `npm run build && node
 * dist/test/browser/year.js`. With AGAINST=FOLDER (another build's dist/web) both are loaded by turns. The figures are for
 * docs/performance.md; they depend on the machine, so this is no test.
 */
const { inBrowser, pageRig, run } = browserTests();

const DAYS = Number(process.env.DAYS ?? 365);
/** As Chromium's tools offer it for a cheap phone. */
const THROTTLE = 6;
const ROUNDS = Number(process.env.ROUNDS ?? 10);
/** Milliseconds. A choice: longer than a first view takes; nothing of ours runs in the page meanwhile. */
const QUIET = 3000;

/** Notes in the page itself when the first figure of a plant is drawn: a question from outside would compete with the page. */
const WATCH = `new MutationObserver((_, observer) => {
  if (!document.querySelector(".plant .value")) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.firstFigure = Math.round(performance.now()); });
}).observe(document, { childList: true, subtree: true });`;

inBrowser("a year of half-hours", async (t) => {
  const rig = await pageRig(t, { hydration: 60 });
  for (let reading = 0; reading < DAYS * 48; reading++) {
    await rig.rig.pass(hours(0.5));
    await rig.rig.core.sample();
  }
  await rig.rig.status([], { reasoning: "moist enough" }, { as: "agent" });
  const page = await rig.opened(t, "human", "phone");
  await page.addInitScript(WATCH);
  const tools = await page.context().newCDPSession(page);
  await tools.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  // of the page's own thread: a busy machine makes it no longer
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  const builds: readonly (string | undefined)[] = [undefined, process.env.AGAINST].slice(
    0,
    process.env.AGAINST ? 2 : 1,
  );
  const first = builds.map((): number[] => []);
  const work = builds.map((): number[] => []);
  const year = builds.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, pages] of builds.entries()) {
      await rig.stop();
      await rig.again(pages);
      first[at]?.push(await firstView(page, rig, round));
      work[at]?.push(await workOfPage(tools));
      year[at]?.push(await yearsChart(page));
    }
  for (const [at, figures] of first.entries())
    process.stderr.write(
      `${builds[at] ?? "this build"}\n  first view: ${told(figures)}\n  its processor time: ${told(work[at] ?? [])}\n  a year's chart: ${told(year[at] ?? [])}\n`,
    );
  t.pass();
});

const told = (figures: readonly number[]): string => {
  const sorted = figures.toSorted((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms of ${figures.join(", ")}`;
};

/** Milliseconds from the navigation to the first figure. The first load fetches the files, the second has them. */
async function firstView(page: Page, rig: PageRig, round: number): Promise<number> {
  for (const load of ["fetched", "kept"]) {
    await page.goto(`${rig.base}/?${load}${round}`);
    await page.waitForTimeout(QUIET);
  }
  return Number(await page.evaluate("window.firstFigure"));
}

/** Milliseconds of processor that the page's thread has taken since the navigation. */
async function workOfPage(tools: CDPSession): Promise<number> {
  const { metrics } = await tools.send("Performance.getMetrics");
  return Math.round(1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0));
}

async function yearsChart(page: Page): Promise<number> {
  await goTo(page, "Story");
  await page.waitForSelector(".chart canvas");
  const before = Number(await page.evaluate("performance.now()"));
  await page.getByRole("button", { name: "Year", exact: true }).click();
  await page.waitForSelector("text=Over more than a week");
  return Math.round(Number(await page.evaluate("performance.now()")) - before);
}

run("figures of the page", { timeout: 0 });
