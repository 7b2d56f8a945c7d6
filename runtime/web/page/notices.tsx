import type { PersonTask, PersonTasks } from "../../wire/lists.js";
import { OFF_REASON } from "../../wire/names.js";
import type { Overview, PlantNow } from "../../wire/overview.js";
import { useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { unlessOff } from "./link.js";
import { alarmsIn } from "./names.js";
import { Act } from "./parts.tsx";
import type { Words } from "./words.js";

/** What a person must not miss, in a line each: troubles on every view, reminders on the first one. */

/** Every hold and fault, and what is wet or pressed, on a view that does not show the plants. `isOffTold`: as in `isTold`. */
export function Alerts({
  overview,
  isOffTold,
}: {
  readonly overview: Overview;
  readonly isOffTold: boolean;
}) {
  const { words } = useShared();
  const troubles = troublesIn(overview, words, isOffTold);
  if (troubles.length === 0) return null;
  return (
    <p class="alerts" role="status">
      {troubles.join(" · ")} <a href="#now">{words.toNow}</a>
    </p>
  );
}

/** Each trouble once, with the plants that have it. */
function troublesIn({ plants, inputs }: Overview, words: Words, isOffTold: boolean): string[] {
  const named = new Map<string, string[]>();
  for (const plant of plants)
    for (const trouble of troublesOf(plant, words, isOffTold))
      named.set(trouble, [...(named.get(trouble) ?? []), plant.name]);
  return [
    ...alarmsIn(inputs, words),
    ...[...named].map(([trouble, names]) => `${names.join(", ")}: ${trouble}`),
  ];
}

/** Where the plants' own troubles follow. */
export function Alarms({ all }: { readonly all: readonly string[] }) {
  return (
    <>
      {all.map((alarm) => (
        <p class="note fault wide" role="alert" key={alarm}>
          {alarm}
        </p>
      ))}
    </>
  );
}

const troublesOf = ({ hold, faults, probe_fault }: PlantNow, words: Words, isOffTold: boolean): string[] => [
  ...(hold && !isTold(hold, isOffTold) ? [words.isHeld] : []),
  ...faults.map(({ code }) => words.locked[code] ?? words.lockedElse),
  ...(probe_fault ? [words.probeIsFaulty] : []),
];

/** Whether the note of *Everything off* on this page (`isOffTold`) tells of this hold already. */
export const isTold = ({ reason }: NonNullable<PlantNow["hold"]>, isOffTold: boolean): boolean =>
  isOffTold && reason === OFF_REASON;

/** A hold of all plants can be lifted for all alone. */
export function Resume({ plant: { plant, hold } }: { readonly plant: PlantNow }) {
  const { house, view, words } = useShared();
  const { plants = [] } = view.overview ?? {};
  const isOfAll = plants.every((each) => each.hold?.since === hold?.since);
  const lift = () => house.act("set_hold", { hold: false, ...(!isOfAll && { plant }) });
  return (
    <Act key={useAlarms()} run={lift}>
      {isOfAll && plants.length > 1 ? words.resumeAll : words.resume}
    </Act>
  );
}

export function Clear({ plant }: { readonly plant: string }) {
  const { house, words } = useShared();
  return (
    <Act key={useAlarms()} run={() => house.act("clear_fault", { plant })}>
      {words.clear}
    </Act>
  );
}

/** As a key: what was refused because of an input is over when the input is. */
function useAlarms(): string {
  const { view, words } = useShared();
  return alarmsIn(view.overview?.inputs ?? [], words).join();
}

/** The task that fell due first, and how many others did. Nothing without one, or without the family of tasks. */
export function DueTasks() {
  const { house, words, nowMs, minute } = useShared();
  const found = useAnswer(
    () =>
      house.call<PersonTasks>("task_tool", { operation: "list_tasks", completed: false }).catch(unlessOff),
    [minute],
  );
  const due = (found?.tasks ?? []).filter(({ due_at }) => due_at !== null && at(due_at) <= nowMs);
  const [first, ...more] = due.sort((a, b) => at(a.due_at ?? "") - at(b.due_at ?? ""));
  if (!first) return null;
  return (
    <a class="waiting due" href="#lists">
      <DueTask task={first} /> {more.length > 0 && words.andMore(more.length)} ›
    </a>
  );
}

/** What is to be done, for whom if that is one person, and since when. */
export function DueTask({ task }: { readonly task: Pick<PersonTask, "title" | "user_id" | "due_at"> }) {
  const { words, names, clock, nowMs } = useShared();
  const { title, user_id, due_at } = task;
  return (
    <>
      <strong>{title}</strong> {user_id !== "household" && `${words.of(names.person(user_id))} `}
      {due_at !== null && <span class="quiet">{words.dueAt(clock.near(at(due_at), nowMs))}</span>}
    </>
  );
}
