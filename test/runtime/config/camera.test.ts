import t from "tap";
import { boardConfig } from "../../../runtime/config/schema.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { ConfigError } from "../../../runtime/errors.js";

const withCamera = (camera: string) => `plants: [{ id: basil, camera: ${camera} }]`;

const wiringOf = (camera: string) => boardConfig(parseConfig(withCamera(camera), "t.yaml")).plants[0]?.camera;

const problemsOf = (camera: string): readonly string[] => {
  try {
    parseConfig(withCamera(camera), "t.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

t.test("a program is all that a camera needs", async (t) => {
  const picture = { width: 1280, height: 720, quality: 85, rotation: 0, patience: 20_000 };
  t.same(wiringOf("{ program: rpicam-still }"), { program: "rpicam-still", index: 0, ...picture });
  t.same(wiringOf("{ program: ffmpeg }"), { program: "ffmpeg", device: "/dev/video0", ...picture });
});

t.test("everything else can be said too", async (t) => {
  t.same(
    wiringOf(
      "{ program: fswebcam, device: /dev/v4l/by-id/usb-046d_C920_1234-video-index0, width: 640, height: 480, quality: 70, rotation: 90, timeout_seconds: 30 }",
    ),
    {
      ...{ program: "fswebcam", device: "/dev/v4l/by-id/usb-046d_C920_1234-video-index0", rotation: 90 },
      ...{ width: 640, height: 480, quality: 70, patience: 30_000 },
    },
  );
});

t.test("a plant has no camera unless one is named", async (t) => {
  t.notOk("camera" in (boardConfig(parseConfig("", "t.yaml")).plants[0] ?? {}));
});

t.test("a device is one of two kinds of name, and nothing else comes through", async (t) => {
  for (const device of [
    "/dev/video0;rm -rf /",
    "; rm -rf /",
    "/dev/video0 /dev/video1",
    "$(reboot)",
    "--exec=reboot",
    "-",
    "/dev/../etc/passwd",
    "/dev/v4l/by-id/../../video0",
    "/dev/v4l/by-id/usb:0",
    "FILE:/etc/passwd",
    "/dev/video",
    "/dev/video0\\n",
    "/dev/sda",
  ])
    t.match(
      problemsOf(`{ program: fswebcam, device: "${device}" }`),
      [/^t\.yaml:1: plants\[0\]\.camera\.device: must be \/dev\/videoN or \/dev\/v4l\/by-id\/NAME/],
      device,
    );
});

t.test("a program that is not known, or none, is told with those that are", async (t) => {
  for (const camera of ["{ program: raspistill }", "{ program: /bin/sh }", "{ device: /dev/video0 }"])
    t.match(
      problemsOf(camera),
      [/camera.*"rpicam-still", "libcamera-still", "fswebcam" or "ffmpeg"/],
      camera,
    );
});

t.test("each program takes what it can do, and what is out of range is refused by name", async (t) => {
  t.match(problemsOf("{ program: rpicam-still, rotation: 90 }"), [/camera\.rotation: must be 0 or 180/]);
  t.same(problemsOf("{ program: ffmpeg, rotation: 90 }"), []);
  t.match(problemsOf("{ program: ffmpeg, rotation: 45 }"), [/camera\.rotation: must be 0, 90, 180 or 270/]);
  t.match(problemsOf("{ program: rpicam-still, device: /dev/video0 }"), [/camera\.device: unknown key/]);
  t.match(problemsOf("{ program: ffmpeg, index: 1 }"), [/camera\.index: unknown key/]);
  t.match(problemsOf("{ program: ffmpeg, width: 641 }"), [/camera\.width: must be even/]);
  t.match(problemsOf("{ program: ffmpeg, width: 4000 }"), [/camera\.width: .*2592/]);
  t.match(problemsOf("{ program: ffmpeg, quality: 100 }"), [/camera\.quality: .*95/]);
  t.match(problemsOf("{ program: ffmpeg, timeout_seconds: 0 }"), [/camera\.timeout_seconds: .*5/]);
});

t.test("plants may share a camera", async (t) => {
  const camera = "camera: { program: fswebcam }";
  const text = `plants: [{ id: basil, ${camera} }, { id: mint, probe: { channel: 1 }, ${camera} }]`;
  t.equal(boardConfig(parseConfig(text, "t.yaml")).plants.filter((plant) => plant.camera).length, 2);
});
