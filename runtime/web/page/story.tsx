import { useState } from "preact/hooks";
import type { Overview } from "../../wire/overview.js";
import { Chart } from "./chart.tsx";
import { useAnswer, useChanges, useShared } from "./context.tsx";
import { Events } from "./events.tsx";
import { at } from "./figures.js";
import { ChoosePlant, Ranges, Select } from "./parts.tsx";
import {
  axisFrom,
  coverageOf,
  eventsOf,
  hasAir,
  isShort,
  outagesIn,
  RANGE_NAMES,
  RANGES,
  type StoryEvent,
} from "./story-data.js";
import { MARK_NAMES, MARKS, markOf } from "./story-marks.js";
import { NoteForm } from "./story-notes.tsx";
import { queryStory, type StoryData } from "./story-query.js";
import { Table } from "./story-table.tsx";
import type { TimeWindow } from "./time-window.js";
import { WhyInStory } from "./why-view.tsx";

const HOUR = 3_600_000;

/** The time that is shown: hours back from an instant, epoch milliseconds; without it, from now. */
interface Shown {
  readonly hours: number;
  readonly until?: number;
}

/** One chart of a plant's soil with all that happened to it, and the reasons. */
export function Story({ overview }: { readonly overview: Overview }) {
  const { house, words, nowMs, minute } = useShared();
  const [chosenPlant, setPlant] = useState(overview.plants[0]?.plant ?? "");
  const [{ hours, until }, show] = useState<Shown>({ hours: RANGES.day.hours });
  const { version: noted, changed: saved } = useChanges();
  const { room, ...roomChoice } = useRoom(overview);
  const [chosen, choose] = useState<StoryEvent>();
  const plant = overview.plants.find((each) => each.plant === chosenPlant) ?? overview.plants[0];
  const end = new Date(until ?? nowMs).toISOString();
  // a new end every minute of the plant's time, and after each dose
  const data = useAnswer(
    () => queryStory(house, plant?.plant ?? "", hours, end, room),
    [plant?.plant, room, hours, until ?? minute, plant?.water?.used_ml, noted],
  );
  if (!plant) return null;
  const showUntil = (ms: number, over = hours) => show({ hours: over, ...(ms < nowMs && { until: ms }) });
  const select = (over: number) => {
    show({ hours: over });
    choose(undefined);
  };
  // a drag keeps the length of time, also where the axis begins later than that, with the first known reading
  const move = ({ from, to }: TimeWindow) => {
    const drawn = data ? data.to - axisFrom(data) : hours * HOUR;
    const stretch = (to - from) / drawn;
    showUntil(to, Math.abs(stretch - 1) < 0.01 ? hours : Math.max(1, Math.round((to - from) / HOUR)));
  };
  const events = data ? eventsIn(data) : [];
  return (
    <section class="story">
      <div class="card wide">
        <div class="story-head">
          <ChoosePlant plants={overview.plants} plant={plant} choose={setPlant} />
          <Ranges
            label={words.range}
            value={hours}
            options={RANGE_NAMES.map((name) => [RANGES[name].hours, words.ranges[name]])}
            choose={select}
          />
        </div>
        {data ? (
          <Drawn data={data} events={events} name={plant.name} choose={choose} move={move} />
        ) : (
          <NotYet />
        )}
        <ChooseRoom {...roomChoice} room={room} />
        <Foot
          data={data}
          isLatest={until === undefined}
          step={(times) => showUntil((until ?? nowMs) + times * hours * HOUR)}
        />
      </div>
      {data && isShort(hours) && (
        <WhyInStory plant={plant} found={{ ...data, until: until === undefined ? undefined : end }} />
      )}
      {house.isHuman && <NoteForm plant={plant} saved={saved} />}
      {data && (
        <Events
          plant={plant}
          data={data}
          events={events}
          chosen={chosen}
          choose={choose}
          isShort={isShort(hours)}
        />
      )}
      {data && <Table data={data} events={events} plant={plant.plant} />}
    </section>
  );
}

/** The record has ends of outages that came after this time: the chart needs them, the list does not. */
const eventsIn = ({ doses, record, notes, photos, to }: StoryData): StoryEvent[] =>
  eventsOf(
    doses,
    record.filter(({ timestamp }) => at(timestamp) <= to),
    notes,
    photos,
  );

