import type { PersonTask, PersonTasks } from "../../wire/lists.js";
import { OFF_REASON } from "../../wire/names.js";
import type { Overview, PlantNow } from "../../wire/overview.js";
import { useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { unlessOff } from "./link.js";
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

/** A stop button that is pressed, a leak sensor that is wet. */
export const alarmsIn = (inputs: Overview["inputs"], words: Words): string[] =>
  inputs.flatMap(({ kind, name, active }) => (active && kind !== "tank" ? [words.inputs[kind](name)] : []));

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

/** A hold of all plants is lifted for all: the runtime refuses to lift it for one. */
export function Resume({ plant }: { readonly plant: string }) {
  const { house, words } = useShared();
  const lift = async () => {
    try {
      await house.call("set_hold", { hold: false, plant });
    } catch (error) {
      if ((error as { code?: string }).code !== "HOLD") throw error;
      await house.call("set_hold", { hold: false });
    }
    await house.refresh();
  };
  return <Act run={lift}>{words.resume}</Act>;
}

export function Clear({ plant }: { readonly plant: string }) {
  const { house, words } = useShared();
  return <Act run={() => house.act("clear_fault", { plant })}>{words.clear}</Act>;
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
