import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { millis, minutes } from "../../drivers/units.js";
import { verifyBackup } from "../../runtime/backup/contents.js";
import { readOverview } from "../../runtime/cli/remote.js";
import { describe } from "../../runtime/cli/status.js";
import { spawnTendril } from "../run-tendril.js";
import { until } from "../runtime/bridge/bridge-process.js";
import { barriers, browserTests, goTo, type PageRig, unfold } from "../runtime/web/page-rig.js";
import { tendrilHere } from "../tendril-here.js";

/** The house, and what the agent remembers, in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, browserPage, run } = browserTests();

/** A probe is measured in the time of the rig. */
function timePasses(t: Test, { rig }: PageRig): void {
  let isOver = false;
  const passing = (async () => {
    for (; !isOver; await new SystemClock().sleep(millis(20))) await rig.pass(millis(500));
  })();
  t.teardown(() => {
    isOver = true;
    return passing;
  });
}

const ANNA = "people: [{ id: anna, tokens: [human.anna] }]\nserver: { calls_per_second: 100000 }";
const HOSTILE = "<img src=x onerror='window.hit=1'>";

inBrowser("a person puts everything on hold with a reason, and resumes", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "House");
  await page.waitForSelector("text=Nothing is wrong");
  await page.waitForSelector(
    "text=/until a person resumes. What is on goes on to its end: “Everything off” ends it/",
  );
  t.equal(await page.locator(".alerts").count(), 0, "all is well");
  await rig.rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
  await page.getByLabel("Reason, such as holiday").fill("holiday");
  await page.getByRole("button", { name: "Put everything on hold" }).click();
  await page.waitForSelector("text=by a person: holiday");
  t.match(await rig.rig.get("get_light_status"), { status: "on" }, "as the page said");
  t.equal(await page.getByText("Nothing is switched on until a person resumes").count(), 1, "told once");
  await goTo(page, "Story");
  await page.waitForSelector(".alerts >> text=Basil: On hold");
  await goTo(page, "House");
  t.equal(await page.locator(".alerts").count(), 0, "all of it stands below");
  await page.getByRole("button", { name: "Resume all plants" }).click();
  await page.waitForSelector("text=Nothing is wrong");
  t.match(await rig.rig.get("get_overview"), { plants: [{ hold: null }] });
  t.same(rig.troubles, []);
});

inBrowser("a card's button that lifts the hold of all plants says so", async (t) => {
  const config =
    "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config });
  const page = await rig.opened(t, "human", "desktop");
  const hold = (of: object) => rig.rig.get("set_hold", { hold: true, ...of }, { as: "human" });
  const buttons = (name: string) => page.locator(".plant").getByRole("button", { name, exact: true });
  const held = async () => {
    const { plants } = await rig.rig.get("get_overview");
    return (plants as { plant: string; hold: object | null }[]).flatMap((each) =>
      each.hold ? [each.plant] : [],
    );
  };
  await hold({});
  await buttons("Resume all plants").nth(1).waitFor();
  t.equal(await buttons("Resume").count(), 0);
  await buttons("Resume all plants").last().click();
  await buttons("Resume all plants").first().waitFor({ state: "detached" });
  t.same(await held(), []);
  await hold({ plant: "basil" });
  await rig.rig.pass(minutes(1));
  await hold({ plant: "fern" });
  await buttons("Resume").nth(1).waitFor();
  await buttons("Resume").first().click();
  await buttons("Resume").nth(1).waitFor({ state: "detached" });
  t.same(await held(), ["fern"], "the other one stays");
  t.equal(await buttons("Resume all plants").count(), 0);
  t.same(rig.troubles, []);
});

inBrowser(
  "a person sees which browsers are let in, and ends one; a screen on the wall sees none",
  async (t) => {
    const rig = await pageRig(t);
    const [page, wall] = [await rig.opened(t), await rig.opened(t, "observer")];
    await goTo(wall, "House");
    await wall.waitForSelector("text=Nothing is wrong");
    t.equal(await wall.getByText(/Browsers that are let in|tendril \w+/).count(), 0, "nor a command");
    await wall.waitForSelector("footer >> text=This screen only shows");
    await goTo(page, "House");
    await unfold(page, "Browsers that are let in");
    await page.getByText("this browser, now", { exact: true }).waitFor();
    t.equal(await page.getByText(/^as the owner, begun [\w ,]*\d:\d\d$/).count(), 1);
    t.equal(await page.getByText(/^as a shared screen, begun .*\d:\d\d, last used .*\d:\d\d$/).count(), 1);
    await page.getByRole("button", { name: /^End the session/ }).click();
    await wall.waitForSelector("text=session of this browser was ended");
    await page.getByRole("button", { name: /^End the session/ }).waitFor({ state: "detached" });
    t.same(rig.troubles, []);
  },
);

