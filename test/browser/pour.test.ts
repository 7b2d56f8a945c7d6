import type { Page } from "playwright-core";
import { minutes, seconds } from "../../drivers/units.js";
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
  const lost = page.getByText("The answer about 15 ml got lost.");
  await lost.waitFor();
  await flow(page, rig);
  await page.locator(".lost").waitFor({ state: "detached" });
  t.equal(await page.getByText("There is no connection").count(), 0, "nor before, where its note stands");
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

inBrowser("a dose that was cut off with the runtime is told as it counts", async (t) => {
  const rig = await pageRig(t, { config: FAST, hydration: 40 });
  const page = await rig.page(t);
  const error = { code: "OUTCOME_UNKNOWN", message: "the first dispense_water was interrupted" };
  await page.routeWebSocket(/mcp/, (socket) => {
    const runtime = socket.connectToServer();
    socket.onMessage((message) => {
      const { id, params } = JSON.parse(String(message)) as { id: number; params?: { name?: string } };
      if (params?.name !== "dispense_water") return runtime.send(message);
      const content = [{ type: "text", text: JSON.stringify({ error }) }];
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: { isError: true, content } }));
    });
  });
  await page.goto(await rig.link());
  await page.getByRole("button", { name: "Water: Basil" }).click();
  await page.getByRole("button", { name: "Pour 15 ml now" }).click();
  await page.waitForSelector(".pour >> text=It is not known how much flowed: it counts in full.");
  t.equal(await page.getByText("got lost").count(), 0);
  t.same(rig.troubles, []);
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
  await page.getByRole("button", { name: "Pour 15 ml all the same" }).click();
  await flow(page, rig);
  await page.getByText("15 ml poured").waitFor();
  t.same(rig.troubles, []);
});

inBrowser("the question about wet soil follows the reading, and goes once the soil is not wet", async (t) => {
  const config = `plants: [{ id: basil, name: Basil, water: { not_above: 50 } }]\n${FAST}`;
  const rig = await pageRig(t, { config, hydration: 80 });
  const page = await rig.opened(t, "human", "usual");
  await page.getByRole("button", { name: "Water: Basil" }).click();
  await page.getByRole("button", { name: "Pour 15 ml now" }).click();
  const question = page.getByText(/The soil reads .*Feel the soil/);
  await question.waitFor();
  const before = await question.textContent();
  await dry(rig, 55);
  while ((await question.textContent()) === before) await page.waitForTimeout(50);
  const { plants } = await rig.rig.get("get_overview");
  const [{ moisture }] = plants as [{ moisture: { percent: number } }];
  t.match(await question.textContent(), `reads ${moisture.percent.toFixed(1)} %`);
  await dry(rig, 45);
  await question.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Pour 15 ml now" }).waitFor();
  t.same(rig.troubles, []);
});

/** Lets the soil dry until its probe reads less than so many percent. */
async function dry({ rig }: PageRig, below: number): Promise<void> {
  for (;;) {
    await rig.core.sample();
    const { percent } = await rig.get("read_moisture");
    if (Number(percent) < below) return;
    await rig.pass(minutes(30));
  }
}

/** Two doses that the soil does not answer: the next one has to wait for it. */
async function awaitSoil({ rig }: PageRig): Promise<void> {
  rig.bench.faults("basil").pump = "tube off";
  await rig.passSampling(minutes(20));
  for (const ml of [25, 25]) await rig.during("dispense_water", { ml }, { as: "human" });
}

inBrowser("a refusal of a dose goes after a minute", async (t) => {
  const rig = await pageRig(t, { config: FAST, hydration: 40 });
  await awaitSoil(rig);
  const page = await rig.page(t, "usual");
  await page.clock.install();
  await page.goto(await rig.link());
  await page.getByRole("button", { name: "Water: Basil" }).click();
  await page.getByRole("button", { name: "Pour 15 ml now" }).click();
  await page.waitForSelector(".pour .trouble");
  await page.clock.runFor(59_000);
  t.equal(await page.locator(".pour .trouble").count(), 1);
  await page.clock.runFor(2000);
  await page.locator(".pour .trouble").waitFor({ state: "detached" });
});

