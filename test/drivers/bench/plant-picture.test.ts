import { createHash } from "node:crypto";
import t from "tap";
import { BenchCamera, paintPlant, type Scene } from "../../../drivers/bench/bench-camera.js";
import type { Canvas } from "../../../drivers/bench/picture/canvas.js";
import { Camera } from "../../../drivers/devices/camera.js";
import { ppfd } from "../../../drivers/units.js";

const FORMS = ["leafy", "tomato", "fern", "cactus"] as const;
const HEALTHY: Scene = {
  form: "leafy",
  canopy: 0.8,
  turgor: 1,
  yellowing: 0,
  dead: false,
  soilWetness: 0.5,
  ponded: 0,
  daylight: ppfd(180),
  lit: false,
  covered: false,
  seed: 7,
};
/** From drought to flood. */
const SERIES = [
  { soilWetness: 0.05, turgor: 0.1, yellowing: 0.5 },
  { soilWetness: 0.25, turgor: 0.55, yellowing: 0.15 },
  { soilWetness: 0.5 },
  { soilWetness: 0.75 },
  { soilWetness: 1, turgor: 0.8, yellowing: 0.25, ponded: 0.8 },
] as const;

type Pixel = readonly [red: number, green: number, blue: number, x: number, y: number];
type Region = readonly [left: number, top: number, right: number, bottom: number];

const paintAnew = (change: Partial<Scene>): Canvas => paintPlant({ ...HEALTHY, ...change });
const digest = ({ data }: Canvas) => createHash("sha256").update(data).digest("hex");

const painted = new Map<string, Canvas>();
/** Each scene once: several tests look at the same, and none changes it. */
function paint(change: Partial<Scene>): Canvas {
  const scene = JSON.stringify({ ...HEALTHY, ...change });
  const canvas = painted.get(scene) ?? paintAnew(change);
  painted.set(scene, canvas);
  return canvas;
}
/** Right of the window: nothing else there is green. */
const PLANT: Region = [105, 20, 320, 240];
/** The front of the pot's mouth, which a seedling leaves free. */
const SOIL: Region = [175, 170, 210, 176];
const TABLE: Region = [120, 224, 260, 234];

/** Those of a kind: to note all of a million would take longer than to paint them. */
function pixels(
  { data, width }: Canvas,
  [left, top, right, bottom]: Region,
  is: IsColour = () => true,
): Pixel[] {
  const found: Pixel[] = [];
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1) {
      const at = (y * width + x) * 4;
      const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
      if (is(red, green, blue)) found.push([red, green, blue, x, y]);
    }
  return found;
}
type IsColour = (red: number, green: number, blue: number) => boolean;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const brightness = (canvas: Canvas, region: Region) =>
  mean(pixels(canvas, region).map(([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue));
const greenOf = (canvas: Canvas) =>
  pixels(canvas, PLANT, (red, green, blue) => green > red + 8 && green > blue + 8);
/** Pixels below the picture's upper edge: more is lower. */
const middleOf = (found: readonly Pixel[]) => mean(found.map(([, , , , y]) => y));
const rises = (values: readonly number[]) =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));

t.test("the same scene gives the same bytes, another seed other leaves, in every form", async (t) => {
  for (const form of FORMS) {
    t.equal(digest(paintAnew({ form })), digest(paint({ form })), form);
    t.not(digest(paint({ form, seed: 8 })), digest(paint({ form })), form);
  }
});

t.test("no two forms look alike", async (t) => {
  const pictures = FORMS.map((form) => digest(paint({ form })));
  t.equal(new Set(pictures).size, FORMS.length);
});

t.test("soil darkens from drought to saturation", async (t) => {
  const levels = [0.05, 0.25, 0.5, 0.75, 1].map((soilWetness) =>
    brightness(paint({ canopy: 0, soilWetness }), SOIL),
  );
  t.ok(rises(levels.toReversed()), levels.join(", "));
});

