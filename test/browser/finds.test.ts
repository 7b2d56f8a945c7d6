import { hours, minutes } from "../../drivers/units.js";
import { barriers, becomes, browserTests, goTo } from "../runtime/web/page-rig.js";

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

inBrowser("the question why there was no water keeps its place when there was some", async (t) => {
  const rig = await pageRig(t, { config: FAST, hydration: 40 });
  const page = await rig.opened(t);
  const questions = () => page.locator(".why button").allTextContents();
  t.same(await questions(), ["Why did you not water?"]);
  await rig.rig.water(20, { as: "human" });
  await page.getByRole("button", { name: "Why did you water?" }).waitFor();
  t.same(await questions(), ["Why did you not water?", "Why did you water?"]);
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
    await becomes(page, SEEN); // it glides
    await becomes(page, "document.activeElement.className === 'answer'");
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

inBrowser("a request has the plant's picture beside its words; another view leads to it", async (t) => {
  const rig = await pageRig(t, { config: `confirm: { dispense_water: always }\n${FAST}`, hydration: 40 });
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry" }, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const page = await rig.opened(t);
  await goTo(page, "Story");
  await page.getByRole("link", { name: /^Waits for your yes.*20 ml/ }).waitFor();
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

inBrowser(
  "while a request waits, the question why there was no water is seen without scrolling",
  async (t) => {
    const rig = await pageRig(t, { config: `confirm: { dispense_water: always }\n${FAST}`, hydration: 40 });
    await rig.rig.get("capture_photo", {}, { as: "agent" });
    const reasoning =
      "the soil has dried fast since this morning, and the leaves begin to hang a little on one side";
    await rig.rig.status([{ action: "water", value: 20 }], { reasoning }, { as: "agent" });
    await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
    const page = await rig.opened(t, "human", "usual");
    await page.locator(".approval img").waitFor();
    const question = page.getByRole("button", { name: "Why did you not water?" });
    const { y = 0, height = 0 } = (await question.boundingBox()) ?? {};
    const nav = await page.locator("nav").boundingBox();
    t.ok(y > 0 && y + height < (nav?.y ?? 0), `${y + height} of ${nav?.y}`);
    await question.click();
    await page.waitForSelector(".answer >> text=waits for a person's yes");
    t.same(await barriers(page), []);
    await page.getByRole("button", { name: "Refuse" }).click();
    await page.locator(".plant img").waitFor();
    t.ok(await page.locator(".answer").isVisible(), "the answer stays where the question has moved");
    t.same(rig.troubles, []);
  },
);

inBrowser("a request that ends elsewhere, or with everything off, says so", async (t) => {
  const rig = await pageRig(t, { config: `confirm: { dispense_water: always }\n${FAST}`, hydration: 40 });
  const ask = async (ml: number) => {
    await rig.rig.status([{ action: "water", value: ml }], { reasoning: "rather dry" }, { as: "agent" });
    await rig.rig.refused("dispense_water", { ml }, { as: "agent" });
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const { approvals } = await rig.rig.get("list_approvals", {}, { as: "human" });
    return (approvals as { id: string }[])[0]?.id;
  };
  const page = await rig.opened(t);
  const id = await ask(20);
  await rig.rig.get("answer_approval", { id, approve: false }, { as: "human" });
  await page.waitForSelector("text=/No longer asked: pour 20 ml.*The answer was no/");
  await rig.rig.pass(minutes(31));
  await rig.rig.core.sample();
  await ask(15);
  await page.getByRole("button", { name: "Everything off" }).click();
  await page.waitForSelector("text=/on hold until a person resumes. What waited for a yes is refused/");
  await page.waitForSelector(
    "text=/No longer asked: pour 15 ml.*Everything was switched off: that counted as a no/",
  );
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser(
  "a leak and a fault are told away from the plants too, and what to do by the page's own buttons",
  async (t) => {
    const config = `inputs: [{ kind: leak, name: tray, gpio: 6 }]\n${FAST}`;
    const rig = await pageRig(t, { config });
    const wet = async (isWet: boolean) => {
      rig.rig.bench.setInput("tray", isWet);
      await rig.rig.core.settled();
    };
    await wet(true);
    const page = await rig.opened(t);
    await goTo(page, "Chat");
    const told = await page.textContent(".alerts");
    t.match(told, /^Leak sensor “tray” is wet: .* · Basil: No more water: a leak sensor reported water/);
    await page.waitForSelector("text=clear the fault with: “I have checked it: clear” (Now)");
    await goTo(page, "House");
    await page.waitForSelector(".card >> text=Leak sensor “tray” is wet");
    t.equal(await page.getByText("Nothing is wrong").count(), 0);
    t.equal(await page.getByText("No more water: a leak sensor reported water").count(), 1, "told once");
    t.notMatch(await page.textContent("main .card"), /tendril/);
    t.match(await page.textContent(".trouble-of"), /the leak sensor "tray" is wet \(locked since 08:00\)/);
    t.notMatch(await page.textContent(".trouble-of"), /was wet|faulty/);
    await page.getByRole("button", { name: "I have checked it: clear" }).click();
    const refused = page.locator(".trouble-of .trouble");
    t.match(await refused.textContent(), /^Leak sensor “tray” is wet: find the leak/, "it names the sensor");
    t.same(await barriers(page), []);
    await wet(false);
    await page.getByText("Leak sensor “tray” is wet").first().waitFor({ state: "detached" });
    t.equal(await refused.count(), 0, "what was said of the wet sensor is over");
    t.match(await page.textContent(".trouble-of"), /the leak sensor "tray" was wet \(locked since 08:00\)/);
    t.notMatch(await page.textContent(".trouble-of"), /is wet/);
    await goTo(page, "Photos");
    await page.waitForSelector(".alerts >> text=/^Basil: No more water/");
    await page.getByRole("link", { name: "See Now" }).click();
    await page.getByRole("button", { name: "I have checked it: clear" }).click();
    await page.getByText("No more water").waitFor({ state: "detached" });
    t.same(rig.troubles, []);
  },
);

inBrowser("the language is chosen on the page, and kept in the browser", async (t) => {
  const config = `people: [{ id: anna, language: es, tokens: [human.anna] }]\n${FAST}`;
  const rig = await pageRig(t, { config, peopleToo: true });
  const page = await rig.opened(t, await rig.person("anna"), "small");
  const choice = page.locator("footer select");
  const seen = (word: string) => page.locator("nav").getByText(word, { exact: true }).waitFor();
  await seen("Ahora");
  t.equal(await choice.inputValue(), "");
  await choice.selectOption("Deutsch");
  await seen("Jetzt");
  await page.reload();
  await seen("Jetzt");
  t.equal(await choice.inputValue(), "de");
  await becomes(page, "document.documentElement.lang === 'de'");
  t.same(await barriers(page), []);
  await choice.selectOption("Sprache: automatisch");
  await seen("Ahora");
  t.same(rig.troubles, []);
});

inBrowser("at night the card has the last photo by day, and says that it is dark now", async (t) => {
  const rig = await pageRig(t, { start: "2026-06-01T12:00:00Z", config: FAST });
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  await rig.rig.pass(hours(13));
  await rig.rig.core.sample();
  await rig.rig.get("capture_photo", {}, { as: "agent" });
  const { photos } = await rig.rig.get("get_recent_photos", { n: 1 });
  t.match(photos, [{ dark: true }], "a night photo");
  const page = await rig.opened(t);
  await page.locator(".plant img").waitFor();
  t.match(await page.textContent(".plant figcaption"), /dark at 2 Jun, 01:00|dark at 01:00/);
  t.match(await page.textContent(".plant figcaption"), /by day: *13 h ago/);
  t.match(await page.getAttribute(".plant img", "src"), /2026-06-01T12/);
  await goTo(page, "Photos");
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser("a refusal is told in the reader's language alone: of a dose, of a plan, of a time", async (t) => {
  const rig = await pageRig(t, { hydration: 40, config: FAST });
  await rig.rig.status([{ action: "water", value: 10 }], { reasoning: "trocken" }, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const page = await rig.opened(t, "human", "phone", { locale: "de-DE" });
  await page.getByRole("button", { name: "Warum hast du nicht gegossen?" }).click();
  await page.waitForSelector(".answer >> text=Es war mehr als geplant");
  t.equal(await page.locator(".answer [lang=en]").count(), 0);
  await rig.rig.get("write_plant_status", { ...(await wrong(rig)) }, { as: "agent" });
  await page.waitForSelector(".plant .warn >> text=/abgelehnt: .*Er zählt 999 ml Wasser in 24 Stunden/");
  t.equal(await page.locator(".plant [lang=en]").count(), 0);
  await page.evaluate("location.hash = 'lists'");
  await page.getByLabel("Neue Aufgabe").fill("gießen");
  await page.getByLabel("Wann").fill("yesterday");
  await page.getByLabel("Wann").press("Enter");
  await page.waitForSelector(".understood >> text=Diese Zeit ist schon vorbei");
  await page.getByLabel("Wann").fill("on the 45th of nowhere");
  await page.getByLabel("Wann").press("Enter");
  await page.waitForSelector(".understood >> text=Diese Zeit wurde nicht verstanden. Schreiben Sie sie");
  t.equal(await page.locator(".understood [lang=en]").count(), 0);
  t.same(rig.troubles, []);
});

/** A status whose figures are wrong. */
const wrong = async ({ rig }: Awaited<ReturnType<typeof pageRig>>) => ({
  ...{ timestamp: (await rig.get("get_current_time")).timestamp, plant_state: "healthy" },
  ...{ sensor_reading: 1, water_24h: 999, light_today: 10, reasoning: "geraten", next_action_sequence: [] },
});

run("what a person looks for first");
