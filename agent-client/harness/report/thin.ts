/** Time and value; null where there is none. */
export type Sample = readonly [at: number, value: number | null];
export type Point = readonly [at: number, value: number];
/** Unbroken stretches. */
export type Line = readonly (readonly Point[])[];

/**
 * A line of at most about two points a column. Of each column the lowest and the highest sample stay, at their own
 * times, so that no peak is lost; and a column with a gap in it breaks the line, so that no gap is lost.
 */
export function thin(samples: readonly Sample[], columns: number): Line {
  const size = samples.length <= 2 * columns ? 1 : Math.ceil(samples.length / columns);
  const stretches: Point[][] = [[]];
  for (let begin = 0; begin < samples.length; begin += size) {
    addColumn(stretches, samples.slice(begin, begin + size));
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

function addColumn(stretches: Point[][], column: readonly Sample[]): void {
  const points = column.filter((sample): sample is Point => sample[1] !== null);
  const broken = points.length < column.length;
  if (broken && column[0]?.[1] === null) stretches.push([]);
  stretches.at(-1)?.push(...lowAndHigh(points));
  if (broken && column[0]?.[1] !== null) stretches.push([]);
}

/** In their order in time; one point where they are the same. */
function lowAndHigh(points: readonly Point[]): readonly Point[] {
  if (points.length < 2) return points;
  const low = points.reduce((best, point) => (point[1] < best[1] ? point : best));
  const high = points.reduce((best, point) => (point[1] > best[1] ? point : best));
  if (low === high) return [low];
  return low[0] < high[0] ? [low, high] : [high, low];
}
