interface Vertex {
  readonly point: readonly number[];
  readonly cost: number;
}

/** Reflection, expansion, contraction and shrinkage of Nelder and Mead (1965, Computer Journal 7:308–313). */
const MOVE = { reflect: 1, expand: 2, contract: 0.5, shrink: 0.5 };

/** The point of least cost that the simplex method finds from `start`, its first edges `step` long, in so many rounds. */
export function nelderMead(
  cost: (point: readonly number[]) => number,
  start: readonly number[],
  step: number,
  rounds: number,
): Vertex {
  const vertexAt = (point: readonly number[]): Vertex => ({ point, cost: cost(point) });
  const edges = start.map((_, axis) => start.map((value, other) => (other === axis ? value + step : value)));
  let simplex = [start, ...edges].map(vertexAt);
  for (let round = 0; round < rounds; round++) {
    simplex.sort((a, b) => a.cost - b.cost);
    simplex = improved(simplex, vertexAt);
  }
  return simplex.toSorted((a, b) => a.cost - b.cost)[0] ?? vertexAt(start);
}

/** @param simplex best first */
function improved(simplex: readonly Vertex[], vertexAt: (point: readonly number[]) => Vertex): Vertex[] {
  const [best, worst] = [simplex[0], simplex.at(-1)];
  if (!best || !worst) throw new RangeError("a simplex without corners");
  const others = simplex.slice(0, -1);
  const centre = best.point.map((_, axis) => mean(others.map(({ point }) => point[axis] ?? Number.NaN)));
  const along = (share: number) =>
    vertexAt(centre.map((value, axis) => value + share * (value - (worst.point[axis] ?? Number.NaN))));
  const moved = moveOf(along, best.cost, others.at(-1)?.cost ?? best.cost, worst.cost);
  if (moved.cost < worst.cost) return [...others, moved];
  const towards = (point: readonly number[]) =>
    point.map((value, axis) => (best.point[axis] ?? Number.NaN) * (1 - MOVE.shrink) + value * MOVE.shrink);
  return [best, ...simplex.slice(1).map(({ point }) => vertexAt(towards(point)))];
}

function moveOf(along: (share: number) => Vertex, best: number, second: number, worst: number): Vertex {
  const reflected = along(MOVE.reflect);
  if (reflected.cost < best) {
    const expanded = along(MOVE.expand);
    return expanded.cost < reflected.cost ? expanded : reflected;
  }
  if (reflected.cost < second) return reflected;
  return along(reflected.cost < worst ? MOVE.contract : -MOVE.contract);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
