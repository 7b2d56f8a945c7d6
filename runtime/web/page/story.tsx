import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Overview } from "../../wire/overview.js";
import { Chart } from "./chart.tsx";
import { useAnswer, useShared } from "./context.tsx";
import { Events } from "./events.tsx";
import { at } from "./figures.js";
import { ChoosePlant } from "./parts.tsx";
import { csvOf, eventsOf, RANGE_NAMES, RANGES, type RangeName, type StoryEvent } from "./story-data.js";
import { MARK_NAMES, MARKS, markOf } from "./story-marks.js";
import { queryStory, type StoryData } from "./story-query.js";
import { WhyInStory } from "./why-view.tsx";

const HOUR = 3_600_000;

/** One chart of a plant's soil with all that happened to it, and the reasons. */
export function Story({ overview }: { readonly overview: Overview }) {
  const { house, words, clock, now, nowMs } = useShared();
  const [range, setRange] = useState<RangeName>("day");
  const [chosenPlant, setPlant] = useState(overview.plants[0]?.plant ?? "");
  /** How many ranges back; 0: until now. */
  const [back, setBack] = useState(0);
  const [chosen, choose] = useState<StoryEvent>();
  const plant = overview.plants.find((each) => each.plant === chosenPlant) ?? overview.plants[0];
  const end = new Date(nowMs - back * RANGES[range].hours * HOUR).toISOString();
  // a new end every minute of the plant's time, and after each dose
  const data = useAnswer(
    () => queryStory(house, plant?.plant ?? "", range, end),
    [plant?.plant, range, back, back === 0 && Math.floor(at(now) / 60_000), plant?.water?.used_ml],
  );
  if (!plant) return null;
  const show = (name: RangeName) => {
    setRange(name);
    setBack(0);
    choose(undefined);
  };
  const events = data ? eventsOf(data.doses, data.record) : [];
  return (
    <section class="story">
      <div class="card wide">
        <div class="story-head">
          <ChoosePlant plants={overview.plants} plant={plant} choose={setPlant} />
          <fieldset class="ranges">
            <legend class="unseen">{words.range}</legend>
            {RANGE_NAMES.map((name) => (
              <button key={name} type="button" aria-pressed={name === range} onClick={() => show(name)}>
                {words.ranges[name]}
              </button>
            ))}
          </fieldset>
        </div>
        {data ? (
          <Drawn data={data} events={events} name={plant.name} choose={choose} />
        ) : (
          <p class="chart quiet">{words.connecting}</p>
        )}
        <div class="story-foot">
          <span class="quiet">
            {data && `${clock.minute(data.from)} – ${clock.minute(data.to)} ${clock.zone}`}
          </span>
          <span class="buttons">
            <button type="button" class="button plain" onClick={() => setBack(back + 1)}>
              ‹ {words.earlier}
            </button>
            <button
              type="button"
              class="button plain"
              disabled={back === 0}
              onClick={() => setBack(back - 1)}
            >
              {words.later} ›
            </button>
          </span>
        </div>
      </div>
      {data && RANGES[range].isShort && (
        <WhyInStory
          plant={plant}
          found={{ ...data, until: back === 0 ? undefined : end }}
          range={words.ranges[range].toLowerCase()}
        />
      )}
      {data && (
        <Events
          plant={plant}
          data={data}
          events={events}
          chosen={chosen}
          choose={choose}
          isShort={RANGES[range].isShort}
        />
      )}
      {data && <Table data={data} plant={plant.plant} />}
    </section>
  );
}

function Drawn({
  data,
  events,
  name,
  choose,
}: {
  readonly data: StoryData;
  readonly events: readonly StoryEvent[];
  readonly name: string;
  readonly choose: (event: StoryEvent) => void;
}) {
  const { words, clock } = useShared();
  const having = data.rows.filter(({ readings }) => readings > 0).length;
  return (
    <>
      <Chart
        data={data}
        events={events}
        label={words.chart(name, clock.minute(data.from), clock.minute(data.to))}
        choose={choose}
      />
      <p class="key quiet" aria-hidden="true">
        <i class="k-soil" /> {words.key.moisture} <i class="k-water" /> {words.key.dose} <i class="k-light" />{" "}
        {words.key.light} <MarksKey events={events} />
      </p>
      <p class="quiet">
        {words.coverage(having, data.rows.length)} {data.hidden > 0 && words.dosesHidden(data.hidden)}
      </p>
    </>
  );
}

/** The marks that the chart has now. */
function MarksKey({ events }: { readonly events: readonly StoryEvent[] }) {
  const { words } = useShared();
  const shown = new Set(events.map(markOf));
  const names = MARK_NAMES.filter((name) => shown.has(name));
  return (
    <>
      {names.map((name) => (
        <Fragment key={name}>
          <svg class={`k-mark ${MARKS[name].tone}`} viewBox="-1.5 -1.5 3 3" aria-hidden="true">
            <path class={MARKS[name].isFilled ? "full" : ""} d={MARKS[name].path} />
          </svg>{" "}
          {words.key[name]}{" "}
        </Fragment>
      ))}
    </>
  );
}

/** The chart in figures, for those who cannot see it, and to take along. */
function Table({ data, plant }: { readonly data: StoryData; readonly plant: string }) {
  const { words, clock } = useShared();
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csvOf(data.rows)], { type: "text/csv" }));
    link.download = `tendril-${plant}-${new Date(data.to).toISOString().slice(0, 10)}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <details class="card wide">
      <summary>{words.table}</summary>
      <button type="button" class="button plain" onClick={save}>
        {words.csv}
      </button>
      <div class="table">
        <table>
          <thead>
            <tr>
              {words.columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.toReversed().map(({ from, to, moisture, readings, ml, doses }) => (
              <tr key={from}>
                <td>{clock.minute(from)}</td>
                <td>{clock.minute(to)}</td>
                <td>{moisture === null ? "–" : words.percent(moisture)}</td>
                <td>{readings}</td>
                <td>{ml === 0 ? "–" : `${Math.round(ml)} ml`}</td>
                <td>{doses === 0 ? "–" : doses}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
