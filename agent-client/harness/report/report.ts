import { unmarked } from "../../../runtime/wire/phrases.js";
import { hours, minutes } from "../../clock.js";
import type { AlarmScore, CycleRecord, MessageRecord, PlantResult, RunResult, Score } from "../result.js";
import { promptness } from "../scoring.js";
import {
  across,
  keyEntry,
  linear,
  type NumberedEvent,
  panel,
  type Scale,
  type TimeFrame,
  timeAxis,
  timeFrameOf,
} from "./chart.js";
import {
  duration,
  facts,
  figure,
  figures,
  html,
  type Markup,
  type Part,
  points,
  quoted,
  table,
  when,
} from "./markup.js";
import { page } from "./page.js";
import { plantChart } from "./plant-charts.js";
import { byCount, grouped, percent, taken, verdict } from "./summary.js";

/** A run as one HTML file for people. It has no scripts and makes no requests. The same result gives the same bytes. */
export function renderReport(result: RunResult): string {
  const frame = timeFrameOf(result);
  return page(
    `${result.scenario.title}: ${result.model}`,
    html`${head(result)}
${scoreSection(result)}
${result.plants.map((plant, index) => plantSection(plant, frame, `plant-${index + 1}`))}
${eventsSection(frame.events)}
${alarmsSection(result)}
${cyclesSection(result, frame)}
${refusalsSection(result)}
${messagesSection(result)}`,
    html`<p>Times are UTC. Everything on this page, and more, is in <a href="report.json">report.json</a>, which lies beside it.</p>`,
  );
}

const head = (result: RunResult): Markup => html`
<header><h1>${result.scenario.title}</h1>
<p class="verdict">${verdict(result)}</p>
${paragraphs(result.scenario.story)}
</header>`;

const paragraphs = (text: string): Markup[] =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => html`<p>${part.trim()}</p>`);

const plantSection = (plant: PlantResult, frame: TimeFrame, id: string): Markup => html`
<section class="plant"><h2>${plant.name} <span class="species">${plant.species}</span></h2>
${facts(figuresOf(plant))}
${plantChart(plant, frame, id)}
</section>`;

function figuresOf({ score }: PlantResult): (readonly [string, string])[] {
  const { given, need, drained } = score.water;
  return [
    ["at the end", score.alive ? "alive" : "died"],
    ["vigour, mean of 100", figure(score.vigour, 1)],
    ["health, mean of 100", figure(score.health, 1)],
    ["of the time in range", percent(score.inRange)],
    ["water given, ml", figure(given)],
    ["water it could use, ml", figure(need)],
    ["ran out of the pot, ml", figure(drained)],
  ];
}

const scoreSection = ({ score }: RunResult): Markup => html`
<section><h2>Score</h2>
<table class="score">
<tbody>
<tr><th scope="row">The plants: mean of their vigour and days in range</th><td class="figures">${points(score.plants)}</td></tr>
${deductions(score)}
</tbody>
<tfoot><tr><th scope="row">Score, of 100</th><td class="figures">${points(score.total)}</td></tr></tfoot>
</table>
${score.deductions.length === 0 ? html`<p class="quiet">Nothing was deducted.</p>` : ""}
${facts(work(score))}
</section>`;

const deductions = (score: Score): Markup[] =>
  score.deductions.map(
    ({ why, points: amount }) =>
      html`<tr><th scope="row">${why}</th><td class="figures">${taken(amount)}</td></tr>`,
  );

const work = (score: Score): (readonly [string, string])[] => [
  ["cycles", figure(score.cycles)],
  ["incomplete cycles", figure(score.incomplete)],
  ["refused calls", figure(score.refusals)],
  ["messages without answer", figure(score.unanswered)],
  ["statuses not from readings", figure(score.ungrounded)],
  ["tool calls", figure(score.calls)],
  ["tokens", figure(score.tokens)],
];

const promptnessInWords = (alarm: AlarmScore, end: string): string => {
  const late = duration(hours((alarm.toldAfterHours ?? 0) - alarm.dueWithinHours));
  return {
    "in time": "in time",
    late: `${late} late`,
    never: "the person was never told",
    "not yet due": "not told by the end, and not yet due",
  }[promptness(alarm, end)];
};

/** A section with a list; `none` is the text for an empty list. */
const listSection = <T>(
  title: string,
  items: readonly T[],
  none: string,
  shown: (items: readonly T[]) => Part,
) => html`
<section><h2>${title}</h2>
${items.length === 0 ? html`<p class="quiet">${none}</p>` : shown(items)}
</section>`;

