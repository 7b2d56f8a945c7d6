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
 * own extreme is beyond what was found.
 */
export function extremesSql(
  layout: SeriesLayout,
  levels: readonly Level[],
  { column, extreme, edges, where }: Among,
): string {
  const nothing = extreme === "min" ? "9e999" : "-9e999";
  const its = (level: Level | undefined) => (extreme === "min" ? level?.lowest : level?.highest)?.(column);
  const isBeyond = extreme === "min" ? "<" : ">";
  const among = ({ table, position }: Level, what: string, from: string, until: string) =>
    `(SELECT ${what} FROM ${table(layout)} WHERE ${where} AND ${position} >= ${from} AND ${position} < ${until})`;
  const within = (level: Level, from: string, until: string) =>
    `coalesce(${among(level, `${extreme}(${its(level)})`, from, until)}, ${nothing})`;

  const foundAt = (level: Level, at: number): string => {
    const above = levels[at + 1];
    if (!above) return within(level, `from${at}`, `until${at}`);
    const side = (unit: string, from: string, until: string) =>
      `iif(${among(above, `${its(above)}`, unit, `${unit} + 1`)} ${isBeyond} best, ${within(level, from, until)}, best)`;
    const head = `min(from${at + 1} * ${above.ratio}, until${at})`;
    const tail = `max(until${at + 1} * ${above.ratio}, ${head})`;
    return `${extreme}(best, ${side(`from${at + 1} - 1`, `from${at}`, head)}, ${side(`until${at + 1}`, tail, `until${at}`)})`;
  };
  const columns = levels.map((_, at) => `from${at}, until${at}`);
  const positions = levels.map(
    ({ ms }, at) => `(was0 + ${ms - 1}) / ${ms} AS from${at}, at0 / ${ms} AS until${at}`,
  );
  const steps = levels.map(
    (level, at) =>
      `found${at} AS MATERIALIZED (SELECT k, ${columns}, ${foundAt(level, at)} AS best FROM ${at + 1 < levels.length ? `found${at + 1}` : "bucket"})`,
  );
  return `WITH ${edges}, bucket AS MATERIALIZED (SELECT k, ${positions} FROM edge WHERE k > 0), ${steps.toReversed()}
    SELECT json_group_array(nullif(best, ${nothing})) AS found FROM found0`;
}
