import { useShared } from "./context.tsx";
import { oneDecimal } from "./figures.js";
import { save } from "./parts.tsx";
import { csvOf, eventsCsvOf, hasAir, type StoryEvent } from "./story-data.js";
import type { StoryData } from "./story-query.js";

/** The chart in figures, for those who cannot see it, and to take along with what happened. */
export function Table(of: {
  readonly data: StoryData;
  readonly events: readonly StoryEvent[];
  readonly plant: string;
}) {
  const { words, clock } = useShared();
  const { rows, light, to } = of.data;
  const withAir = hasAir(rows);
  const day = new Date(to).toISOString().slice(0, 10);
  const figures = () => save(`tendril-${of.plant}-${day}.csv`, new Blob([csvOf(rows)], { type: "text/csv" }));
  const events = () =>
    save(
      `tendril-${of.plant}-${day}-events.csv`,
      new Blob([eventsCsvOf(of.events, light)], { type: "text/csv" }),
    );
  return (
    <details class="card wide">
      <summary>{words.table}</summary>
      <div class="buttons">
        <button type="button" class="button" onClick={figures}>
          {words.csv}
        </button>
        <button type="button" class="button" onClick={events}>
          {words.csvEvents}
        </button>
      </div>
      <div class="table">
        <table>
          <thead>
            <tr>
              {[...words.columns, ...(withAir ? [words.key.air] : [])].map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ from, to: end, moisture, readings, ml, doses, air }) => (
              <tr key={from}>
                <td>{clock.minute(from)}</td>
                <td>{clock.minute(end)}</td>
                <td>{moisture === null ? "–" : words.percent(moisture)}</td>
                <td>{readings}</td>
                <td>{ml === 0 ? "–" : `${Math.round(ml)} ml`}</td>
                <td>{doses === 0 ? "–" : doses}</td>
                {withAir && <td>{typeof air === "number" ? oneDecimal(air) : "–"}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
