import { encode } from "jpeg-js";
import t from "tap";
import { Camera } from "../../../drivers/devices/camera.js";
import type { Frame } from "../../../drivers/ports.js";

function filled([r, g, b]: readonly [number, number, number], [width, height] = [32, 16]): Frame {
  const data = Buffer.alloc(width * height * 4, Uint8Array.of(r, g, b, 255));
  return { jpeg: encode({ width, height, data }, 100).data, width, height };
}

/** Too large to be decoded on the event loop. */
const LARGE = [640, 480] as [number, number];

const cameraOf = (frame: Frame) => new Camera({ grab: async () => frame });

t.test("luminance is that of ITU-R BT.601", async (t) => {
  for (const [colour, expected] of [
    [[255, 255, 255], 255],
    [[255, 0, 0], 76.2],
    [[0, 255, 0], 149.7],
    [[0, 0, 255], 29.1],
  ] as const) {
    const { luminance } = await cameraOf(filled(colour)).capture();
    t.ok(Math.abs(luminance - expected) < 1.5, `${colour} is ${luminance}`);
  }
});

t.test("a frame below a tenth of full luminance is flagged as dark", async (t) => {
  t.match(await cameraOf(filled([22, 22, 22])).capture(), { dark: true, width: 32, height: 16 });
  t.match(await cameraOf(filled([30, 30, 30])).capture(), { dark: false });
});

t.test("what is no whole JPEG of the announced size is no photo", async (t) => {
  const good = filled([90, 120, 60]);
  const broken: Record<string, Frame> = {
    nothing: { ...good, jpeg: new Uint8Array() },
    "a text": { ...good, jpeg: new TextEncoder().encode("no camera found") },
    "cut off": { ...good, jpeg: good.jpeg.subarray(0, -20) },
    "start and end alone": { ...good, jpeg: Uint8Array.of(0xff, 0xd8, 0xff, 0xd9) },
    "garbage between": { ...good, jpeg: Uint8Array.of(0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xd9) },
    "another size": { ...good, width: 64 },
  };
  for (const [name, frame] of Object.entries(broken)) {
    await t.rejects(cameraOf(frame).capture(), { code: "CAMERA_FAILED" }, name);
  }
});

t.test("a large picture is judged as a small one is", async (t) => {
  for (const colour of [
    [255, 0, 0],
    [22, 22, 22],
  ] as const) {
    const small = await cameraOf(filled(colour)).capture();
    const { luminance, dark } = await cameraOf(filled(colour, LARGE)).capture();
    t.same({ luminance, dark }, { luminance: small.luminance, dark: small.dark });
  }
});

t.test("a large picture must be whole and of its size too", async (t) => {
  const good = filled([90, 120, 60], LARGE);
  const broken = Uint8Array.from(good.jpeg).fill(0xff, good.jpeg.length / 2, -2);
  for (const [name, frame] of Object.entries({
    "cut off": { ...good, jpeg: good.jpeg.subarray(0, -20) },
    "broken within": { ...good, jpeg: broken },
    "another size": { ...good, width: 320 },
  }))
    await t.rejects(cameraOf(frame).capture(), { code: "CAMERA_FAILED" }, name);
});

t.test("a large picture is judged in a thread of its own, a small one is not", async (t) => {
  const threads: unknown[] = [];
  const count = (thread: unknown) => threads.push(thread);
  process.on("worker", count);
  t.teardown(() => process.off("worker", count));
  t.match(await cameraOf(filled([90, 120, 60])).capture(), { width: 32 });
  t.equal(threads.length, 0);
  t.match(await cameraOf(filled([90, 120, 60], LARGE)).capture(), { width: 640, height: 480 });
  t.equal(threads.length, 1);
});
