import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ReadTime } from "../../wire/agenda.js";
import type { PersonTask } from "../../wire/lists.js";
import { after } from "./browser-clock.js";
import { type Shared, useShared } from "./context.tsx";
import { useDraft } from "./drafts.js";
import { at } from "./figures.js";
import { Refusal } from "./link.js";
import { Foreign, focus, Trouble } from "./parts.tsx";
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
  const { house, words } = useShared();
  const [title, setTitle] = useDraft(task ? undefined : "task", task?.title);
  const [time, setTime] = useDraft(task ? undefined : "time of the task");
  const [read, setRead] = useState<Read>();
  const [trouble, setTrouble] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const phrase = time.trim();
  const seen = phrase !== "" && read?.phrase === phrase ? read : undefined;
  const look = async () => setRead({ phrase, ...(await readTime(house, phrase)) });
  useEffect(() => {
    if (phrase === "" || seen) return undefined;
    return after(PAUSE, () => void look().catch(() => undefined)); // what fails is told when it is sent
  }, [phrase]);
  const save = async () => {
    const when = phrase === "" ? {} : { time: phrase };
    const which = task ? { operation: "update_task", task_id: task.task_id } : { operation: "create_task" };
    await house.call("task_tool", { ...which, title: title.trim(), ...when });
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
        {seen?.refusal && <NotUnderstood refusal={seen.refusal} choose={setTime} />}
      </div>
      <Trouble error={trouble} />
    </form>
  );
}

/** Rejects with what is no matter of the words: a connection that is lost, say. */
async function readTime(house: Shared["house"], phrase: string): Promise<Omit<Read, "phrase">> {
  try {
    return { time: await house.call<ReadTime>("read_time", { time: phrase }) };
  } catch (error) {
    if (error instanceof Refusal && error.code.startsWith("TIME_")) return { refusal: error };
    throw error;
  }
}

/** Why words are no time; a button for each meaning where they have several. */
function NotUnderstood(of: { readonly refusal: Refusal; readonly choose: (words: string) => void }) {
  const { words, clock } = useShared();
  const { code, message, details } = of.refusal;
  const candidates = (details.candidates ?? []) as readonly Candidate[];
  const meaning = ({ at: first, recurrence }: Candidate) =>
    recurrence === null
      ? `${clock.weekday(at(first))}, ${clock.clock(at(first))}`
      : recurrenceInWords(recurrence, words);
  if (candidates.length > 0)
    return (
      <>
        <p>{words.whichTime}</p>
        <div class="buttons">
          {candidates.map((candidate) => (
            <button
              key={candidate.words}
              type="button"
              class="button plain"
              onClick={() => of.choose(candidate.words)}
            >
              {meaning(candidate)}
            </button>
          ))}
        </div>
      </>
    );
  const [lead, why] = [
    code === "TIME_NOT_UNDERSTOOD" ? words.timeNotUnderstood : words.failed,
    message.replace(` (${code})`, ""),
  ];
  return <p class="warn">{words.refusals[code] ?? <Foreign text={`${lead} ${why}`} part={why} />}</p>;
}

/** What the words mean, and the next times of what comes again. */
function Understood({
  read: { at: first, recurrence, zone, words: said, notes, next },
}: {
  readonly read: ReadTime;
}) {
  const { words, clock } = useShared();
  const isElsewhere = zone !== clock.zone;
  const time = (iso: string) =>
    `${clock.weekday(at(iso))}, ${clock.clock(at(iso))}${isElsewhere ? ` ${clock.zone}` : ""}`;
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
