import { moved, type TimeWindow } from "./time-window.js";

/** Fingers and mouse on the chart: one drags it, two also stretch it. */

/** Pixels. A choice: a tap trembles less. */
const TREMBLE = 6;

interface Followed {
  readonly latest: number;
  /** While the fingers move. */
  readonly show: (window: TimeWindow) => void;
  /** When they are lifted. */
  readonly done: (window: TimeWindow) => void;
}

/** Follows the pointers on `over`. Returns whether the last press moved the chart, and so was no tap. */
export function followFingers(over: HTMLElement, first: TimeWindow, followed: Followed): () => boolean {
  const fingers = new Map<number, number>();
  let [base, shown] = [first, first];
  let before: readonly number[] = [];
  let hasMoved = false;
  const begin = () => {
    base = shown;
    before = [...fingers.values()];
  };
  over.addEventListener("pointerdown", ({ pointerId, offsetX }) => {
    if (fingers.size === 0) hasMoved = false;
    fingers.set(pointerId, offsetX);
    over.setPointerCapture(pointerId);
    begin();
  });
  over.addEventListener("pointermove", ({ pointerId, offsetX }) => {
    if (!fingers.has(pointerId)) return;
    fingers.set(pointerId, offsetX);
    const after = [...fingers.values()];
    hasMoved ||= after.some((x, finger) => Math.abs(x - (before[finger] ?? x)) > TREMBLE);
    if (!hasMoved) return;
    shown = moved(base, { width: over.clientWidth, before, after, latest: followed.latest });
    followed.show(shown);
  });
  const lift = ({ pointerId }: PointerEvent) => {
    if (!fingers.delete(pointerId)) return;
    begin();
    if (fingers.size === 0 && hasMoved) followed.done(shown);
  };
  over.addEventListener("pointerup", lift);
  over.addEventListener("pointercancel", lift);
  return () => hasMoved;
}