inBrowser(
  "no dose is offered that is more than what is left of the day: how much that is, and when it is more, stands there",
  async (t) => {
    const rig = await pageRig(t, { config: `${FAST}\nwater: { daily_limit_ml: 44 }`, hydration: 40 });
    const page = await rig.opened(t, "human", "usual");
    const open = page.getByRole("button", { name: "Water: Basil" });
    const pour = page.locator(".pour");
    const offered = async () => (await pour.locator(".ranges button").allTextContents()).join();
    await open.click();
    t.equal(await offered(), "10 ml,15 ml,20 ml,25 ml");
    t.equal(await pour.getByText("ml left").count(), 0);
    await rig.rig.during("dispense_water", { ml: 25 }, { as: "human" });
    await pour.getByText(/^19 of 44 ml left\. \+25 ml from \d/).waitFor();
    t.equal(await offered(), "10 ml,15 ml");
    await page.getByRole("button", { name: "Pour 15 ml now" }).click();
    await pour.getByText("pouring now…").waitFor();
    t.equal(await offered(), "10 ml,15 ml", "nothing moves under the finger");
    await flow(page, rig);
    await page.getByText("15 ml poured. 4 ml are left for 24 hours.").waitFor();
    await open.click();
    await pour.getByText(/^4 of 44 ml left\. \+25 ml from \d/).waitFor();
    t.equal(await pour.getByRole("button").count(), 0, "nothing is offered");
    t.same(await barriers(page), []);
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "water that the soil does not answer is told in the reader's language, with what to look at",
  async (t) => {
    const rig = await pageRig(t, { config: FAST, hydration: 40 });
    rig.rig.bench.faults("basil").pump = "tube off";
    await rig.rig.passSampling(minutes(20));
    await rig.rig.during("dispense_water", { ml: 20 }, { as: "human" });
    await rig.rig.passSampling(minutes(16));
    for (const [locale, words] of [
      [
        "de-DE",
        "Basil: Der Boden hat auf 20 ml in 15 min nicht reagiert: prüfen Sie Schlauch, Tank und Fühler.",
      ],
      ["es-ES", "Basil: La tierra no reaccionó a 20 ml en 15 min: mire el tubo, el depósito y la sonda."],
      ["pt-PT", "Basil: A terra não reagiu a 20 ml em 15 min: veja o tubo, o depósito e a sonda."],
      [
        "en-GB",
        "Basil: The soil did not react to 20 ml in 15 min: look at the tube, the tank and the probe.",
      ],
    ] as const) {
      const page = await rig.opened(t, "human", "usual", { locale });
      await page.evaluate("location.hash = 'chat'");
      await page.getByText(words, { exact: true }).waitFor();
    }
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "on hold, locked or without a probe nothing is offered to pour: a line says why, with the button that ends it",
  async (t) => {
    const config = `inputs: [{ kind: leak, name: tray, gpio: 6 }, { kind: stop, name: red, gpio: 5 }]\n${FAST}`;
    const rig = await pageRig(t, { config, hydration: 40 });
    const page = await rig.opened(t, "human", "usual");
    const { bench, core } = rig.rig;
    const set = async (input: string, isActive: boolean) => {
      bench.setInput(input, isActive);
      await core.settled();
    };
    await page.getByRole("button", { name: "Water: Basil" }).click();
    const offered = page.getByRole("button", { name: /^Pour/ });
    const says = async (text: string) => {
      await page.locator(".pour").getByText(text).waitFor();
      t.equal(await offered.count(), 0, text);
    };
    const press = (button: string) => page.locator(".pour").getByRole("button", { name: button }).click();
    await offered.waitFor();
    await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
    await says("On hold. Nothing is switched on until a person resumes.");
    t.same(await barriers(page), []);
    await press("Resume");
    await offered.waitFor();
    await set("red", true);
    await says("Stop button “red” is pressed: release it, then resume.");
    await set("red", false);
    await press("Resume");
    await offered.waitFor();
    await set("tray", true);
    await says("a leak sensor reported water. Find the leak and dry the sensor, then clear.");
    await set("tray", false);
    await press("I have checked it: clear");
    await offered.waitFor();
    bench.faults("basil").probe = "unplugged";
    await core.sample();
    await says("The moisture probe is faulty. Without the probe no water flows");
    t.notMatch(await page.textContent(".plant"), /LEAK|PROBE_|a person has to/);
    delete bench.faults("basil").probe;
    await core.sample();
    await offered.waitFor();
    t.same(rig.troubles, []);
  },
);

inBrowser("a dose without an answer is told only to the person who asked for it", async (t) => {
  const rig = await pageRig(t, {
    config: `people: [{ id: anna, tokens: [human.anna] }]\n${FAST}`,
    hydration: 40,
  });
  const proxy = new TcpProxy(rig.port);
  const base = `http://127.0.0.1:${await proxy.listen()}`;
  t.teardown(() => proxy.close());
  const page = await rig.page(t);
  const open = page.getByRole("button", { name: "Water: Basil" });
  const lost = page.getByText("The answer about 15 ml got lost.");
  const anna = await rig.person("anna");
  await page.goto(await rig.link("human", base));
  await open.click();
  await page.getByRole("button", { name: "Pour 15 ml now" }).click();
  while (!(await isPouring(rig))) await page.waitForTimeout(20);
  proxy.cut();
  await lost.waitFor();
  await flow(page, rig);
  for (const [token, count] of [
    [anna, 0],
    ["human", 1],
  ] as const) {
    await page.goto("about:blank");
    await page.goto(await rig.link(token, base));
    await open.click();
    await page.locator(".pour").waitFor();
    t.equal(await lost.count(), count, token);
  }
});

inBrowser(
  "what refuses a dose is told in the reader's language, with what to do, and nothing flows",
  async (t) => {
    const rig = await pageRig(t, { config: FAST, hydration: 40 });
    await awaitSoil(rig);
    const page = await rig.opened(t, "human", "usual", { locale: "es-ES" });
    await page.getByRole("button", { name: "Regar: basil" }).click();
    const now = page.getByRole("button", { name: "Regar 15 ml ahora" });
    await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
    await page.waitForSelector(".pour >> text=En pausa. Nada se enciende hasta que una persona reanude.");
    await rig.rig.get("set_hold", { hold: false }, { as: "human" });
    await now.click();
    await page.waitForSelector(
      ".pour >> text=La sonda aún no muestra la última dosis: espere un minuto o dos",
    );
    t.equal(await page.locator(".pour [lang=en]").count(), 0);
    t.equal((await doses(rig)).length, 2);
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
  await page.waitForSelector(".pour >> text=It was stopped before its end. “Story” says how much flowed.");
  await page.waitForSelector(".pour >> text=On hold. Nothing is switched on");
  t.match(await doses(rig), [{ by: "human" }]);
  t.same(rig.troubles, []);
});

run("a person's dose in a browser");
