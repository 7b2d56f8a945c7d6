import t from "tap";
import type { PlantHardwareConfig } from "../../../drivers/board.js";
import type { WebcamWiring } from "../../../drivers/cameras/camera-command.js";
import { openCameras } from "../../../drivers/cameras/command-camera.js";
import { type MlPerSecond, seconds, volts } from "../../../drivers/units.js";
import { fakeProgram, fileOf, WatchedClock } from "../cameras/fake-program.js";

const webcam = (device: string): WebcamWiring => ({
  ...{ program: "fswebcam", device, rotation: 0 },
  ...{ width: 1280, height: 720, quality: 85, patience: seconds(20) },
});

const plant = (id: string, device?: string): PlantHardwareConfig => ({
  id,
  probe: { address: 0x48, channel: 0, calibration: { dry: volts(2.75), wet: volts(1.2) } },
  pump: { flow: 1.5 as MlPerSecond },
  ...(device && { camera: webcam(device) }),
});

t.test("each plant with a camera has one, in the order of the plants, and others are absent", async (t) => {
  const plants = [plant("basil", "/dev/video2"), plant("mint"), plant("fern", "/dev/video0")];
  t.same([...openCameras(plants, new WatchedClock()).keys()], ["basil", "fern"]);
});

t.test("plants before one camera take turns at it, each with a picture of its own", async (t) => {
  const busy = "n=0; while [ $n -lt 5000 ]; do n=$((n+1)); done";
  const command = fakeProgram(t, `echo in >> log; ${busy}; cat picture.jpg; echo out >> log`);
  const plants = [plant("basil", "/dev/video0"), plant("mint", "/dev/video0")];
  const cameras = openCameras(plants, new WatchedClock(), () => command);
  const photos = await Promise.all([...cameras.values()].map((camera) => camera.capture()));
  t.match(photos, [{ width: 64 }, { width: 64 }]);
  t.equal(fileOf(t, "log"), "in\nout\nin\nout\n");
});

t.test("plants before two cameras do not wait for each other", async (t) => {
  const command = fakeProgram(
    t,
    "if [ $1 = 0 ]; then read line < leave; else echo go > leave; fi; cat picture.jpg",
  );
  const plants = [plant("basil", "/dev/video0"), plant("mint", "/dev/video1")];
  const cameras = openCameras(plants, new WatchedClock(), ({ ...wiring }) => ({
    ...command,
    args: ["device" in wiring ? wiring.device.slice(-1) : ""],
  }));
  const photos = await Promise.all([...cameras.values()].map((camera) => camera.capture()));
  t.equal(photos.length, 2, "the first needs the second to begin before it can end");
});
