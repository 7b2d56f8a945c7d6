import type { Page } from "playwright-core";
import { seconds } from "../../drivers/units.js";
import { barriers, browserTests, goTo, type PageRig } from "../runtime/web/page-rig.js";
import { TcpProxy } from "../tcp-proxy.js";

/** A person's dose on the page, in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

const FAST = "server: { calls_per_second: 100000 }";

async function isPouring({ rig }: PageRig): Promise<boolean> {
  const { plants } = await rig.get("get_overview");
  const [plant] = plants as [{ water: { pouring: boolean } }];
  return plant.water.pouring;
}

/** Waits until the pump is at work, then lets it finish. */
async function flow(page: Page, rig: PageRig): Promise<void> {
  while (!(await isPouring(rig))) await page.waitForTimeout(20);
  while (await isPouring(rig)) await rig.rig.pass(seconds(1));
}

const doses = async ({ rig }: PageRig) => {
  const of = { hours: 24, samples_per_hour: 400, aggregation: "first" };
  return (await rig.get("get_water_history", of)).items as { ml_dispensed: number; by: string }[];
};

inBrowser(
  "a person waters: how much, a yes, and the answer in words; a screen that shows only cannot",
  async (t) => {
    const rig = await pageRig(t, { config: FAST, hydration: 40 });
    const page = await rig.opened(t, "human", "usual");
    await page.getByRole("button", { name: "Water: Basil" }).click();
    t.same(await barriers(page), []);
    t.same(await doses(rig), [], "nothing flows before the yes");
    await page.getByRole("button", { name: "20 ml", exact: true }).click();
    await page.getByRole("button", { name: "Pour 20 ml now" }).click();
    await page.waitForSelector(".pour >> text=pouring now…");
    await flow(page, rig);
    await page.getByText("20 ml poured. 480 ml are left for 24 hours.").waitFor();
    t.match(await doses(rig), [{ ml_dispensed: 20, by: "human" }]);
    t.equal(await page.getByRole("button", { name: /^Pour/ }).count(), 0, "another dose is another wish");
    t.same(await barriers(page), []);
    await goTo(page, "Story");
    await page.getByRole("button", { name: /20 ml of water · by a person/ }).waitFor();
    const wall = await rig.opened(t, "observer");
    await wall.waitForSelector(".plant");
    t.equal(await wall.getByRole("button", { name: /^Water/ }).count(), 0);
    t.same(rig.troubles, []);
  },
);

inBrowser("pressed twice it is one dose, also where the answer was lost on its way", async (t) => {
  const rig = await pageRig(t, { config: FAST, hydration: 40 });
  const proxy = new TcpProxy(rig.port);
  const base = `http://127.0.0.1:${await proxy.listen()}`;
  t.teardown(() => proxy.close());
  const page = await rig.page(t);
  await page.goto(await rig.link("human", base));
  const open = page.getByRole("button", { name: "Water: Basil" });
  await open.click();
  const pour = page.getByRole("button", { name: "Pour 15 ml now" });
  await pour.evaluate((button) => {
    for (const _ of [1, 2]) (button as unknown as { click(): void }).click();
  });
  while (!(await isPouring(rig))) await page.waitForTimeout(20);
  proxy.cut();
  await page.waitForSelector(".pour >> text=There is no connection to the runtime");
  await flow(page, rig);
  await page.locator(".lost").waitFor({ state: "detached" });
  const lost = page.getByText("The answer about 15 ml got lost.");
  for (const again of [
    () => open.click().then(() => open.click()),
    () => page.reload().then(() => open.click()),
  ]) {
    await again();
    await lost.waitFor();
    t.equal(
      await page.getByRole("button", { name: "25 ml", exact: true }).count(),
      0,
      "no other dose meanwhile",
    );
  }
  await pour.click();
  await page.getByText("15 ml poured. 485 ml are left").waitFor();
  t.equal((await doses(rig)).length, 1);
  await open.click();
  await page.getByRole("button", { name: "25 ml", exact: true }).waitFor();
  t.equal(await lost.count(), 0, "the next dose is another wish");
});

inBrowser("wet soil is poured onto only after one more question", async (t) => {
  const config = `plants: [{ id: basil, name: Basil, water: { not_above: 10 } }]\n${FAST}`;
  const rig = await pageRig(t, { config, hydration: 60 });
  const page = await rig.opened(t, "human", "usual");
  await page.getByRole("button", { name: "Water: Basil" }).click();
  const now = page.getByRole("button", { name: "Pour 15 ml now" });
  await now.click();
  await page.waitForSelector(".pour >> text=/Above 10.0 % no water flows. Feel the soil/");
  t.same(await doses(rig), []);
  t.same(await barriers(page), []);
  await page.getByRole("button", { name: "No water" }).click();
  await now.click();
  await page.getByRole("button", { name: "Pour all the same" }).click();
  await flow(page, rig);
  await page.getByText("15 ml poured").waitFor();
  t.same(rig.troubles, []);
});

inBrowser(
  "what refuses a dose is told in the reader's language, with what to do, and nothing flows",
  async (t) => {
    const rig = await pageRig(t, { config: `${FAST}\nwater: { daily_limit_ml: 20 }`, hydration: 40 });
    const page = await rig.opened(t, "human", "usual", { locale: "es-ES" });
    await page.getByRole("button", { name: "Regar: basil" }).click();
    const now = page.getByRole("button", { name: "Regar 15 ml ahora" });
    await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
    await now.click();
    await page.waitForSelector(".pour >> text=Está en pausa hasta que alguien reanude");
    await rig.rig.get("set_hold", { hold: false }, { as: "human" });
    await now.click();
    await flow(page, rig);
    await page.getByRole("button", { name: "Regar: basil" }).click();
    await now.click();
    await page.waitForSelector(
      ".pour >> text=Queda muy poco de la cantidad de 24 horas: pida menos o espere",
    );
    t.equal(await page.locator(".pour [lang=en]").count(), 0);
    t.equal((await doses(rig)).length, 1);
    t.same(rig.troubles, []);
  },
);

inBrowser("everything off stops the dose, and says so", async (t) => {
  const rig = await pageRig(t, { config: FAST, hydration: 40 });
  const page = await rig.opened(t, "human", "usual");
  await page.getByRole("button", { name: "Water: Basil" }).click();
  await page.getByRole("button", { name: "Pour 15 ml now" }).click();
  while (!(await isPouring(rig))) await page.waitForTimeout(20);
  await page.getByRole("button", { name: "Everything off" }).click();
  await page.waitForSelector("text=Everything is off, and on hold");
  await page.waitForSelector(".pour >> text=/was stopped after/");
  t.match(await doses(rig), [{ by: "human" }]);
  t.same(rig.troubles, []);
});

run("a person's dose in a browser");
