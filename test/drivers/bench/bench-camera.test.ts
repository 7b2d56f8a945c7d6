import t from "tap";
import { BenchCamera, type Scene } from "../../../drivers/bench/bench-camera.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millilitres, minutes, ppfd } from "../../../drivers/units.js";
import { benchRig } from "../bench-rig.js";
import { frameSourceContract } from "../frame-source-contract.js";

const at = (time: string) => new SimulatedClock(`2026-06-01T${time}Z`);

t.test("by day the bench's camera gives a real JPEG of a plant that can be seen", async (t) => {
  const { camera } = await benchRig(t, { clock: at("12:00:00") });
  const { jpeg, width, height, luminance, dark } = await camera.capture();
  t.match({ width, height, dark }, { width: 320, height: 240, dark: false });
  t.same([...jpeg.subarray(0, 2), ...jpeg.subarray(-2)], [0xff, 0xd8, 0xff, 0xd9]);
  t.ok(luminance > 100, `luminance ${luminance}`);
});

t.test(
  "at night it is dark, unless the lamp is on: then it can be seen until the lamp goes off",
  async (t) => {
    const clock = at("23:00:00");
    const { camera, light } = await benchRig(t, { clock });
    t.match(await camera.capture(), { dark: true });
    void light.pulse(minutes(30));
    t.match(await camera.capture(), { dark: false });
    await clock.advance(minutes(31));
    t.match(await camera.capture(), { dark: true });
  },
);

t.test("the picture shows the plant as it is: dry and watered look different", async (t) => {
  const clock = at("12:00:00");
  const { camera, pump } = await benchRig(t, { clock });
  const dry = await camera.capture();
  t.same((await camera.capture()).jpeg, dry.jpeg, "nothing has changed yet");
  void pump.dispense(millilitres(25));
  await clock.advance(minutes(10));
  t.not(Buffer.compare((await camera.capture()).jpeg, dry.jpeg), 0);
});

t.test("a covered lens gives a black picture", async (t) => {
  const { camera, bench } = await benchRig(t, { clock: at("12:00:00") });
  bench.faults("basil").camera = "black";
  t.match(await camera.capture(), { luminance: 0, dark: true });
});

t.test("a dead camera gives no photo", async (t) => {
  const { camera, bench } = await benchRig(t);
  bench.faults("basil").camera = "dead";
  await t.rejects(camera.capture(), { code: "CAMERA_FAILED", message: /camera of basil/ });
});

const SCENE: Scene = {
  ...{ form: "leafy", canopy: 0.5, turgor: 1, yellowing: 0, dead: false, soilWetness: 0.5, ponded: 0 },
  ...{ daylight: ppfd(180), lit: false, covered: false, seed: 7 },
};

t.test("the bench's camera is a source of frames as any other", async (t) => {
  frameSourceContract(t, () => ({
    working: new BenchCamera("the camera", () => SCENE),
    dead: new BenchCamera("the camera", () => undefined),
  }));
});
