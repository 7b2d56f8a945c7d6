import { minutes } from "../../clock.js";
import type { CycleRecord, RunResult } from "../result.js";
import { across, instant, keyEntry, PLOT_WIDTH, type Scale } from "./chart.js";
import { duration, figure, figures, html, type Markup, table, when } from "./markup.js";
import { type TimeFrame, timeAxis } from "./time-frame.js";

/** When the agent cared for each plant, and which cycles it completed. */
export const cyclesSection = (result: RunResult, frame: TimeFrame): Markup => html`
<section><h2>Care cycles</h2>
<p class="quiet">One every ${duration(minutes(result.everyMinutes))} of the plant's time.</p>
${result.cycles.length === 0 ? html`<p class="quiet">No cycle was run.</p>` : cycleCharts(result, frame)}
</section>`;

function cycleCharts({ cycles, plants }: RunResult, frame: TimeFrame): Markup {
  const name = (id: string) => plants.find((plant) => plant.id === id)?.name ?? id;
  const rows = grouped(cycles, ({ plant }) => plant);
  return html`
<div class="chart">${rows.map((row) => cycleStrip(name(row.key), row, frame.time))}${timeAxis(frame)}</div>
${countTable(rows, name)}
${reasonTable(cycles)}`;
}

const HEIGHT = 20;
/** Incomplete cycles are taller, to tell them apart without colour. */
const STROKES = { completed: { top: 8, height: 12 }, incomplete: { top: 0, height: HEIGHT } };

function cycleStrip(name: string, { members }: Group<CycleRecord>, time: Scale): Markup {
  const done = members.filter(({ completed }) => completed);
  const undone = members.filter(({ completed }) => !completed);
  return html`
<div class="panel"><p class="panel-head"><b>${name}</b>${keyEntry("completed", `completed: ${figure(done.length)}`)}${keyEntry("incomplete", `incomplete: ${figure(undone.length)}`)}</p>
<svg role="img" aria-label="Cycles of ${name}: ${done.length} completed, ${undone.length} incomplete" height="${HEIGHT}">
<svg width="100%" height="${HEIGHT}" viewBox="0 0 ${PLOT_WIDTH} ${HEIGHT}" preserveAspectRatio="none">
${strokes("completed", done, time)}${strokes("incomplete", undone, time)}</svg></svg></div>`;
}

/** One stroke for all cycles on the same tenth of a pixel. */
function strokes(name: keyof typeof STROKES, cycles: readonly CycleRecord[], time: Scale): Markup {
  const { top, height } = STROKES[name];
  const places = new Set(cycles.map(({ at }) => across(time, instant(at, "a cycle's time"))));
  return html`<path class="line ${name}" d="${[...places].map((x) => `M${x},${top}v${height}`).join("")}"/>`;
}

const countTable = (rows: readonly Group<CycleRecord>[], name: (id: string) => string): Markup =>
  table(
    ["Plant", ...figures("Cycles", "Completed", "Incomplete", "Rounds", "Calls", "Tokens")],
    rows.map(({ key, members }) => {
      const sum = (of: (cycle: CycleRecord) => number) =>
        members.reduce((total, cycle) => total + of(cycle), 0);
      const completed = sum((cycle) => (cycle.completed ? 1 : 0));
      const counts = [members.length, completed, members.length - completed];
      const work = [sum(({ rounds }) => rounds), sum(({ calls }) => calls), sum(({ tokens }) => tokens)];
      return [name(key), ...[...counts, ...work].map((count) => figure(count))];
    }),
  );

function reasonTable(cycles: readonly CycleRecord[]): Markup | "" {
  const undone = cycles.filter(({ completed }) => !completed);
  if (undone.length === 0) return "";
  return table(
    ["What was missing", ...figures("Times"), "First", "Last"],
    grouped(undone, ({ reason }) => reason).map(({ key, members, first, last }) => [
      key,
      figure(members.length),
      when(first),
      when(last),
    ]),
  );
}

/** Records with the same key, with the times of the earliest and the latest. */
export interface Group<T> {
  readonly key: string;
  readonly members: readonly T[];
  readonly first: string;
  readonly last: string;
}

/** In the order in which the keys first occur. */
export function grouped<T extends { readonly at: string }>(
  records: readonly T[],
  keyOf: (record: T) => string,
): readonly Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const members = groups.get(keyOf(record));
    if (members) members.push(record);
    else groups.set(keyOf(record), [record]);
  }
  return [...groups].map(([key, members]) => {
    const times = members.map(({ at }) => at);
    times.sort((a, b) => instant(a, "a record's time") - instant(b, "a record's time"));
    return { key, members, first: times[0] ?? "", last: times.at(-1) ?? "" };
  });
}

/** The most frequent first; equally frequent ones by name, for a fixed order. */
export const byCount = <T>(groups: readonly Group<T>[]): readonly Group<T>[] =>
  [...groups].sort((a, b) => b.members.length - a.members.length || (a.key < b.key ? -1 : 1));
