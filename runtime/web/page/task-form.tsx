import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReadTime } from "../../wire/agenda.js";
import type { MadeTask, PersonTask, PersonTasks } from "../../wire/lists.js";
import { after } from "./browser-clock.js";
import { type Shared, useDraft, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Refusal } from "./link.js";
import { Act, ChangedMeanwhile, focus, RefusalText, Trouble } from "./parts.tsx";
import { recurrenceInWords } from "./recurrence.js";

/** Milliseconds without a key before the words of a time are read. A choice: between two words nobody waits as long. */
const PAUSE = 600;

/** How the words of a time were read, or why they were not. */
interface Read {
  readonly phrase: string;
  readonly time?: ReadTime;
  readonly refusal?: Refusal;
}

/** One meaning of words that have several. Its own words are clear. */
interface Candidate {
  readonly at: string;
  readonly recurrence: string | null;
  readonly words: string;
}

/**
 * What and, if wanted, when; of a task that is there already, what is to be changed. The runtime reads the words; how it understood
 * them, or that it did not, is seen before anything is saved.
 */
export function TaskForm({
  task,
  changed,
  children,
}: {
  readonly task?: PersonTask;
  readonly changed: () => void;
  readonly children?: ComponentChildren;
}) {
  const { house, words, clock } = useShared();
  /** What the person has seen who changes it. */
  const before = useRef(task);
  const [title, setTitle] = useDraft(task ? undefined : "task", task?.title);
  const [time, setTime] = useDraft(task ? undefined : "time of the task");
  const [read, setRead] = useState<Read>();
  const [trouble, setTrouble] = useState<unknown>();
  /** Made just now, without the time that its title names. */
  const [untimed, setUntimed] = useState<MadeTask>();
  const [isBusy, setBusy] = useState(false);
  const phrase = time.trim();
  const seen = phrase !== "" && read?.phrase === phrase ? read : undefined;
  const look = async () => setRead({ phrase, ...(await readTime(house, phrase)) });
  useEffect(() => {
    if (phrase === "" || seen) return undefined;
    return after(PAUSE, () => void look().catch(() => undefined)); // what fails is told when it is sent
  }, [phrase]);
  const assertUnchanged = async (known: PersonTask, wanted: Partial<Record<"title" | "time", string>>) => {
    const now = (await openTasks(house)).find(({ task_id }) => task_id === known.task_id) ?? known;
    before.current = now;
    const isRenamed = now.title !== known.title && now.title !== wanted.title;
    const isMoved = now.due_at !== known.due_at || now.recurrence !== known.recurrence;
    if (!(isRenamed && wanted.title !== undefined) && !(isMoved && wanted.time !== undefined)) return;
    const due = now.due_at === null ? [] : [words.dueAt(dayAndTime(clock, at(now.due_at)))];
    throw new ChangedMeanwhile([now.title, ...due].join(", "), changed);
  };
  const save = async () => {
    const wanted = {
      ...(title.trim() !== before.current?.title && { title: title.trim() }),
      ...(phrase !== "" && { time: phrase }),
    };
    if (before.current) await assertUnchanged(before.current, wanted);
    const which = task ? { operation: "update_task", task_id: task.task_id } : { operation: "create_task" };
    const made =
      Object.keys(wanted).length > 0
        ? await house.call<MadeTask>("task_tool", { ...which, ...wanted })
        : undefined;
    setUntimed(made?.time_in_title?.meanings.length ? made : undefined);
    setTitle("");
    setTime("");
    setTrouble(undefined);
    changed();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (title.trim() === "" || seen?.refusal || isBusy) return;
    setBusy(true); // twice Enter is one task
    await (phrase !== "" && !seen ? look() : save()).catch(setTrouble);
    setBusy(false);
  };
  const field = (value: string, set: (text: string) => void, label: string, left?: () => void) => (
    <input
      {...(task && set === setTitle && { ref: focus })}
      type="text"
      value={value}
      aria-label={label}
      placeholder={label}
      onInput={({ currentTarget }) => {
        set(currentTarget.value);
        setTrouble(undefined);
      }}
      onChange={left}
    />
  );
  return (
    <form class="line-form" onSubmit={(event) => void submit(event)}>
      {field(title, setTitle, task ? words.taskTitle : words.addTask)}
      {field(
        time,
        setTime,
        task ? words.newTime : words.due,
        () => void (phrase !== "" && !seen && look().catch(() => undefined)),
      )}
      <button type="submit" class="button main" aria-disabled={isBusy}>
        {task ? words.noteSave : words.add}
      </button>
      {children}
      <div class="understood" role="status">
        {seen?.time && <Understood read={seen.time} />}
        {untimed && (
          <Untimed
            of={untimed}
            over={() => {
              setUntimed(undefined);
              changed();
            }}
          />
        )}
        {seen?.refusal && <NotUnderstood refusal={seen.refusal} choose={setTime} />}
      </div>
      <Trouble error={trouble} />
    </form>
  );
}