inBrowser("a bridge that is away, a wrong part of its file and a silent channel are troubles", async (t) => {
  const config = "people: [{ id: anna }]\nchannels: { mail: { accounts: { anna: anna@example.org } } }";
  const rig = await pageRig(t, {
    config: `${config}\nserver: { calls_per_second: 100000 }`,
    peopleToo: true,
  });
  const page = await rig.opened(t);
  await goTo(page, "House");
  await page.waitForSelector("text=/Why, and how to start it: \\S*tendril status/");
  t.equal(await page.getByText("Nothing is wrong").count(), 0);
  const asks = {
    bridge: "0123456789abcdef",
    version: "1",
    wait_s: 0,
    problems: ["mail.url: must have TLS."],
  };
  await rig.rig.get("take_jobs", asks, { as: "bridge" });
  await page.waitForSelector("text=bridge.yaml does not work: mail.url: must have TLS. Correct the file");
  await page.waitForSelector("text=/mail has not worked since .*has not reported/");
  t.match(
    describe(readOverview(await rig.rig.get("get_overview", {}, { as: "human" }))),
    /! bridge.yaml: mail/,
  );
  t.equal(await page.getByText("Nothing is wrong").count(), 0);
  const report = { channel: "mail", state: "down", code: "TLS_FAILED", message: "no trust" };
  await rig.rig.get("note_channel", report, { as: "bridge" });
  await page.waitForSelector("text=/mail has not worked since .*no trust[.]$/");
  await rig.rig.get("note_channel", { channel: "mail", state: "ok" }, { as: "bridge" });
  await page.waitForSelector("text=mail has worked since");
  t.same(rig.troubles, []);
});