/** The troubles that the agent had to report to the person. */
const alarmsSection = ({ score, end }: RunResult): Markup =>
  listSection("Alarms", score.alarms, "There was no trouble that the person had to be told of.", (alarms) =>
    table(
      ["Trouble", "Since", ...figures("Told after", "Due within"), "Verdict"],
      alarms.map((alarm) => [
        alarm.trouble,
        when(alarm.since),
        alarm.toldAfterHours === null ? "never" : duration(hours(alarm.toldAfterHours)),
        duration(hours(alarm.dueWithinHours)),
        html`<span class="${promptness(alarm, end).replaceAll(" ", "-")}">${promptnessInWords(alarm, end)}</span>`,
      ]),
    ),
  );

/** When the agent cared for each plant, which cycles it completed, and what was missing in the others. */
const cyclesSection = ({ cycles, plants, everyMinutes }: RunResult, frame: TimeFrame): Markup =>
  listSection("Care cycles", cycles, "No cycle was run.", () => [
    html`<p class="quiet">One every ${duration(minutes(everyMinutes))} of the plant's time.</p>
<div class="chart">${plants.map((plant, index) => cycleStrip(plant, `cycles-${index + 1}`, cycles, frame.time))}${timeAxis(frame)}</div>`,
    reasonTable(cycles.filter(({ completed }) => !completed)),
  ]);

/** Incomplete cycles are taller, to tell them apart without colour. */
const HEIGHT = { completed: 12, incomplete: 20 };

function cycleStrip(plant: PlantResult, id: string, all: RunResult["cycles"], time: Scale): Markup {
  const kinds = (["completed", "incomplete"] as const).map((kind) => {
    const cycles = all.filter((each) => each.plant === plant.id && each.completed === (kind === "completed"));
    return { kind, cycles, words: `${kind}: ${figure(cycles.length)}` };
  });
  return panel({
    id,
    title: plant.name,
    description: kinds.map(({ words }) => words).join(", "),
    key: kinds.map(({ kind, words }) => keyEntry(kind, words)),
    height: HEIGHT.incomplete,
    y: { scale: linear(0, 1), ticks: [] },
    layers: kinds.map(({ kind, cycles }) => strokes(kind, cycles, time)),
    ...{ behind: [], over: [] },
  });
}

/** One stroke for all cycles on the same tenth of a pixel. */
function strokes(kind: keyof typeof HEIGHT, cycles: readonly CycleRecord[], time: Scale): Markup {
  const places = [...new Set(cycles.map(({ at }) => across(time, Date.parse(at))))];
  const top = HEIGHT.incomplete - HEIGHT[kind];
  return html`<path class="line ${kind}" d="${places.map((x) => `M${x},${top}v${HEIGHT[kind]}`).join("")}"/>`;
}

const reasonTable = (undone: readonly CycleRecord[]): Markup | "" =>
  undone.length === 0
    ? ""
    : table(
        ["What was missing", ...figures("Times"), "First", "Last"],
        grouped(undone, ({ reason }) => reason).map(([reason, cycles]) => [reason, ...timesOf(cycles)]),
      );

/** How often, when first, and when last. */
const timesOf = (records: readonly { readonly at: string }[]): readonly Part[] => [
  figure(records.length),
  ...[records[0], records.at(-1)].map((record) => when(record?.at ?? "")),
];

/** Refusals of the runtime, the most frequent first. */
const refusalsSection = ({ refusals }: RunResult): Markup =>
  listSection("Refusals", refusals, "The runtime refused nothing.", () =>
    table(
      ["Code", ...figures("Times"), "First", "Last", "The first, for example"],
      byCount(grouped(refusals, ({ code }) => code)).map(([code, all]) => [
        html`<code>${code}</code>`,
        ...timesOf(all),
        html`<code>${all[0]?.tool ?? ""}</code> ${quoted(all[0]?.message ?? "")}`,
      ]),
    ),
  );

/** The events behind the numbers in the charts. */
const eventsSection = (events: readonly NumberedEvent[]): Markup => html`
<section id="events"><h2>What happened</h2>
${events.length === 0 ? html`<p class="quiet">Nothing out of the ordinary.</p>` : html`<ol class="events">${events.map(eventItem)}</ol>`}
</section>`;

const eventItem = ({ number, at, by, text }: NumberedEvent): Markup =>
  html`
<li value="${number}"><span class="badge ${by}">${number}</span>${when(at)}<span>${by === "person" ? "the person: " : ""}${quoted(text)}</span></li>`;

const messagesSection = ({ messages }: RunResult): Markup =>
  listSection(
    "Messages",
    messages,
    "Nobody wrote anything.",
    () => html`<ol class="talk">${messages.map(messageItem)}</ol>`,
  );

const messageItem = ({ at, from, text }: MessageRecord): Markup => html`
<li class="${from}"><p class="who">${from} ${when(at)}</p><p>${quoted(unmarked(text))}</p></li>`;
