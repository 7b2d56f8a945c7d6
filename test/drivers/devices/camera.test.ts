import { encode } from "jpeg-js";
import t from "tap";
import { Camera } from "../../../drivers/devices/camera.js";
import type { Frame } from "../../../drivers/ports.js";

function filled([r, g, b]: readonly [number, number, number]): Frame {
  const [width, height] = [32, 16];
  const data = Buffer.from(Array.from({ length: width * height }, () => [r, g, b, 255]).flat());
  return { jpeg: encode({ width, height, data }, 100).data, width, height };
}

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
