import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink, rm, stat, truncate, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decode } from "jpeg-js";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { hours, minutes } from "../../drivers/units.js";
import { runtimeApi } from "../../runtime/core.js";
import { startServer } from "../../runtime/server/server.js";
import { TokenStore } from "../../runtime/server/tokens.js";
import { linkKey, PhotoLinks } from "../../runtime/services/camera/service.js";
import { type Rig, rigFor } from "../rig.js";

type Value = Readonly<Record<string, unknown>>;

const HUMAN = { as: "human" } as const;
const MIB = 1_048_576;
const NIGHT = "2026-06-01T00:30:00.000Z";
const TWO_PLANTS = "{ plants: [{ id: basil }, { id: mint, probe: { channel: 1 } }] }";

/** The rig on a real port, and a way to open a photo's link there without any token. */
async function served(t: Test, rig: Rig) {
  const tokens = await TokenStore.open(join(rig.state, "tokens"), new SystemClock(), () => undefined);
  const server = await startServer({
    host: runtimeApi(rig.core),
    tokens,
    clock: new SystemClock(),
    listen: { port: 0 },
    log: () => undefined,
  });
  t.teardown(() => server.close());
  const http = server.url.replace("ws:", "http:");
  const open = (link: unknown) => fetch(String(link).replace(/^http:\/\/[^/]+/, new URL(http).origin));
  return { http, open };
}

async function clientOf(t: Test, rig: Rig, http: string): Promise<Client> {
  const token = (await readFile(join(rig.state, "tokens", "agent"), "utf8")).trim();
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const client = new Client({ name: "camera-test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(http), { requestInit }));
  t.teardown(() => client.close());
  return client;
}

const sizeOf = (jpeg: ArrayBuffer | Buffer) => {
  const { width, height } = decode(Buffer.from(jpeg as ArrayBuffer));
  return { width, height };
};

const photosOf = async (rig: Rig, args: Value = {}) =>
  (await rig.get("get_recent_photos", { n: 50, ...args })).photos as readonly Value[];

t.test(
  "a photo has a link, its time, whether the light was on, and whether there is anything to see",
  async (t) => {
    const rig = await rigFor(t, { pictures: true, start: "2026-06-01T12:00:00.000Z" });
    const photo = await rig.get("capture_photo");
    t.same(photo, { url: photo.url, timestamp: "2026-06-01T12:00:00.000Z", light_on: false, dark: false });
    t.match(photo.url, /^http:\/\/127\.0\.0\.1:8731\/photos\/2026-06-01T12:00:00\.000Z\.jpg\?plant=basil&/);
    const [listed] = await photosOf(rig);
    t.match(listed, { plant: "basil", timestamp: photo.timestamp, light_on: false, dark: false });
    t.match(listed, { width: 320, height: 240 });
  },
);

t.test("at night a photo is dark, under the lamp it is not", async (t) => {
  const rig = await rigFor(t, { start: NIGHT });
  t.match(await rig.get("capture_photo"), { dark: true, light_on: false });
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  t.match(await rig.get("capture_photo"), { dark: false, light_on: true });
  await rig.pass(minutes(31));
  t.match(await rig.get("capture_photo"), { dark: true, light_on: false });
});

t.test("a camera that is dead is a clear refusal and leaves no record", async (t) => {
  const rig = await rigFor(t);
  rig.bench.faults("basil").camera = "dead";
  t.equal((await rig.refused("capture_photo")).code, "CAMERA_FAILED");
  t.same(await photosOf(rig), []);
  t.same(await readdir(join(rig.state, "photos")), []);
});

t.test("the link opens the picture over HTTP, for somebody who has no token", async (t) => {
  const rig = await rigFor(t, { pictures: true });
  const { open } = await served(t, rig);
  const answer = await open((await rig.get("capture_photo")).url);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get("content-type"), "image/jpeg");
  t.same(sizeOf(await answer.arrayBuffer()), { width: 320, height: 240 });
});

/** Where this process has a file open, and how far it has read it. */
async function positionsIn(file: string): Promise<number[]> {
  const open: number[] = [];
  for (const fd of await readdir("/proc/self/fd")) {
    if ((await readlink(`/proc/self/fd/${fd}`).catch(() => "")) !== file) continue;
    open.push(Number(/^pos:\s*(\d+)/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1]));
  }
  return open;
}

