import { useEffect, useState } from "preact/hooks";
import type { ReadTime } from "../../wire/times.js";
import { after } from "./browser-clock.js";
import { useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Trouble } from "./parts.tsx";
import { recurrenceInWords } from "./recurrence.js";

/** Milliseconds without a key before the words of a time are read. A choice: between two words nobody waits as long. */
const PAUSE = 600;

/** What and, if wanted, when. The runtime reads the words; how it understood them is seen before anything is saved. */
export function TaskForm({ changed }: { readonly changed: () => void }) {
  const { house, words } = useShared();
  const [title, setTitle] = useState("");
  const [time, setTime] = useState("");
  const [read, setRead] = useState<ReadTime & { readonly phrase: string }>();
  const [trouble, setTrouble] = useState<unknown>();
  const phrase = time.trim();
  const seen = phrase !== "" && read?.phrase === phrase ? read : undefined;
  const look = async () =>
    setRead({ phrase, ...(await house.call<ReadTime>("read_time", { time: phrase })) });
  useEffect(() => {
    if (phrase === "" || seen) return undefined;
    // words that are not all there yet are no mistake: that is told when the field is left
    return after(PAUSE, () => void look().catch(() => undefined));
  }, [phrase]);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (title.trim() === "") return;
    try {
      if (phrase !== "" && !seen) return await look();
      const when = phrase === "" ? {} : { time: phrase };
      await house.call("task_tool", { operation: "create_task", title: title.trim(), ...when });
      setTitle("");
      setTime("");
      setTrouble(undefined);
      changed();
    } catch (error) {
      setTrouble(error);
    }
  };
  const isTime = (trouble as { code?: string } | undefined)?.code === "TIME_NOT_UNDERSTOOD";
  const field = (value: string, set: (text: string) => void, label: string, left?: () => void) => (
    <input
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
      {field(title, setTitle, words.addTask)}
      {field(time, setTime, words.due, () => void (phrase !== "" && !seen && look().catch(setTrouble)))}
      <button type="submit" class="button main">
        {words.add}
      </button>
      <div class="understood" role="status">
        {seen && <Understood read={seen} />}
      </div>
      <Trouble error={trouble} {...(isTime && { lead: words.timeNotUnderstood })} />
    </form>
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
