import type { Look } from "../bench-plant.js";
import { ramp } from "../math.js";
import { blend, type Canvas, type Colour, darker, lighter, type Point } from "./canvas.js";
import { BROWN, type Growth, type PaintGrowth } from "./plants.js";
import { between, type Chance, ribbon, stroke, way } from "./shapes.js";

const GREEN: Colour = [78, 138, 84];
const SALLOW: Colour = [176, 168, 84];
const SPINE: Colour = [246, 226, 150];
const SOFT: Colour = [112, 74, 42];
/** Ribs that are seen from one side. */
const RIBS = 8;

/** What is left of a barrel: it shrinks and leans as it loses water, and slumps when dead. */
interface Barrel {
  readonly foot: Point;
  readonly height: number;
  readonly girth: number;
  readonly lean: number;
  /** Depth of its wrinkles. */
  readonly wrinkled: number;
}

/** A ribbed barrel with golden spines. */
export const paintCactus: PaintGrowth = (growth) => {
  const { canvas, look, foot, chance } = growth;
  const barrel = barrelOf(look, foot);
  const colour = skin(look);
  const left = foot[0] - barrel.girth;
  canvas.fill(outlineOf(barrel), (x) =>
    blend(
      lighter(colour, 0.14),
      darker(colour, 0.5),
      ramp(x, left + barrel.girth * 0.5, left + barrel.girth * 2.1),
    ),
  );
  for (let rib = 1; rib < RIBS; rib++) paintRib(canvas, barrel, colour, -Math.cos((Math.PI * rib) / RIBS));
  paintWrinkles(canvas, barrel, colour, chance);
  paintPatches(canvas, barrel, look, chance);
  for (let rib = 1; rib < RIBS; rib++) paintSpines(growth, barrel, rib);
};

function barrelOf({ canopy, turgor, dead }: Look, foot: Point): Barrel {
  const lost = dead ? 1 : 1 - turgor;
  const size = between(10, 42, canopy);
  return {
    foot: [foot[0], foot[1] + 4],
    height: size * 1.95 * between(1, 0.66, lost) * (dead ? 0.8 : 1),
    girth: size * between(1, 0.68, lost),
    lean: between(0, 0.34, lost * lost) * size,
    wrinkled: ramp(lost, 0.15, 0.9),
  };
}

const skin = ({ turgor, yellowing, dead }: Look): Colour =>
  dead ? BROWN : blend(blend(GREEN, [134, 140, 92], 0.5 * (1 - turgor)), SALLOW, 0.55 * yellowing);

/** From the foot to the crown, `aside` −1 the left outline to 1 the right one. */
function meridian({ foot, height, girth, lean, wrinkled }: Barrel, aside: number): Point[] {
  const bulge = 0.16 * girth * Math.sqrt(Math.max(0, 1 - aside * aside));
  return Array.from({ length: 25 }, (_, step) => {
    const at = step / 24;
    const round = Math.max(0, Math.sin(Math.PI * between(0.24, 1, at))) ** 0.42;
    const fold = 1 + 0.05 * wrinkled * Math.sin(at * 40);
    return [
      foot[0] + aside * round * girth * fold + lean * at * at,
      foot[1] - at * height + bulge * (1 - at),
    ];
  });
}

/** Its two sides, and the bulge of its foot. */
const outlineOf = (barrel: Barrel): Point[] => [
  ...meridian(barrel, -1).reverse(),
  ...[-0.9, -0.7, -0.4, 0, 0.4, 0.7, 0.9].map((aside) => meridian(barrel, aside)[0] ?? barrel.foot),
  ...meridian(barrel, 1),
];

/** The groove beside a rib is dark, its ridge bright. */
function paintRib(canvas: Canvas, barrel: Barrel, colour: Colour, aside: number): void {
  const depth = between(0.3, 0.5, barrel.wrinkled);
  const groove = meridian(barrel, aside + 0.13 * (1 - Math.abs(aside)));
  canvas.fill(
    ribbon(groove, (at) => (0.5 + barrel.girth / 26) * Math.sin(Math.PI * between(0.15, 1, at))),
    darker(colour, 0.55),
    depth,
  );
  canvas.fill(stroke(meridian(barrel, aside), barrel.girth / 18), lighter(colour, 0.35), 0.45);
}

function paintWrinkles(canvas: Canvas, barrel: Barrel, colour: Colour, chance: Chance): void {
  if (barrel.wrinkled === 0) return;
  for (let fold = 0; fold < 9; fold++) {
    const at = Math.round(between(3, 19, fold / 8));
    const [from, to] = [between(-0.9, -0.2, chance(fold)), between(0.2, 0.9, chance(20 + fold))];
    const line = [0, 0.5, 1].map((share): Point => {
      const [x, y] = meridian(barrel, between(from, to, share))[at] ?? barrel.foot;
      return [x, y + 2.5 * Math.sin(Math.PI * share)];
    });
    canvas.fill(stroke(line, 1.5, 0.6), darker(colour, 0.6), 0.75 * barrel.wrinkled);
  }
}

/** Rot is brown and soft, and rises from the foot. */
function paintPatches(canvas: Canvas, barrel: Barrel, { yellowing, dead }: Look, chance: Chance): void {
  const share = dead ? 0.6 : yellowing;
  for (let patch = 0; patch < Math.ceil(share * 9); patch++) {
    const at = Math.round(24 * between(0.08, 0.1 + share, chance(40 + patch)));
    const centre = meridian(barrel, between(-0.7, 0.7, chance(60 + patch)))[at] ?? barrel.foot;
    const size = barrel.girth * between(0.12, 0.24, chance(80 + patch)) * between(0.8, 1.3, share);
    canvas.glow({ centre, radii: [size, size * 0.8], colour: SOFT, opacity: 0.95 });
  }
}

function paintSpines({ canvas, look, chance }: Growth, barrel: Barrel, rib: number): void {
  const aside = -Math.cos((Math.PI * rib) / RIBS);
  const ridge = meridian(barrel, aside);
  const reach = between(2, 4.6, barrel.girth / 42);
  for (let step = 3; step < 24; step += 3) {
    const [x, y] = ridge[step] ?? barrel.foot;
    for (let spine = 0; spine < 4; spine++) {
      const angle = between(0, 6.28, (spine + 0.7 * chance(200 + rib * 40 + step)) / 4);
      const tip: Point = [x + reach * Math.cos(angle), y + reach * Math.sin(angle)];
      canvas.fill(stroke(way([x, y], tip), 0.9, 0.5), look.dead ? [168, 140, 104] : SPINE, 0.9);
    }
  }
}