t.test(
  "a photo is read from the disk as its client takes it, not into memory, and is closed then",
  async (t) => {
    const rig = await rigFor(t);
    const { http } = await served(t, rig);
    const { url } = await rig.get("capture_photo");
    const [name = ""] = await readdir(join(rig.state, "photos"));
    const file = join(rig.state, "photos", name);
    const size = 64 * MIB; // far more than a socket's buffers take
    await truncate(file, size);
    const link = String(url).replace(/^http:\/\/[^/]+/, new URL(http).origin);
    const ask = async (method: string) => {
      const asked = request(link, { method, agent: false }).end();
      return (await once(asked, "response"))[0] as IncomingMessage;
    };
    const head = await ask("HEAD");
    t.equal(Number(head.headers["content-length"]), size);
    t.equal(head.headers["transfer-encoding"], undefined);
    t.same(await head.toArray(), []);
    const answer = await ask("GET");
    t.equal(Number(answer.headers["content-length"]), size);
    const [read = size, ...others] = await positionsIn(file);
    t.same(others, [], "open once");
    t.ok(read <= size / 2, `${read} bytes are read while the client takes none`);
    let got = 0;
    for await (const chunk of answer) got += chunk.length;
    t.equal(got, size);
    while ((await positionsIn(file)).length > 0) await new Promise((resolve) => setImmediate(resolve));
    const left = await ask("GET");
    left.destroy();
    while ((await positionsIn(file)).length > 0) await new Promise((resolve) => setImmediate(resolve));
    t.pass("closed too where the client has left");
  },
);

t.test("a link that was changed in any part opens nothing", async (t) => {
  const rig = await rigFor(t, { config: TWO_PLANTS });
  const { open } = await served(t, rig);
  await rig.get("capture_photo", { plant: "mint" });
  const url = String((await rig.get("capture_photo")).url);
  const { searchParams } = new URL(url);
  const later = String(Number(searchParams.get("expires")) + 3600);
  const forged = {
    plant: url.replace("plant=basil", "plant=mint"),
    expires: url.replace(/expires=\d+/, `expires=${later}`),
    signature: url.replace(/signature=./, (found) => `signature=${found.endsWith("A") ? "B" : "A"}`),
    "no signature": url.replace(/&signature=.*/, ""),
    path: url.replace(".000Z.jpg", ".001Z.jpg"),
    traversal: url.replace(/photos\/[^?]+/, "photos/..%2Fphoto-link.key"),
  };
  for (const [what, link] of Object.entries(forged)) {
    const answer = await open(link);
    t.equal(answer.status, 404, what);
    t.match(await answer.json(), { error: { code: "NOT_FOUND" } });
  }
  t.equal((await open(url)).status, 200, "the genuine one still does");
});

t.test(
  "a folder or a pipe in place of the key of photo links is named, and nothing waits for it",
  async (t) => {
    const state = t.testdir({ "photo-link.key": {} });
    const named = { code: "STORE_FAILED", message: new RegExp(`${state}/photo-link.key`) };
    await t.rejects(linkKey(state), named);
    await rm(join(state, "photo-link.key"), { recursive: true });
    execFileSync("mkfifo", [join(state, "photo-link.key")]);
    await t.rejects(linkKey(state), named);
  },
);

t.test("a link that was genuine opens nothing once it has expired", async (t) => {
  const rig = await rigFor(t);
  const { open } = await served(t, rig);
  const photo = { plant: "basil", timestamp: String((await rig.get("capture_photo")).timestamp) };
  const key = await linkKey(rig.state);
  const linkMadeAt = (at: number) =>
    new PhotoLinks(key, minutes(60), new SimulatedClock(new Date(at).toISOString()), () => "http://x").link(
      photo,
    );
  const now = new SystemClock().now();
  t.equal((await open(linkMadeAt(now - minutes(59)))).status, 200);
  t.equal((await open(linkMadeAt(now - minutes(61)))).status, 404);
});

t.test("a link lives as long as it says, to the second", async (t) => {
  const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  const links = new PhotoLinks(Buffer.alloc(32, 7), minutes(60), clock, () => "http://plants.local:8731");
  const photo = { plant: "basil", timestamp: "2026-06-01T07:59:00.000Z" };
  const { pathname, searchParams } = new URL(links.link(photo));
  await clock.advance(minutes(60 - 1 / 60));
  t.same(links.open(pathname, searchParams), photo);
  await clock.advance(minutes(1 / 60));
  t.equal(links.open(pathname, searchParams), undefined);
});

t.test("lists and history sign every link anew, and links live on over a restart", async (t) => {
  const rig = await rigFor(t);
  const taken = await rig.get("capture_photo");
  await rig.restart();
  const { open } = await served(t, rig);
  await rig.pass(hours(1));
  const [listed] = await photosOf(rig);
  const history = await rig.get("get_camera_history_bucketed", { hours: 2, samples_per_hour: 1 });
  const [item] = history.items as readonly Value[];
  t.same(Object.keys(item ?? {}).sort(), Object.keys(listed ?? {}).sort(), "history shows what a list shows");
  t.match(item, { timestamp: taken.timestamp, plant: "basil", light_on: false });
  for (const link of [taken.url, listed?.url, item?.url]) t.equal((await open(link)).status, 200);
});

