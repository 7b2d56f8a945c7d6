import { becomes, browserTests, goTo, TABS } from "../runtime/web/page-rig.js";

/** The page without a connection, in a real browser: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

inBrowser(
  "without a runtime the page opens with what was known last, marked as such, and acts on nothing",
  async (t) => {
    const rig = await pageRig(t);
    const page = await rig.opened(t);
    await page.evaluate("navigator.serviceWorker.ready.then(() => 1)");
    await rig.stop();
    await page.goto("about:blank");
    await page.goto(rig.base);
    await page.waitForSelector("text=No connection. What you see is from 1 Jun, 08:00 UTC");
    t.ok(await page.locator("main.old .plant").isVisible(), "grey");
    t.equal(await page.getByText("just now").count(), 0, "nothing is told as if it were new");
    t.equal(await page.getByText("No photo yet").count(), 0, "there may be photos");
    const edges = await page.evaluate(EDGES);
    t.ok(
      (edges as number[]).every((each) => each >= 16),
      `clear of the card's edges: ${edges}`,
    );
    for (const tab of TABS.filter((each) => each !== "Now" && each !== "House")) {
      await goTo(page, tab);
      await page.waitForSelector("text=This needs the connection");
    }
    await goTo(page, "House");
    await page.waitForSelector("text=it is not known how everything is");
    t.equal(await page.getByText("Nothing is wrong").count(), 0);
    t.equal(await page.getByRole("button", { name: "Put everything on hold" }).count(), 0);
    await page.getByRole("button", { name: "Everything off" }).click();
    await page.waitForSelector("text=could not switch off. Press the stop button");
    await rig.again();
    await page.getByText("No connection").waitFor({ state: "detached" });
    await page.getByText("could not switch off").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Put everything on hold" }).waitFor();
    t.same(rig.troubles, []);
  },
);

inBrowser("after a log-out nothing of the house stays on the device", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await becomes(page, "caches.has('tendril-data')");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForSelector("text=tendril open");
  await becomes(page, "caches.has('tendril-data').then((isKept) => !isKept)");
  t.same(rig.troubles, []);
});

inBrowser("another person's link forgets what was known last, also if the network drops then", async (t) => {
  const rig = await pageRig(t, { config: "people: [{ id: ben }]" });
  const tablet = await rig.opened(t);
  await becomes(tablet, "caches.has('tendril-data')");
  await tablet.evaluate(RENAMED);
  const link = await rig.link(await rig.person("ben"));
  await tablet.addInitScript(NO_MORE_ANSWERS);
  await tablet.goto("about:blank");
  await tablet.goto(link);
  await becomes(tablet, "caches.has('tendril-data').then((isKept) => !isKept)");
  await tablet.waitForSelector("text=Connecting…");
  t.equal(await tablet.getByText("Fern of Anna").count(), 0);
});

/** What is kept tells another name than the runtime. */
const RENAMED = `caches.open("tendril-data").then(async (cache) => {
  const text = await (await cache.match("/last-overview")).text();
  await cache.put("/last-overview", new Response(text.replaceAll("Basil", "Fern of Anna")));
})`;

/** The link's code becomes a session, and then nothing is answered. */
const NO_MORE_ANSWERS = `{
  const own = fetch;
  globalThis.fetch = (path, how = {}) =>
    how.method === "POST" ? own(path, how) : Promise.reject(new TypeError("offline"));
  globalThis.WebSocket = class extends EventTarget { send() {} close() {} };
}`;

/** From the words in the place of a photo to the card's left and right edge, in pixels. */
const EDGES = `(() => {
  const [words, card] = [".photo.empty span", ".plant"].map((each) =>
    document.querySelector(each).getBoundingClientRect());
  return [words.left - card.left, card.right - words.right];
})()`;

run("the page without a connection");
