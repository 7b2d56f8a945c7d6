import { hours } from "../../clock.js";
import type { AlarmScore, MessageRecord, PlantResult, RefusalRecord, RunResult, Score } from "../result.js";
import { promptness } from "../scoring.js";
import { instant } from "./chart.js";
import { byCount, cyclesSection, type Group, grouped } from "./cycles.js";
import {
  duration,
  facts,
  figure,
  figures,
  html,
  type Markup,
  moment,
  type Part,
  points,
  quoted,
  several,
  table,
  when,
} from "./markup.js";
import { page } from "./page.js";
import { plantChart } from "./plant-charts.js";
import { isFreshlyWatered, percent, taken, verdict } from "./summary.js";
import { type NumberedEvent, type TimeFrame, timeFrameOf } from "./time-frame.js";

/**
 * A run as one HTML file for people. It has no scripts and makes no requests. The same result gives the same bytes.
 * @throws if a time is invalid, or the hourly lists of a plant differ in length.
 */
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
${freshlyWatered(plant).map((words) => html`<p>${words}</p>`)}
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

/** A note for a plant that starts wet, which would look over-watered; else empty. */
export function freshlyWatered(plant: PlantResult): string[] {
  if (!isFreshlyWatered(plant)) return [];
  const { name, good, hourly, doses } = plant;
  const index = hourly.hydration.findIndex((value) => value <= good.to);
  const dried = index < 0 ? undefined : hourly.at[index];
  const before = doses.filter(
    ({ at }) => dried === undefined || instant(at, "a dose's time") < instant(dried, "an hour"),
  );
  return [
    `${name} was freshly watered when the run began: ${untilDry(dried, good.to)}. ${dosesMeanwhile(before)}`,
  ];
}

const untilDry = (dried: string | undefined, top: number): string =>
  dried === undefined
    ? `it was above its good range (up to ${figure(top, 1)}) and had not dried into it by the end`
    : `it was above its good range (up to ${figure(top, 1)}) until it had dried, on ${moment(dried)}`;

function dosesMeanwhile(doses: PlantResult["doses"]): string {
  if (doses.length === 0) return "That is no over-watering: it got no water meanwhile.";
  const given = doses.reduce((sum, { ml }) => sum + ml, 0);
  return `Its start is no over-watering, but it got ${figure(given)} ml in ${several(doses.length, "dose")} meanwhile.`;
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

/** Refusals of the runtime, the most frequent first. */
const refusalsSection = ({ refusals }: RunResult): Markup =>
  listSection("Refusals", refusals, "The runtime refused nothing.", () =>
    table(
      ["Code", ...figures("Times"), "First", "Last", "The first, for example"],
      byCount(grouped(refusals, ({ code }) => code)).map(refusalRow),
    ),
  );

const refusalRow = ({ key, members, first, last }: Group<RefusalRecord>) => {
  const example = members.find(({ at }) => at === first);
  return [
    html`<code>${key}</code>`,
    figure(members.length),
    when(first),
    when(last),
    html`<code>${example?.tool ?? ""}</code> ${quoted(example?.message ?? "")}`,
  ];
};

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
<li class="${from}"><p class="who">${from} ${when(at)}</p><p>${quoted(text)}</p></li>`;
