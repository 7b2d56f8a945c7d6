import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Rig } from "../rig.js";
import { barriers, browserTests, goTo } from "../runtime/web/page-rig.js";

/** Photos and files of people, given and seen on the page: `npm run test:page`. */
const { inBrowser, pageRig, run } = browserTests();

/** A real photo, as a camera makes it. */
async function photoOf(rig: Rig): Promise<Buffer> {
  await rig.get("capture_photo", {}, { as: "agent" });
  const [name = ""] = await readdir(join(rig.state, "photos"));
  return readFile(join(rig.state, "photos", name));
}

const choose = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });

const filesIn = (rig: Rig) => readdir(join(rig.state, "media", "uploads")).catch(() => []);

/** Of the picture of a note, once it is loaded; rejects if it is none. */
const widthOf = (page: Page) =>
  page.evaluate(
    "document.querySelector('.files img').decode().then(() => document.querySelector('.files img').naturalWidth)",
  );

inBrowser("a note with a picture is saved, seen in the story, and told to the agent", async (t) => {
  const rig = await pageRig(t);
  const picture = await photoOf(rig.rig);
  const page = await rig.opened(t);
  await goTo(page, "Story");
  await choose(page, "<img src=x onerror=window.hit=1>.jpg", "image/jpeg", picture);
  await choose(page, "wrong.jpg", "image/jpeg", picture);
  await page.getByRole("button", { name: "Remove wrong.jpg" }).click();
  await page.getByLabel("Your note").fill("repotted");
  t.same(await barriers(page), []);
  await page.getByLabel("Your note").press("Enter");
  await page.getByRole("button", { name: "Note: repotted (with a file)" }).click();
  const shown = page.locator(".files img");
  await shown.waitFor();
  t.ok(Number(await widthOf(page)) > 0, "it can be seen");
  t.same(await barriers(page), []);
  t.equal((await filesIn(rig.rig)).length, 1, "one file, and not the one that was taken away");
  t.equal(await page.evaluate("window.hit"), undefined);
  const { messages } = await rig.rig.get("list_messages_from_human", {}, { as: "agent" });
  t.match(messages, [{ content: /with a file, for people to see\): repotted/ }]);
  t.same(rig.troubles, []);
});

inBrowser(
  "a large photo is made smaller before it is sent, and loses what the camera wrote into it",
  async (t) => {
    const rig = await pageRig(t);
    const page = await rig.opened(t);
    await goTo(page, "Lists");
    await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(4000, 3000);
    const context = canvas.getContext("2d");
    for (let x = 0; x < 4000; x += 10) { context.fillStyle = "hsl(" + x + " 80% 50%)"; context.fillRect(x, 0, 10, 3000); }
    const drawn = await canvas.convertToBlob({ type: "image/jpeg" });
    const place = new TextEncoder().encode("GPS-OF-MY-HOME");
    const exif = new Uint8Array([0xff, 0xe1, 0, place.length + 8, 69, 120, 105, 102, 0, 0, ...place]);
    const whole = new File([drawn.slice(0, 2), exif, drawn.slice(2)], "large.jpg", { type: "image/jpeg" });
    const files = new DataTransfer();
    files.items.add(whole);
    const field = document.querySelector("input[type=file]");
    field.files = files.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
    await page.getByLabel("Something to remember").fill("the balcony");
    await page.getByLabel("Something to remember").press("Enter");
    await page.waitForSelector(".files img");
    t.equal(await widthOf(page), 2048);
    const [name = ""] = await filesIn(rig.rig);
    t.match(name, /^large-[0-9a-f]{16}\.jpg$/);
    t.notOk((await readFile(join(rig.rig.state, "media", "uploads", name))).includes("GPS-OF-MY-HOME"));
    t.same(rig.troubles, []);
  },
);

inBrowser("what is refused is told, the words stay, and a file is sent once", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  await choose(page, "evil.jpg", "image/jpeg", Buffer.from("<script>window.hit=1</script>"));
  const field = page.getByLabel("Something to remember");
  await field.fill("something");
  await field.press("Enter");
  await page.waitForSelector("text=/That did not work.*files of this kind are not taken/");
  t.equal(await field.inputValue(), "something");
  t.same(await filesIn(rig.rig), []);
  await page.getByRole("button", { name: "Remove evil.jpg" }).click();
  await choose(page, "list.txt", "text/plain", Buffer.from("perlite\n"));
  await field.press("Enter");
  await page.getByRole("link", { name: "list.txt" }).waitFor();
  t.equal((await filesIn(rig.rig)).length, 1);
  t.same(rig.troubles, []);
});

inBrowser("a file of a wrong kind is refused when it is chosen, before anything is sent", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t);
  await goTo(page, "Lists");
  await choose(page, "all.zip", "application/zip", Buffer.from("PK"));
  await page.getByRole("alert").getByText("only photos, PDF and text are taken").waitFor();
  t.equal(await page.locator(".chip").count(), 0);
  t.same(await barriers(page), []);
  await choose(page, "list.txt", "text/plain", Buffer.from("perlite\n"));
  await page.getByRole("button", { name: "Remove list.txt" }).waitFor();
  t.equal(await page.getByRole("alert").count(), 0, "and over with the next choice");
  t.same(rig.troubles, []);
});

inBrowser("an observer is offered no upload", async (t) => {
  const rig = await pageRig(t);
  const page = await rig.opened(t, "observer");
  for (const tab of ["Story", "Lists"] as const) {
    await goTo(page, tab);
    await page.waitForSelector(".card");
    t.equal(await page.locator("input[type=file]").count(), 0, tab);
  }
});

run("uploads on the page");