const openTasks = async (house: Shared["house"]): Promise<PersonTasks["tasks"]> =>
  (await house.call<PersonTasks>("task_tool", { operation: "list_tasks", completed: false })).tasks;

const dayAndTime = (clock: Shared["clock"], ms: number): string => `${clock.weekday(ms)}, ${clock.clock(ms)}`;

/** Rejects with what is no matter of the words: a connection that is lost, say. */
async function readTime(house: Shared["house"], phrase: string): Promise<Omit<Read, "phrase">> {
  try {
    return { time: await house.call<ReadTime>("read_time", { time: phrase }) };
  } catch (error) {
    if (error instanceof Refusal && error.code.startsWith("TIME_")) return { refusal: error };
    throw error;
  }
}

/** A button for each meaning. */
function Meanings(of: { readonly all: readonly Candidate[]; readonly choose: (words: string) => unknown }) {
  const { words, clock } = useShared();
  return (
    <div class="buttons">
      {of.all.map(({ at: first, recurrence, words: said }) => (
        <Act key={said} run={async () => of.choose(said)}>
          {recurrence === null ? dayAndTime(clock, at(first)) : recurrenceInWords(recurrence, words)}
        </Act>
      ))}
    </div>
  );
}

/** The task that was added has no time, though its title ends with one: a button makes it the task's. */
function Untimed({
  of: { task_id, time_in_title },
  over,
}: {
  readonly of: MadeTask;
  readonly over: () => void;
}) {
  const { house, words } = useShared();
  const { title, time, meanings } = time_in_title ?? { title: "", time: "", meanings: [] };
  const take = (said: string) =>
    house.call("task_tool", { operation: "update_task", task_id, title, time: said }).then(over);
  return (
    <>
      <p class="warn">{words.untimed(time)}</p>
      <Meanings all={meanings} choose={take} />
    </>
  );
}

/** Why words are no time; a button for each meaning where they have several. */
function NotUnderstood(of: { readonly refusal: Refusal; readonly choose: (words: string) => void }) {
  const { words } = useShared();
  const { code, message, details } = of.refusal;
  const candidates = (details.candidates ?? []) as readonly Candidate[];
  if (candidates.length > 0)
    return (
      <>
        <p>{words.whichTime}</p>
        <Meanings all={candidates} choose={of.choose} />
      </>
    );
  return (
    <p class="warn">
      <RefusalText code={code} message={message} />
    </p>
  );
}

/** What the words mean, and the next times of what comes again. */
function Understood({
  read: { at: first, recurrence, zone, words: said, notes, next },
}: {
  readonly read: ReadTime;
}) {
  const { words, clock } = useShared();
  const isElsewhere = zone !== clock.zone;
  const time = (iso: string) => `${dayAndTime(clock, at(iso))}${isElsewhere ? ` ${clock.zone}` : ""}`;
  const rule = recurrence === null ? "" : recurrenceInWords(recurrence, words);
  // a rule that the page has no words for is told in the runtime's
  const meaning = rule === recurrence ? said : `${rule}${isElsewhere ? ` ${zone}` : ""}`;
  return (
    <>
      <p>
        <strong>{words.understood}</strong> {recurrence === null ? time(first) : meaning}
      </p>
      {recurrence !== null && (
        <ol aria-label={words.nextTimes}>
          {next.map((each) => (
            <li key={each}>{time(each)}</li>
          ))}
        </ol>
      )}
      {notes.length > 0 && (
        <p class="quiet" lang="en">
          {notes.join("; ")}
        </p>
      )}
      <p class="quiet">{words.addIfRight}</p>
    </>
  );
}
