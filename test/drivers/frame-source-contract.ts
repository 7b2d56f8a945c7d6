import { decode } from "jpeg-js";
import type { Test } from "tap";
import { Camera } from "../../drivers/devices/camera.js";
import type { FrameSource } from "../../drivers/ports.js";

export interface FrameSources {
  readonly working: FrameSource;
  /** There, but gives no picture. */
  readonly dead: FrameSource;
}

/** What every source of frames promises, whatever is behind it. */
export function frameSourceContract(t: Test, make: (t: Test) => FrameSources): void {
  t.test("a frame is a whole JPEG of the size it announces", async (t) => {
    const frame = await make(t).working.grab();
    const { width, height } = decode(frame.jpeg);
    t.same({ width, height }, { width: frame.width, height: frame.height });
    t.same([...frame.jpeg.subarray(0, 2), ...frame.jpeg.subarray(-2)], [0xff, 0xd8, 0xff, 0xd9]);
  });

  t.test("what it gives is a photo", async (t) => {
    const { luminance } = await new Camera(make(t).working).capture();
    t.ok(luminance > 0 && luminance < 255, String(luminance));
  });

  t.test("two grabs at once give two whole frames", async (t) => {
    const { working } = make(t);
    const [one, two] = await Promise.all([working.grab(), working.grab()]);
    for (const { jpeg, width } of [one, two]) t.equal(decode(jpeg).width, width);
  });

  t.test("no picture is CAMERA_FAILED, every time", async (t) => {
    const { dead } = make(t);
    await t.rejects(dead.grab(), { code: "CAMERA_FAILED" });
    await t.rejects(dead.grab(), { code: "CAMERA_FAILED" });
  });
}