t.test("the leaves of every form sink as turgor falls", async (t) => {
  for (const form of FORMS) {
    const middles = [1, 0.7, 0.4, 0.1].map((turgor) => middleOf(greenOf(paint({ form, turgor }))));
    t.ok(rises(middles), `${form}: ${middles.join(", ")}`);
  }
});

t.test("less is green the more is yellow, and nothing of a dead plant", async (t) => {
  for (const form of FORMS) {
    const areas = [0, 0.25, 0.5, 0.9].map((yellowing) => greenOf(paint({ form, yellowing })).length);
    t.ok(rises(areas.toReversed()), `${form}: ${areas.join(", ")}`);
    const dead = greenOf(paint({ form, dead: true, turgor: 0, yellowing: 1 })).length;
    t.ok(dead < 0.02 * (areas[0] ?? 0), `${form}: ${dead}`);
  }
});

t.test("a plant covers more the more it has grown", async (t) => {
  for (const form of FORMS) {
    const areas = [0, 0.25, 0.5, 0.75, 1].map((canopy) => greenOf(paint({ form, canopy })).length);
    t.ok(rises(areas), `${form}: ${areas.join(", ")}`);
  }
});

t.test(
  "five pictures from drought to flood: it stands up and greens to the middle, and yellows in the flood",
  async (t) => {
    for (const form of FORMS) {
      const series = SERIES.map((change) => paint({ form, ...change }));
      const middles = series.map((canvas) => middleOf(greenOf(canvas)));
      t.ok(rises(middles.slice(0, 3).toReversed()), `${form}: ${middles.join(", ")}`);
      const areas = series.map((canvas) => greenOf(canvas).length);
      t.ok(rises(areas.slice(0, 3)) && (areas[4] ?? 0) < (areas[3] ?? 0), `${form}: ${areas.join(", ")}`);
    }
  },
);

t.test("standing water is blue and brighter than wet soil; at the rim it runs onto the table", async (t) => {
  const wet = { canopy: 0, soilWetness: 1 };
  const blue = (ponded: number) =>
    pixels(paint({ ...wet, ponded }), SOIL).filter(([red, , blue]) => blue > red + 5).length;
  t.ok(rises([blue(0), blue(0.1), blue(0.8)]), [blue(0), blue(0.1), blue(0.8)].join(", "));
  t.ok(brightness(paint({ ...wet, ponded: 0.8 }), SOIL) > 1.5 * brightness(paint(wet), SOIL));
  const table = (ponded: number) => brightness(paint({ ...wet, ponded }), TABLE);
  t.equal(table(0.8), table(0));
  t.not(table(1), table(0));
});

const photo = (change: Partial<Scene>) =>
  new Camera(new BenchCamera("the camera", () => ({ ...HEALTHY, ...change }))).capture();

t.test("a photo is dark at night and behind a covered lens, never at dawn or by lamp", async (t) => {
  for (const form of FORMS) {
    t.match(await photo({ form, daylight: ppfd(0) }), { dark: true });
    t.match(await photo({ form, covered: true, lit: true }), { dark: true, luminance: 0 });
    t.match(await photo({ form, daylight: ppfd(10) }), { dark: false });
    t.match(await photo({ form, daylight: ppfd(0), lit: true }), { dark: false });
  }
});

t.test("the more daylight, the brighter; a lamp adds to it, and its light is pink", async (t) => {
  const levels = await Promise.all([0, 10, 40, 150, 300].map((at) => photo({ daylight: ppfd(at) })));
  t.ok(rises(levels.map(({ luminance }) => luminance)));
  t.ok((await photo({ lit: true })).luminance > (await photo({})).luminance);
  const wall = pixels(paint({ daylight: ppfd(0), lit: true }), [180, 30, 205, 45]);
  t.ok(wall.every(([red, green, blue]) => red > 1.2 * green && blue > 1.1 * green));
});
