import { hours } from "../../drivers/units.js";
import { browserTests, goTo } from "../runtime/web/page-rig.js";

/**
 * How long the page's first view takes on a slow processor, with a year of readings: `npm run build && node
 * dist/test/browser/year.js`. The figure is for docs/page.md; it depends on the machine, so it is no test.
 */
const { inBrowser, pageRig, run } = browserTests();

const DAYS = 365;
/** As Chromium's tools offer it for a cheap phone. */
const THROTTLE = 6;
const ROUNDS = 5;

/** Milliseconds since the navigation began. */
const SINCE = "Math.round(performance.now())";

inBrowser("a year of half-hours", async (t) => {
  const rig = await pageRig(t, { hydration: 60 });
  for (let reading = 0; reading < DAYS * 48; reading++) {
    await rig.rig.pass(hours(0.5));
    await rig.rig.core.sample();
  }
  await rig.rig.status([], { reasoning: "moist enough" }, { as: "agent" });
  const page = await rig.opened(t, "human", "phone");
  const tools = await page.context().newCDPSession(page);
  await tools.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  const [first, year]: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(`${rig.base}/?${round}`);
    await page.waitForSelector(".plant .value");
    first?.push(Number(await page.evaluate(SINCE)));
    await goTo(page, "Story");
    await page.waitForSelector(".chart canvas");
    const before = Number(await page.evaluate(SINCE));
    await page.getByRole("button", { name: "Year", exact: true }).click();
    await page.waitForSelector("text=Over more than a week");
    year?.push(Number(await page.evaluate(SINCE)) - before);
  }
  process.stderr.write(`first view: ${first?.join(", ")} ms\na year's chart: ${year?.join(", ")} ms\n`);
  t.pass();
});

run("figures of the page");
