import { blend, type Canvas, type Colour, darker, lighter } from "../canvas.js";
import { box, oval, stroke } from "./shapes.js";

/** The pot's axis, and where the table begins. The window is left of all that grows. */
export const CENTRE = 192;
export const TABLE_EDGE = 190;
export const WINDOW = { left: 14, top: 22, right: 92, bottom: 132 } as const;

const WALL = { upper: [240, 234, 220], lower: [212, 204, 188] } as const;
const TABLE: Colour = [184, 136, 92];
const FRAME: Colour = [238, 234, 224];

/** A wall, a window frame and a wooden table, as they look in white light. */
export function paintRoom(canvas: Canvas): void {
  canvas.fill(box(0, 0, canvas.width, TABLE_EDGE), (_, y) => blend(WALL.upper, WALL.lower, y / TABLE_EDGE));
  paintFrame(canvas);
  paintTable(canvas);
}

function paintFrame(canvas: Canvas): void {
  const { left, top, right, bottom } = WINDOW;
  canvas.glow({ centre: [54, 82], radii: [50, 64], colour: [120, 108, 90], opacity: 0.25 });
  canvas.fill(box(left - 6, top - 6, right + 6, bottom + 6), FRAME);
  canvas.fill(box(left - 11, bottom + 5, right + 11, bottom + 11), lighter(FRAME, 0.4));
  canvas.fill(box(left - 11, bottom + 11, right + 11, bottom + 13), darker(FRAME, 0.25));
}

function paintTable(canvas: Canvas): void {
  const depth = canvas.height - TABLE_EDGE;
  canvas.fill(box(0, TABLE_EDGE, canvas.width, canvas.height), (_, y) =>
    blend(lighter(TABLE, 0.14), darker(TABLE, 0.12), (y - TABLE_EDGE) / depth),
  );
  for (let grain = 1; grain < 9; grain++) {
    const y = TABLE_EDGE + 2 + grain * grain * 0.62;
    canvas.fill(
      stroke(
        [
          [0, y],
          [110, y + (grain % 3)],
          [320, y - (grain % 2)],
        ],
        0.9,
      ),
      darker(TABLE, 0.35),
      0.35,
    );
  }
  canvas.fill(box(0, TABLE_EDGE - 1, canvas.width, TABLE_EDGE + 1), lighter(TABLE, 0.35), 0.8);
  canvas.fill(oval(CENTRE + 8, 221, 62, 11), darker(TABLE, 0.7), 0.25);
}
