import { useState } from "preact/hooks";
import { useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Act, LineForm } from "./parts.tsx";
import { ChooseFiles, Files, sendFiles, type WithFiles } from "./uploads.tsx";

interface Memory extends WithFiles {
  readonly title: string;
  readonly content: string;
  readonly source: string;
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
export function Memories() {
  const { house, words, clock, nowMs } = useShared();
  const [version, setVersion] = useState(0);
  const [files, setFiles] = useState<readonly File[]>([]);
  const found = useAnswer(
    () => house.call<{ items: Memory[] }>("search_memories", { limit: SHOWN }),
    [version, Math.floor(nowMs / 60_000)],
  );
  if (!found) return null;
  const remember = async (content: string) => {
    const media = await sendFiles(files);
    const title = content.slice(0, LONGEST_TITLE).trim();
    await house.call("save_memory", { source: "DIARY", ...media, title, content });
    setFiles([]);
    setVersion(version + 1);
  };
  const forget = (id: string) => () =>
    house.call("delete_memory", { id }).then(() => setVersion(version + 1));
  return (
    <section class="card wide list">
      <h2>{words.memories}</h2>
      {found.items.length === 0 && <p class="quiet">{words.noMemories}</p>}
      <ul>
        {found.items.map((memory) => {
          const { id, title, content, source, created_at, user_id } = memory;
          return (
            <li key={id}>
              <span class="list-text">
                {title}
                {content !== title && <span class="block">{content}</span>}
                <Files of={memory} />
                <span class="quiet block">
                  {words.savedBy(words.sources[source] ?? source, clock.near(at(created_at), nowMs))}
                  {user_id !== "household" && ` ${words.of(user_id)}`}
                </span>
              </span>
              <Act run={forget(id)} label={words.forgetThis(title)}>
                {words.forget}
              </Act>
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

export function Profile() {
  const { house, words, clock, nowMs } = useShared();
  const found = useAnswer(
    () => house.call<{ entries: ProfileEntry[] }>("get_user_profile"),
    [Math.floor(nowMs / 60_000)],
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
                {user_id !== "household" && ` ${words.of(user_id)}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
