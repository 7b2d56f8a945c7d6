import { useState } from "preact/hooks";
import type { RecalledEntryView, RecallList } from "../../wire/agenda.js";
import { type Changing, useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { unlessOff } from "./link.js";
import { Careful, LineForm } from "./parts.tsx";
import { isOfPlant } from "./story-notes.tsx";
import { ChooseFiles, Files, sendFiles, type WithFiles } from "./uploads.tsx";
import type { Words } from "./words.js";

interface Memory extends WithFiles {
  readonly title: string;
  readonly content: string;
  readonly source: string;
  readonly section: string;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly user_id: string;
}

interface ProfileEntry {
  readonly category: string;
  readonly key: string;
  readonly value: unknown;
  readonly source: "told" | "inferred";
  readonly updated_at: string;
  readonly user_id: string;
}

/** A choice: a few screens. The newest first. */
const SHOWN = 30;
/** Characters. A choice: a line of a list. */
const LONGEST_TITLE = 80;

/** What the agent remembers and believes, who said it, and the way to forget it. */
export function Memories({ version, changed }: Changing) {
  const { house, words, names, clock, nowMs, minute } = useShared();
  const [files, setFiles] = useState<readonly File[]>([]);
  const found = useAnswer(
    () => house.call<{ items: Memory[] }>("search_memories", { limit: SHOWN }),
    [version, minute],
  );
  if (!found) return null;
  const remember = async (content: string) => {
    const media = await sendFiles(files);
    const title = content.slice(0, LONGEST_TITLE).trim();
    await house.call("save_memory", { source: "DIARY", ...media, title, content });
    setFiles([]);
    changed();
  };
  return (
    <section class="card wide list">
      <h2>{words.memories}</h2>
      {found.items.length === 0 && <p class="quiet">{words.noMemories}</p>}
      <ul>
        {found.items.map((memory) => {
          const { id, title, content, created_at, user_id } = memory;
          return (
            <li key={id}>
              <span class="list-text">
                {title}
                {content !== title && <span class="block">{content}</span>}
                <Files of={memory} />
                <span class="quiet block">
                  {words.savedBy(originOf(memory, words), clock.near(at(created_at), nowMs))}
                  {user_id !== "household" && ` ${words.of(names.person(user_id))}`}
                </span>
              </span>
              <Forget title={title} tool="erase_memory" of={{ id }} changed={changed} />
            </li>
          );
        })}
      </ul>
      <LineForm label={words.remember} button={words.add} send={remember}>
        <ChooseFiles files={files} choose={setFiles} />
      </LineForm>
    </section>
  );
}

/** A note on a plant's story is one; else what whoever saved it said. */
const originOf = ({ source, section, tags }: Memory, words: Words): string =>
  section === "DIARY" && tags.some(isOfPlant) ? words.note : (words.sources[source] ?? source);

export function Profile({ version, changed }: Changing) {
  const { house, words, names, clock, nowMs, minute } = useShared();
  const found = useAnswer(
    () => house.call<{ entries: ProfileEntry[] }>("get_user_profile"),
    [version, minute],
  );
  if (!found || found.entries.length === 0) return null;
  return (
    <section class="card wide list">
      <h2>{words.profile}</h2>
      <ul>
        {found.entries.map(({ category, key, value, source, updated_at, user_id }) => (
          <li key={`${user_id} ${category} ${key}`}>
            <span class="list-text">
              <strong>{key}</strong>: {typeof value === "string" ? value : JSON.stringify(value)}
              <span class="quiet block">
                {words.savedBy(
                  source === "told" ? words.told : words.inferred,
                  clock.near(at(updated_at), nowMs),
                )}
                {user_id !== "household" && ` ${words.of(names.person(user_id))}`}
              </span>
            </span>
            <Forget
              title={key}
              tool="forget_profile_entry"
              of={{ category, key, user_id }}
              changed={changed}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What agents were given of it: when, in whose turn, and the way to forget it. */
export function Recalls({ version, changed }: Changing) {
  const { house, words, names, clock, nowMs, minute } = useShared();
  const say = words.recalls;
  const found = useAnswer(
    () => house.call<RecallList>("list_recalls", { n: SHOWN }).catch(unlessOff),
    [version, minute],
  );
  if (!found) return null;
  const about = ({ timestamp, turn, person }: RecallList["recalls"][number]) => {
    const where = say.turns[turn ?? "none"];
    return `${clock.near(at(timestamp), nowMs)} · ${where}${isOne(person) ? ` ${words.of(names.person(person))}` : ""}`;
  };
  return (
    <section class="card wide list">
      <h2>{say.title}</h2>
      <p class="quiet">{say.about}</p>
      {found.recalls.length === 0 && <p class="quiet">{say.none}</p>}
      <ul>
        {found.recalls.map((recall) => (
          <li key={`${recall.timestamp} ${JSON.stringify(recall.entries)}`} class="recall">
            <span class="quiet">{about(recall)}</span>
            {recall.forgotten > 0 && <span class="quiet">{say.forgotten(recall.forgotten)}</span>}
            {recall.entries.map((entry) => (
              <span key={`${entry.id} ${entry.category} ${entry.title}`} class="recalled">
                <span class="list-text">{entry.title}</span>
                <ForgetRecalled entry={entry} changed={changed} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isOne = (person: string | null): person is string => person !== null && person !== "household";

function ForgetRecalled({
  entry,
  changed,
}: {
  readonly entry: RecalledEntryView;
  readonly changed: () => void;
}) {
  const { id, category, title, user_id } = entry;
  const [tool, of] =
    id === null
      ? (["forget_profile_entry", { category, key: title, user_id }] as const)
      : (["erase_memory", { id }] as const);
  return <Forget title={title} tool={tool} of={of} changed={changed} />;
}

/** For good, with all former versions: so it is asked once more. */
function Forget(it: {
  readonly title: string;
  readonly tool: "erase_memory" | "forget_profile_entry";
  readonly of: object;
  readonly changed: () => void;
}) {
  const { house, words } = useShared();
  return (
    <Careful
      button={words.forget}
      label={words.forgetThis(it.title)}
      warning={words.forgetMeans}
      run={() => house.call(it.tool, it.of).then(it.changed)}
    />
  );
}