inBrowser(
  "a person calibrates a probe step by step, and the page shows what to write and writes nothing",
  async (t) => {
    const rig = await pageRig(t);
    const page = await rig.opened(t);
    timePasses(t, rig);
    await goTo(page, "House");
    await unfold(page, "Calibrate a moisture probe");
    const card = page.locator(".calibration");
    const hold = async () => (await rig.rig.get("get_overview")).plants as { hold: object | null }[];
    await card.getByRole("button", { name: "Begin" }).click();
    for (const step of ["1 of 3: dry", "2 of 3: wet", "3 of 3: put the probe back"]) {
      await card.getByText(step).waitFor();
      t.match(await hold(), [{ hold: { reason: "the probe is out of its pot, being calibrated" } }], step);
      t.same(await barriers(page), [], step);
      await card.getByRole("button", { name: "It is there: measure" }).click();
    }
    const command = card.getByText(/^tendril calibrate moisture basil --dry [\d.]+ --wet [\d.]+$/);
    await command.waitFor();
    const [, dry, wet] = /--dry (\S+) --wet (\S+)/.exec((await command.textContent()) ?? "") ?? [];
    t.equal(await card.locator("pre").textContent(), `dry_volts: ${dry}\nwet_volts: ${wet}`);
    t.ok(Math.abs(Number(dry) - 2.75) < 0.1 && Math.abs(Number(wet) - 1.2) < 0.1, `${dry} to ${wet}`);
    t.same(await barriers(page), []);
    await card.getByRole("button", { name: "Done" }).click();
    await card.getByRole("button", { name: "Begin" }).waitFor();
    t.match(await hold(), [{ hold: null }]);
    t.notOk(existsSync(join(rig.rig.state, "tendril.yaml")), "no configuration was written");
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "a probe that is unplugged is waited for, the guide ends at any step, and a hold of others stays",
  async (t) => {
    const config = "bench: { controls: true }\nserver: { calls_per_second: 100000 }";
    const rig = await pageRig(t, { config });
    await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
    const page = await rig.opened(t, "human", "desktop");
    await goTo(page, "House");
    await unfold(page, "Calibrate a moisture probe");
    const card = page.locator(".calibration");
    await card.getByRole("button", { name: "Begin" }).click();
    await card.getByText("was on hold before").waitFor();
    const broken = (on: boolean) =>
      rig.rig.get("break_bench", { trouble: "probe_unplugged", broken: on }, { as: "human" });
    await broken(true);
    await card.getByRole("button", { name: "It is there: measure" }).click();
    await card.getByText("waiting until it is steady").waitFor();
    t.same(await barriers(page), []);
    await broken(false);
    await card.getByText("2 of 3").waitFor();
    await card.getByText(/^Dry: 2\.\d+ V/).waitFor();
    await card.getByRole("button", { name: "Begin again with dry" }).click();
    await card.getByText("1 of 3").waitFor();
    await card.getByRole("button", { name: /^Stop here/ }).click();
    await card.getByRole("button", { name: "Begin" }).waitFor();
    t.match(await rig.rig.get("get_overview"), { plants: [{ hold: { reason: "holiday" } }] });
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "the owner reads the doctor's findings on the page; another person is not offered them",
  async (t) => {
    const rig = await pageRig(t, { config: ANNA, peopleToo: true });
    const [page, other] = [await rig.opened(t), await rig.opened(t, await rig.person("anna"))];
    for (const each of [page, other]) await goTo(each, "House");
    await other.getByText("Browsers that are let in").waitFor();
    t.equal(await other.getByText(/^(The doctor|Tokens)$/).count(), 0);
    const card = page.locator(".doctor");
    await card.getByRole("button", { name: "Look now" }).click();
    await card.getByText(/^Problems at .*\d\d:\d\d: \d+\.$/).waitFor();
    await card.getByText("board: bench, simulated plants (basil)").waitFor();
    await card.getByText('"tendril setup" writes one for the hardware').waitFor();
    await card.getByText(/^\d+ in order$/).click();
    await card.getByText("every line readable").waitFor();
    t.same(await barriers(page), []);
    t.same(rig.troubles, []);
  },
);

inBrowser("the owner revokes a token on the page, and is warned before the own way in goes", async (t) => {
  const rig = await pageRig(t);
  const [page, wall] = [await rig.opened(t), await rig.opened(t, "observer")];
  await goTo(page, "House");
  await unfold(page, "Browsers that are let in");
  await unfold(page, "Tokens");
  await page.getByRole("button", { name: "Revoke: observer" }).click();
  await page.getByText("This cannot be undone").waitFor();
  t.same(await barriers(page), []);
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByText("This cannot be undone").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Revoke: observer" }).click();
  await page.locator(".careful").getByRole("button", { name: "Revoke: observer" }).click();
  await wall.waitForSelector("text=session of this browser was ended");
  await page.getByRole("button", { name: "Revoke: observer" }).waitFor({ state: "detached" });
  // its sessions went along
  await page.getByRole("button", { name: /^End the session/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Revoke: human" }).click();
  await page.getByText("This is your own token").waitFor();
  t.equal((await page.textContent(".careful"))?.includes("tendril token add human"), true);
  await page.locator(".careful").getByRole("button", { name: "Revoke: human" }).click();
  await page.waitForSelector("text=session of this browser was ended");
  t.notOk(existsSync(join(rig.rig.state, "tokens", "human")));
  t.same(rig.troubles, []);
});

inBrowser("what the runtime refuses to answer is told at the top of the view", async (t) => {
  const rig = await pageRig(t, { config: "modules: { lists: false }" });
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  await page
    .getByRole("alert")
    .getByText(/list_tool .*lists/)
    .waitFor();
  t.same(await barriers(page), []);
  await goTo(page, "Now");
  await page.getByRole("alert").waitFor({ state: "detached" });
  t.same(rig.troubles, []);
});

inBrowser("a person makes a backup, and the owner downloads it on this machine", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "House");
  await unfold(page, "Backups");
  await page.getByText("There is no backup in").waitFor();
  await page.getByRole("button", { name: "Back up now" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Download: tendril-/ }).click(),
  ]);
  const { members } = await verifyBackup(await file.path());
  t.ok(members.some(({ name }) => name === "tokens/human"));
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.waitForSelector("text=was made less than an hour ago");
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser("the settings in force are shown with their meaning, and which are the default", async (t) => {
  const config =
    "plants: [{ id: basil, name: Basil }]\nzone: Asia/Kathmandu\nserver: { calls_per_second: 100000 }";
  const rig = await pageRig(t, { config });
  const page = await rig.opened(t, "human", "desktop");
  await goTo(page, "House");
  await unfold(page, "Settings");
  await page.waitForSelector("dd >> text=zone");
  const said = String(await page.textContent(".settings"));
  t.match(said, /Asia\/Kathmandu zone.*\(default\) sampling\.cron/s);
  t.notMatch(said, /null|\[\]|"/, "in plain words");
  t.match(said, /none (\(default\) )?people/);
  await page.locator(".settings summary", { hasText: "Plant basil" }).click();
  await page.getByText("0x48").waitFor();
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser("what the agent remembers is shown with who said it, as text, and can be forgotten", async (t) => {
  const rig = await pageRig(t);
  const memory = { source: "CAPTURE", title: "Travel", content: `away in May ${HOSTILE}` };
  await rig.rig.get("save_memory", memory, { as: "human" });
  const fact = { category: "preference", key: "basil", value: "rather dry" };
  await rig.rig.get("update_user_profile", fact, { as: "human" });
  const task = { operation: "create_task", title: "mist", time: "every monday at 8am" };
  await rig.rig.get("task_tool", task, { as: "human" });
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  await page.waitForSelector("text=every week on Monday at 08:00");
  await page.waitForSelector("text=away in May <img");
  await page.waitForSelector("text=basil: rather dry");
  t.match(await page.textContent("main"), /noted from a conversation.*basil: rather dry.*told/s);
  await page.getByLabel("Something to remember").fill("the window faces north");
  await page.getByLabel("Something to remember").press("Enter");
  await page
    .locator("li", { hasText: "faces north" })
    .getByText(/^written down, /)
    .waitFor();
  await page.getByRole("button", { name: "Forget: Travel" }).click();
  await page.getByText("This entry is erased for good").waitFor();
  t.same(await barriers(page), []);
  await page
    .getByRole("group", { name: "Forget: Travel" })
    .getByRole("button", { name: "Forget: Travel" })
    .click();
  await page.getByText("away in May").waitFor({ state: "detached" });
  t.match(await rig.rig.get("search_memories", {}, { as: "human" }), { count: 1 });
  const forget = { name: "Forget: basil" };
  await page.getByRole("button", forget).click();
  await page.getByRole("group", forget).getByRole("button", forget).click();
  await page.getByText("rather dry").waitFor({ state: "detached" });
  t.same((await rig.rig.get("get_user_profile", {}, { as: "human" })).entries, []);
  t.equal(await page.evaluate("window.hit"), undefined);
  t.same(rig.troubles, []);
});

inBrowser("a person sees what the agent recalled, and forgets it there", async (t) => {
  const rig = await pageRig(t);
  const memory = { source: "CAPTURE", title: "Travel", content: "away in May" };
  await rig.rig.get("save_memory", memory, { as: "human" });
  const { turn_id } = await rig.rig.get("begin_turn", { kind: "care" });
  await rig.rig.get("recall_user_context", { topic: "away" }, { as: "agent", turn: String(turn_id) });
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  const recall = page.locator(".recall");
  t.match(await recall.textContent(), /^08:00 · for a care cycleTravel/);
  const forget = { name: "Forget: Travel" };
  await recall.getByRole("button", forget).click();
  await recall.getByRole("group", forget).getByRole("button", forget).click();
  await recall.getByText("and something that is forgotten").waitFor();
  await page.getByText("away in May").waitFor({ state: "detached" });
  t.same(await barriers(page), []);
  t.same(rig.troubles, []);
});

inBrowser(
  "on the bench a person sees the truth beside the probe's word, and breaks and mends things",
  async (t) => {
    const config = "bench: { controls: true }\nserver: { calls_per_second: 100000 }";
    const rig = await pageRig(t, { config });
    const [page, wall] = [await rig.opened(t), await rig.opened(t, "observer")];
    await page.waitForSelector(".bench >> text=the soil truly is at");
    t.equal(await wall.locator(".bench").count(), 0, "not on a screen that everybody can use");
    await page.waitForSelector("text=After some 60 ml without an answer of the soil the pump is locked");
    t.equal(await page.getByText("How fast its time passes").count(), 0, "this bench's time is the test's");
    t.equal(
      await page.getByRole("button", { name: "Cut the power" }).count(),
      0,
      "nothing would start it again",
    );
    await page.getByRole("button", { name: "Unplug the probe", exact: true }).click();
    await page.getByRole("button", { name: "Plug the probe in again" }).waitFor();
    await rig.rig.core.sample();
    await page.waitForSelector("text=The moisture probe has been faulty");
    await page.getByRole("button", { name: "Plug the probe in again" }).click();
    await page.getByRole("button", { name: "Unplug the probe", exact: true }).waitFor();
    t.same(await barriers(page), []);
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "in the demo a person sets the bench's speed and cuts its power; the page comes back by itself",
  async (t) => {
    const state = join(t.testdir(), "state");
    const { child, ended } = spawnTendril(["demo", "--port", "0", "--state", state]);
    t.teardown(() => {
      child.kill("SIGINT");
      return ended;
    });
    let said = "";
    child.stdout?.on("data", (chunk) => {
      said += chunk;
    });
    await until(() => /cycle 1/.test(said) || undefined);
    const { out } = await tendrilHere(["open", "--no-browser", "--state", state]);
    const page = await browserPage(t);
    await page.goto(/http\S+#open=\S+/.exec(out)?.[0] ?? "");
    await page.getByRole("button", { name: "10 times" }).click();
    await page.locator("button[aria-pressed=true]", { hasText: "10 times" }).waitFor();
    await page.getByRole("button", { name: "Cut the power" }).click();
    await until(() => /the power was cut: the runtime starts again/.test(said) || undefined);
    await page.locator("button[aria-pressed=true]", { hasText: "60 times" }).waitFor();
  },
);

inBrowser(
  "on a phone the house fits two screens: what is wrong, holds and findings are open, the rest folds by keyboard too",
  async (t) => {
    const rig = await pageRig(t);
    await rig.rig.get("set_hold", { hold: true, reason: "holiday" }, { as: "human" });
    const page = await rig.opened(t);
    await goTo(page, "House");
    for (const open of ["by a person: holiday", "Resume all plants", "Look now"])
      t.ok(await page.getByText(open).isVisible(), open);
    const folded = page.locator("details:not([open]) > summary");
    t.same(await folded.allTextContents(), [
      ...["Calibrate a moisture probe", "Backups", "Browsers that are let in", "Tokens"],
      "Settings",
    ]);
    const screens = Number(await page.evaluate("document.documentElement.scrollHeight / innerHeight"));
    t.ok(screens <= 2, `${screens} screens`);
    await page.locator("summary").filter({ hasText: "Tokens" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Revoke: observer" }).waitFor();
    t.same(await barriers(page), []);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Revoke: observer" }).waitFor({ state: "hidden" });
    t.same(rig.troubles, []);
  },
);

inBrowser(
  "people are told by their names, and a token's own name stands only where it is revoked",
  async (t) => {
    const config = `people: [{ id: anna, name: Anna Rot, tokens: [human.anna] }]\nserver: { calls_per_second: 100000 }`;
    const rig = await pageRig(t, { config, peopleToo: true });
    await rig.rig.get("set_hold", { hold: true, reason: "away" }, { as: "human", token: "human.anna" });
    await rig.rig.get(
      "task_tool",
      { operation: "create_task", title: "mist" },
      { as: "human", token: "human.anna" },
    );
    const [page, hers] = [await rig.opened(t), await rig.opened(t, await rig.person("anna"))];
    await hers.waitForSelector("footer >> text=You are here as Anna Rot.");
    await page.waitForSelector("footer >> text=You are here as the owner.");
    await page.waitForSelector("text=by Anna Rot: away");
    await goTo(page, "Lists");
    await page.waitForSelector("text=of Anna Rot");
    await goTo(page, "House");
    await unfold(page, "Browsers that are let in");
    await page.waitForSelector("text=/^as Anna Rot, begun/");
    for (const tab of ["Now", "Story", "Chat", "Lists", "House"] as const) {
      await goTo(page, tab);
      t.notMatch(await page.textContent("body"), /human|\banna\b/, tab);
    }
    await unfold(page, "Tokens");
    await page.getByRole("button", { name: "Revoke: human.anna" }).waitFor();
    t.match(await page.locator("li", { hasText: "human.anna" }).textContent(), /Anna Rot/);
    t.same(rig.troubles, []);
  },
);

run("the house in a browser");