function NotYet() {
  const { view, words } = useShared();
  return <p class="chart quiet">{view.state === "lost" ? words.needsConnection : words.connecting}</p>;
}

/** The time that is shown, and the way to the ones before and after it. */
function Foot(of: {
  readonly data: StoryData | undefined;
  readonly isLatest: boolean;
  readonly step: (times: number) => void;
}) {
  const { words, clock } = useShared();
  const { data } = of;
  return (
    <div class="story-foot">
      <span class="quiet">
        {data && `${clock.minute(axisFrom(data))} – ${clock.minute(data.to)} ${clock.zone}`}
      </span>
      <span class="buttons">
        <button type="button" class="button" onClick={() => of.step(-1)}>
          ‹ {words.earlier}
        </button>
        <button type="button" class="button" disabled={of.isLatest} onClick={() => of.step(1)}>
          {words.later} ›
        </button>
      </span>
    </div>
  );
}

function Drawn({
  data,
  events,
  name,
  choose,
  move,
}: {
  readonly data: StoryData;
  readonly events: readonly StoryEvent[];
  readonly name: string;
  readonly choose: (event: StoryEvent) => void;
  readonly move: (window: TimeWindow) => void;
}) {
  const { words, clock, nowMs } = useShared();
  const { having, all } = coverageOf(data.rows);
  const { since } = data;
  const outages = outagesIn(data.record, data.to).filter(({ from, to }) => to > data.from && from < data.to);
  return (
    <>
      <Chart
        data={data}
        events={events}
        label={words.chart(name, clock.minute(axisFrom(data)), clock.minute(data.to))}
        choose={choose}
        move={move}
      />
      <p class="key quiet" aria-hidden="true">
        {KEYS.filter((name) => name !== "air" || hasAir(data.rows)).map((name) => (
          <span key={name}>
            <i class={KEY_CLASS[name]} /> {words.key[name]}
          </span>
        ))}
        {OUTAGES.filter((why) => outages.some((each) => each.why === why)).map((why) => (
          <span key={why}>
            <i class={OUTAGE_CLASS[why]} /> {words.outages[why]}
          </span>
        ))}
        <MarksKey events={events} />
      </p>
      <p class="quiet">
        {words.coverage(having, all, since === undefined ? undefined : clock.near(since, nowMs))}{" "}
        {data.hidden > 0 && words.dosesHidden(data.hidden)}
      </p>
    </>
  );
}

/** The rooms whose sensor measures the temperature. */
function useRoom({ climate }: Overview) {
  const warm = climate.filter(({ measures }) => measures.includes("temperature_c"));
  const rooms = warm.map(({ place }) => place);
  const [chosen, choose] = useState<string>();
  return { rooms, room: rooms.find((each) => each === chosen) ?? rooms[0], choose };
}

/** Whose air the dashed line is, where there are several rooms. */
function ChooseRoom(of: {
  readonly rooms: readonly string[];
  readonly room: string | undefined;
  readonly choose: (room: string) => void;
}) {
  const { words } = useShared();
  if (of.rooms.length < 2) return null;
  return (
    <p class="quiet room">
      {words.airOf}
      <Select
        label={words.airOf}
        value={of.room}
        options={of.rooms.map((room) => [room, room])}
        choose={of.choose}
      />
    </p>
  );
}

const KEY_CLASS = { moisture: "k-soil", dose: "k-water", light: "k-light", air: "k-air" };
const KEYS = ["moisture", "dose", "light", "air"] as const;
const OUTAGE_CLASS = { probe: "k-probe", off: "k-off" };
const OUTAGES = ["probe", "off"] as const;

function MarksKey({ events }: { readonly events: readonly StoryEvent[] }) {
  const { words } = useShared();
  const shown = new Set(events.map(markOf));
  const names = MARK_NAMES.filter((name) => shown.has(name));
  return (
    <>
      {names.map((name) => (
        <span key={name}>
          <svg class={`k-mark ${MARKS[name].tone}`} viewBox="-1.5 -1.5 3 3" aria-hidden="true">
            <path class={MARKS[name].isFilled ? "full" : ""} d={MARKS[name].path} />
          </svg>{" "}
          {words.key[name]}
        </span>
      ))}
    </>
  );
}