t.test("two photos in one millisecond are two photos with two names", async (t) => {
  const rig = await rigFor(t);
  const [one, two] = await Promise.all([rig.get("capture_photo"), rig.get("capture_photo")]);
  t.not(one.timestamp, two.timestamp);
  t.equal((await readdir(join(rig.state, "photos"))).length, 2);
  t.match(await photosOf(rig), [{ timestamp: one.timestamp }, { timestamp: two.timestamp }]);
});

t.test("beyond keep_megabytes the oldest pictures go, their records stay without a link", async (t) => {
  const rig = await rigFor(t, { config: "photos: { keep_megabytes: 10 }" });
  const { open } = await served(t, rig);
  const early = [await photoUrl(rig), await photoUrl(rig)];
  await addLargePhoto(rig);
  const late = await photoUrl(rig);
  t.same(
    (await photosOf(rig)).map(({ url }) => url === null),
    [true, true, false, false],
  );
  for (const link of early) t.equal((await open(link)).status, 404);
  t.equal((await open(late)).status, 200);
  t.equal((await readdir(join(rig.state, "photos"))).length, 2);
  const counted = await rig.get("get_camera_history_bucketed", { aggregation: "count" });
  t.match(counted, { coverage: { records: 4 } });
});

async function photoUrl(rig: Rig): Promise<unknown> {
  await rig.pass(minutes(1));
  return (await rig.get("capture_photo")).url;
}

/** A picture that leaves room for one of the bench's and a half. */
async function addLargePhoto(rig: Rig): Promise<void> {
  await rig.pass(minutes(1));
  const folder = join(rig.state, "photos");
  const [usual = ""] = await readdir(folder);
  const bytes = 10_000_000 - Math.round((await stat(join(folder, usual))).size * 1.5);
  const file = "large-basil.jpg";
  await writeFile(join(folder, file), Buffer.alloc(bytes));
  const looks = { light_on: false, dark: false, width: 4000, height: 3000 };
  await rig.core.store.photos.add({ plant: "basil", at: rig.clock.now(), file, bytes, ...looks });
}

t.test("include_image puts the picture itself beside the result; without it there is none", async (t) => {
  const rig = await rigFor(t, { pictures: true });
  const { http, open } = await served(t, rig);
  const client = await clientOf(t, rig, http);
  const plain = await client.callTool({ name: "capture_photo", arguments: {} });
  t.same(
    plain.content.map(({ type }) => type),
    ["text"],
  );
  const { content, structuredContent } = await client.callTool({
    name: "capture_photo",
    arguments: { include_image: true },
  });
  const image = content.find((part) => part.type === "image");
  t.equal(image?.mimeType, "image/jpeg");
  const bytes = Buffer.from(image?.data ?? "", "base64");
  t.same(sizeOf(bytes), { width: 320, height: 240 });
  const linked = await open((structuredContent as Value).url);
  t.ok(bytes.equals(Buffer.from(await linked.arrayBuffer())), "it is the picture that the link opens");
});

t.test(
  "photos are resources: listed for every plant, read as JPEG, and unknown ones are an error",
  async (t) => {
    const rig = await rigFor(t, { pictures: true, config: TWO_PLANTS });
    const { http } = await served(t, rig);
    const client = await clientOf(t, rig, http);
    const photos = async () =>
      (await client.listResources()).resources.filter(({ mimeType }) => mimeType === "image/jpeg");
    t.same(await photos(), []);
    const basil = await rig.get("capture_photo");
    await rig.get("capture_photo", { plant: "mint" });
    const uri = `tendril://photos/basil/${basil.timestamp}.jpg`;
    t.match(await photos(), [
      { uri, mimeType: "image/jpeg", name: `basil at ${basil.timestamp}` },
      { uri: /^tendril:\/\/photos\/mint\// },
    ]);
    const [content] = (await client.readResource({ uri })).contents;
    t.match(content, { uri, mimeType: "image/jpeg" });
    t.same(sizeOf(Buffer.from(String((content as Value | undefined)?.blob), "base64")), {
      width: 320,
      height: 240,
    });
    for (const unknown of [
      uri.replace("2026", "2025"),
      "tendril://photos/tulip/x.jpg",
      "file:///etc/passwd",
    ]) {
      await t.rejects(client.readResource({ uri: unknown }), /not found/i, unknown);
    }
  },
);
