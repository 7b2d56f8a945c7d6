import type { RecalledEntryView, RecallList } from "../../wire/agenda.js";
import type { FoundMemories, MemoryItem, UserProfile } from "../../wire/records.js";
import { type Changing, useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { unlessOff } from "./link.js";
import { Careful, named } from "./parts.tsx";
import { DiaryForm } from "./story-notes.tsx";
import { isOfPlant } from "./story-query.js";
import { Files } from "./uploads.tsx";
import type { Words } from "./words.js";

/** A choice: a few screens. The newest first. */
const SHOWN = 30;

/** What the agent remembers and believes, who said it, and the way to forget it. */
export function Memories({ version, changed }: Changing) {
  const { house, words, minute } = useShared();
  const found = useAnswer(
    () => house.call<FoundMemories>("search_memories", { limit: SHOWN }),
    [version, minute],
  );
  if (!found) return null;
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
                <Origin said={originOf(memory, words)} at={created_at} user_id={user_id} />
              </span>
              <Forget title={title} tool="erase_memory" of={{ id }} changed={changed} />
            </li>
          );
        })}
      </ul>
      <DiaryForm label={words.remember} button={words.add} saved={changed} />
    </section>
  );
}

/** Who said it, when, and of whom it is. */
function Origin(of: { readonly said: string; readonly at: string; readonly user_id: string }) {
  const { words, names, clock, nowMs } = useShared();
  return (
    <span class="quiet block">
      {of.said}, {clock.near(at(of.at), nowMs)}
      {isOne(of.user_id) && ` ${words.of(names.person(of.user_id))}`}
    </span>
  );
}

/** A note on a plant's story is one; else what whoever saved it said. */
const originOf = ({ source, section, tags }: MemoryItem, words: Words): string =>
  section === "DIARY" && tags.some(isOfPlant) ? words.note : (words.sources[source] ?? source);

export function Profile({ version, changed }: Changing) {
  const { house, words, minute } = useShared();
  const found = useAnswer(() => house.call<UserProfile>("get_user_profile"), [version, minute]);
  if (!found || found.entries.length === 0) return null;
  return (
    <section class="card wide list">
      <h2>{words.profile}</h2>
      <ul>
        {found.entries.map(({ category, key, value, source, updated_at, user_id }) => (
          <li key={`${user_id} ${category} ${key}`}>
            <span class="list-text">
              <strong>{key}</strong>: {typeof value === "string" ? value : JSON.stringify(value)}
              <Origin
                said={source === "told" ? words.told : words.inferred}
                at={updated_at}
                user_id={user_id}
              />
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
      {found.recalls.length === 0 && <p class="quiet">{words.noMemories}</p>}
      <ul>
        {found.recalls.map((recall) => (
          <li key={`${recall.timestamp} ${JSON.stringify(recall.entries)}`} class="recall">
            <span class="quiet">{about(recall)}</span>
            {recall.forgotten > 0 && <span class="quiet">{say.forgotten(recall.forgotten)}</span>}
            {recall.entries.map((entry) => (
              <span key={`${entry.id} ${entry.category} ${entry.title}`} class="recalled">
                <span class="list-text">{entry.title}</span>
                <Forget title={entry.title} {...forgettingOf(entry)} changed={changed} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const isOne = (person: string | null): person is string => person !== null && person !== "household";

/** An entry of the profile has no id. */
const forgettingOf = ({ id, category, title, user_id }: RecalledEntryView) =>
  id === null
    ? ({ tool: "forget_profile_entry", of: { category, key: title, user_id } } as const)
    : ({ tool: "erase_memory", of: { id } } as const);

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
      label={named(words.forget, it.title)}
      warning={words.forgetMeans}
      run={() => house.call(it.tool, it.of).then(it.changed)}
    />
  );
}
