import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { hours, minutes } from "../../drivers/units.js";
import { EN } from "../../runtime/web/page/words.js";
import type { Rig } from "../rig.js";
import { browserTests } from "../runtime/web/page-rig.js";

/** Pictures of every view, for people to look at: `npm run page:screenshots`, which says where they are. */
const { inBrowser, pageRig, run } = browserTests();

const FOLDER = process.env.SCREENSHOTS ?? "/tmp/tendril-page";
mkdirSync(FOLDER, { recursive: true });
process.stderr.write(`pictures in ${FOLDER}\n`);

inBrowser("pictures of every view, at many widths", async (t) => {
  const rig = await pageRig(t, { hydration: 42, config: BENCH });
  await rig.rig.get("break_bench", { trouble: "lamp_dead" }, { as: "human" });
  await someDays(rig.rig);
  await somebodysThings(rig.rig);
  await rig.rig.status(
    [{ action: "water", value: 20 }],
    { reasoning: "it drinks a lot now" },
    { as: "agent" },
  );
  await rig.rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  for (const [name, size, colorScheme, locale] of [
    ["320", "small", "light", "de"],
    ["390", "usual", "light", "es"],
    ["375", "phone", "dark", "en"],
    ["768", "tablet", "dark", "pt"],
    ["1280", "desktop", "light", "en"],
    ["1280-dark", "desktop", "dark", "de"],
  ] as const) {
    const page = await rig.opened(t, "human", size, { colorScheme, locale, reducedMotion: "reduce" });
    for (const tab of Object.keys(EN.tabs)) {
      await page.goto(`${rig.base}/#${tab}`);
      await page.waitForSelector(tab === "story" ? ".chart canvas" : ".card");
      await open(page, tab);
      await page.waitForTimeout(1000);
      await page.evaluate("scrollTo(0, 0)"); // else the bar stands in the middle of the picture
      await page.screenshot({ path: join(FOLDER, `${name}-${tab}.png`), fullPage: tab !== "photos" });
      if (name === "1280" && tab === "now") await forReadme(page);
    }
  }
});

/** docs/images/page-now.png: the first view down to the end of the plant, without the form of a dose. */
async function forReadme(page: Page): Promise<void> {
  await page.locator(".figure [aria-expanded]").click();
  await page.evaluate("scrollTo(0, 0)");
  const plant = await page.locator(".plant").boundingBox();
  if (!plant) throw new Error("there is no plant to show");
  const clip = { x: 96, y: 0, width: 1088, height: plant.y + plant.height + 16 };
  await page.screenshot({ path: join(FOLDER, "page-now.png"), fullPage: true, clip });
}

/** What people open there: a question, a dose, the doctor's findings, the warning before something is forgotten. */
async function open(page: Page, tab: string): Promise<void> {
  if (tab === "now") {
    await page.locator(".why button").first().click();
    await page.locator(".figure [aria-expanded]").click();
  }
  if (tab === "lists") await page.locator(".list li button").last().click();
  if (tab !== "house") return;
  await page.locator(".doctor button").click();
  await page.locator(".findings").first().waitFor();
}

const BENCH = `bench: { controls: true }
climate: [{ place: kitchen }, { place: balcony, address: 0x77 }]
confirm: { dispense_water: always }
server: { calls_per_second: 100000 }`;

async function someDays(rig: Rig): Promise<void> {
  for (let cycle = 0; cycle < 12; cycle++) {
    await oneCycle(rig, cycle % 5 === 2);
    for (let step = 0; step < 11; step++) {
      await rig.pass(minutes(10));
      await rig.core.sample();
    }
    if (cycle % 4 === 3 && cycle < 11) await rig.pass(hours(12));
  }
  await rig.get("write_plant_status", await wrongFigures(rig), { as: "agent" }).catch(() => undefined);
  await rig.pass(hours(4)); // a photo by day
  await oneCycle(rig, false);
}

async function oneCycle(rig: Rig, isDry: boolean): Promise<void> {
  await rig.core.sample();
  const plan = isDry ? [{ action: "water" as const, value: 20 }] : [];
  const reasoning = isDry ? "rather dry: 1 dose of 20 ml" : "moist enough: nothing to do";
  await rig.status(plan, { reasoning }, { as: "agent" });
  if (isDry) await pour(rig);
  await rig.get("capture_photo", {}, { as: "agent" });
}

async function somebodysThings(rig: Rig): Promise<void> {
  await rig.get("list_tool", { operation: "add_item", list_name: "Shopping", item_text: "perlite" });
  await rig.get("task_tool", {
    ...{ operation: "create_task", title: "mist the fern" },
    time: "every monday at 8am",
  });
  await rig.get("save_memory", { source: "CAPTURE", title: "Travel", content: "away in May" });
  const fact = { category: "preference", key: "watering", value: "rather in the morning" };
  await rig.get("update_user_profile", fact, { as: "human" });
  await rig.get("send_chat_message", { text: "How is the basil?" }, { as: "human" });
  const { turn_id } = await rig.get("begin_turn", { kind: "conversation", chat_id: "household" });
  const text = "Basil: the soil is at 43 %. At the last care I decided: moist enough.";
  await rig.get("send_chat_message", { text }, { as: "agent", turn: String(turn_id) });
  await rig.get("recall_user_context", { topic: "away in May" }, { as: "agent", turn: String(turn_id) });
  await rig.get("end_turn", {}, { as: "agent", turn: String(turn_id) });
}

/** The agent asks, a person says yes, the agent pours. */
async function pour(rig: Rig): Promise<void> {
  await rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
  const { approvals } = await rig.get("list_approvals", {}, { as: "human" });
  const open = (approvals as { id: string; state: string }[]).find(({ state }) => state === "pending");
  await rig.get("answer_approval", { id: open?.id, approve: true }, { as: "human" });
  await rig.water(20, { as: "agent" });
}

/** A status whose figures are wrong. */
const wrongFigures = async (rig: Rig) => ({
  ...{ timestamp: (await rig.get("get_current_time")).timestamp, plant_state: "healthy" },
  ...{ sensor_reading: 1, water_24h: 999, light_today: 10, reasoning: "guessed", next_action_sequence: [] },
});

run("pictures of the page", { timeout: 0 });
