import { LANGUAGES } from "../../runtime/web/page/languages.js";
import { barriers, browserTests, goTo, TABS } from "../runtime/web/page-rig.js";

/** What holds for every view, in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

inBrowser(
  "every view draws for a human and an observer, on a phone and a desktop, without an error or a barrier",
  async (t) => {
    const rig = await pageRig(t);
    await rig.rig.get("list_tool", { operation: "add_item", list_name: "Shopping", item_text: "soil" });
    await rig.rig.get("capture_photo", {}, { as: "agent" });
    await rig.rig.status([], { reasoning: "moist enough" }, { as: "agent" });
    await rig.rig.get("send_chat_message", { text: "How are you?" }, { as: "human" });
    for (const [token, size, scheme] of [
      ["human", "phone", "light"],
      ["human", "desktop", "dark"],
      ["observer", "small", "dark"],
      ["observer", "desktop", "light"],
    ] as const) {
      const page = await rig.opened(t, token, size, { colorScheme: scheme });
      for (const tab of TABS.filter((each) => each !== "Chat" || token === "human")) {
        await goTo(page, tab);
        await page.waitForSelector(".card");
        const changes = page.getByRole("button", { name: /^(Add|Done|Approve|Hold|Resume)$/ });
        if (token === "observer") t.equal(await changes.count(), 0, `${tab}: nothing that it may not do`);
        t.ok(await page.getByRole("button", { name: "Everything off" }).isVisible(), `${tab}: off`);
        const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        t.same(await barriers(page), [], `${token} ${size} ${tab}`);
        t.ok(Number(wide) <= 0, `${token} ${size} ${tab} is ${wide} pixels too wide`);
      }
    }
    t.same(rig.troubles, []);
  },
);

inBrowser("each view's name stands in one line inside the window, in each language", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t, "human", "small");
  for (const [language] of LANGUAGES) {
    await page.locator("footer select").selectOption(language);
    await page.locator(`html[lang^=${language}]`).waitFor();
    for (const width of [320, 768]) {
      await page.setViewportSize({ width, height: 800 });
      t.same(await page.evaluate(MISPLACED), [], `${language}, ${width} pixels`);
    }
  }
  t.same(rig.troubles, []);
});

/** The views, and Everything off, whose words are broken, or stand outside of the window. */
const MISPLACED = `[...document.querySelectorAll("nav a, .off")].filter((each) => {
  const words = document.createRange();
  words.selectNodeContents(each);
  const [line, ...more] = words.getClientRects();
  return more.length > 0 || line.left < 0 || line.right > innerWidth;
}).map((each) => each.textContent)`;

inBrowser("a request and a leak are told on every view", async (t) => {
  const config = `confirm: { dispense_water: always }
inputs: [{ kind: leak, name: tray, gpio: 6 }]
server: { calls_per_second: 100000 }`;
  const rig = await pageRig(t, { config, hydration: 40 });
  await rig.rig.status([{ action: "water", value: 20 }], {}, { as: "agent" });
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const page = await rig.opened(t);
  const isToldOnEach = async (words: string) => {
    for (const tab of TABS) {
      await goTo(page, tab);
      await page.locator("main").getByText(words).first().waitFor();
    }
  };
  await isToldOnEach("wants to pour 20 ml");
  rig.rig.bench.setInput("tray", true);
  await isToldOnEach("Leak sensor “tray” is wet");
  t.same(rig.troubles, []);
});

run("every view of the page");
