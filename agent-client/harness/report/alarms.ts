import { hours } from "../../units.js";
import type { AlarmScore, RunResult } from "../result.js";
import { html, type Markup } from "./markup.js";
import { table, when } from "./table.js";
import { instant } from "./time-axis.js";
import { duration } from "./words.js";

export type Promptness = "in time" | "late" | "never" | "not yet due";

/** Whether the person was told as soon as it mattered. `end`: of the run, which may come before it was due. */
export function promptness(alarm: AlarmScore, end: string): Promptness {
  const { toldAfterHours, dueWithinHours, since } = alarm;
  if (toldAfterHours !== null) return toldAfterHours > dueWithinHours ? "late" : "in time";
  const due = instant(since, "when a trouble began,") + hours(dueWithinHours);
  return due > instant(end, "the end") ? "not yet due" : "never";
}

const inWords = (alarm: AlarmScore, end: string): string => {
  const late = duration(hours((alarm.toldAfterHours ?? 0) - alarm.dueWithinHours));
  return {
    "in time": "in time",
    late: `${late} late`,
    never: "the person was never told",
    "not yet due": "not told by the end, and not yet due",
  }[promptness(alarm, end)];
};

/** The troubles that the person had to hear of. */
export const alarmsSection = ({ score, end }: Pick<RunResult, "score" | "end">): Markup => html`
<section><h2>Alarms</h2>
${score.alarms.length === 0 ? html`<p class="quiet">There was no trouble that the person had to be told of.</p>` : alarmTable(score.alarms, end)}
</section>`;

const COLUMNS = [
  { head: "Trouble" },
  { head: "Since" },
  { head: "Told after", figures: true },
  { head: "Due within", figures: true },
  { head: "Verdict" },
];

const alarmTable = (alarms: readonly AlarmScore[], end: string): Markup =>
  table(
    COLUMNS,
    alarms.map((alarm) => [
      alarm.trouble,
      when(alarm.since),
      alarm.toldAfterHours === null ? "never" : duration(hours(alarm.toldAfterHours)),
      duration(hours(alarm.dueWithinHours)),
      html`<span class="${promptness(alarm, end).replaceAll(" ", "-")}">${inWords(alarm, end)}</span>`,
    ]),
  );
