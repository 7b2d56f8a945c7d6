import type { Extreme, Level } from "./rollup-levels.js";
import type { SeriesLayout } from "./rollup-schema.js";

interface Among {
  readonly column: string;
  readonly extreme: Extreme;
  /** SQL of the table `edge`, and of which rows are of the series. */
  readonly edges: string;
  readonly where: string;
}

/**
 * SQL for the least or greatest value of each bucket, null where it has none, as one JSON array. From the highest level down: the
 * units that lie wholly in a bucket count at once. Of a unit that an edge cuts, the level below is read only if the unit's
 * own extreme is beyond what was found; where it is not, no level below can have any.
 */
export function extremesSql(
  layout: SeriesLayout,
  levels: readonly Level[],
  { column, extreme, edges, where }: Among,
): string {
  const nothing = extreme === "min" ? "9e999" : "-9e999";
  const its = (level: Level | undefined) => (extreme === "min" ? level?.lowest : level?.highest)?.(column);
  const isBeyond = extreme === "min" ? "<" : ">";
  const among = (level: Level | undefined, what: string, from: string, until: string) =>
    `(SELECT ${what} FROM ${level?.table(layout)} WHERE ${where} AND ${level?.position} >= ${from} AND ${level?.position} < ${until})`;
  const within = (level: Level, from: string, until: string) =>
    `coalesce(${among(level, `${extreme}(${its(level)})`, from, until)}, ${nothing})`;

  const top = levels.length - 1;
  const columns = levels.map((_, at) => `from${at}, until${at}`);
  const positions = levels.map(
    ({ ms }, at) => `(was0 + ${ms - 1}) / ${ms} AS from${at}, at0 / ${ms} AS until${at}`,
  );
  /** Whether the unit of a level may have something beyond what was found; it cannot where the unit above it has none. */
  const isOpen = (side: "head" | "tail", at: number, unit: string) => {
    const beyond = `${among(levels[at], `${its(levels[at])}`, unit, `${unit} + 1`)} ${isBeyond} best`;
    return at === top ? beyond : `${side} AND ${beyond}`;
  };
  /** What an edge cuts off a bucket, on both sides: `head` and `tail` say whether it is looked through. */
  const foundAt = (level: Level, at: number, head: string, tail: string): string => {
    const ratio = levels[at + 1]?.ratio;
    const behindHead = `min(from${at + 1} * ${ratio}, until${at})`;
    const side = (isLookedThrough: string, from: string, until: string) =>
      `iif(${isLookedThrough}, ${within(level, from, until)}, best)`;
    return `${extreme}(best, ${side(head, `from${at}`, behindHead)}, ${side(tail, `max(until${at + 1} * ${ratio}, ${behindHead})`, `until${at}`)})`;
  };
  const steps = levels.flatMap((level, at) => {
    if (at === top)
      return [
        `found${at} AS MATERIALIZED (SELECT k, ${columns}, ${within(level, `from${at}`, `until${at}`)} AS best FROM bucket)`,
      ];
    const [head, tail] = [
      isOpen("head", at + 1, `from${at + 1} - 1`),
      isOpen("tail", at + 1, `until${at + 1}`),
    ];
    if (at === 0)
      return [`found0 AS MATERIALIZED (SELECT k, ${foundAt(level, at, head, tail)} AS best FROM found1)`];
    return [
      `found${at} AS MATERIALIZED (SELECT k, ${columns}, head, tail, ${foundAt(level, at, "head", "tail")} AS best FROM open${at})`,
      `open${at} AS MATERIALIZED (SELECT k, ${columns}, ${head} AS head, ${tail} AS tail, best FROM found${at + 1})`,
    ];
  });
  return `WITH ${edges}, bucket AS MATERIALIZED (SELECT k, ${positions} FROM edge WHERE k > 0), ${steps.toReversed()}
    SELECT json_group_array(nullif(best, ${nothing})) AS found FROM found0`;
}
