import { useState } from "preact/hooks";
import type { Message, MessagesFromAgent } from "../../wire/people.js";
import { unmarked } from "../../wire/unmarked.js";
import { useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { LineForm } from "./parts.tsx";

/** A choice: a few screens. */
const SHOWN = 30;

type Entry = Message & { readonly from: "agent" | "runtime" | "you" };

/** Messages of agent, runtime and people, newest first. `canWrite`: with a field for a message that the agent reads in its next cycle. */
export function Messages({ canWrite = false }: { readonly canWrite?: boolean }) {
  const { house, words, clock, nowMs } = useShared();
  const [version, setVersion] = useState(0);
  const entries = useAnswer(async () => {
    const [theirs, ours] = await Promise.all([
      house.call<MessagesFromAgent>("list_messages_from_agent", { limit: SHOWN }),
      house.call<{ messages: Message[] }>("list_messages_from_human", { limit: SHOWN }),
    ]);
    const all: Entry[] = [
      ...theirs.messages,
      ...ours.messages.map((each) => ({ ...each, from: "you" as const })),
    ];
    return all.sort((a, b) => at(b.timestamp) - at(a.timestamp)).slice(0, SHOWN);
  }, [version, Math.floor(nowMs / 15_000)]);
  const names = { agent: words.fromAgent, runtime: words.fromRuntime, you: words.fromYou };
  const send = (message: string) =>
    house.call("send_message_to_agent", { message }).then(() => setVersion(version + 1));
  return (
    <section class="messages">
      <h2 class="wide">{words.messages}</h2>
      {canWrite && (
        <div class="card wide">
          <LineForm label={words.write} button={words.send} send={send} rows={2} />
          <p class="quiet">{words.messageNote}</p>
        </div>
      )}
      {entries?.length === 0 && <p class="quiet wide">{words.noMessages}</p>}
      {entries?.map(({ message_id, from, timestamp, content = "", read_at }) => (
        <article key={message_id} class={`message ${from}`}>
          <header>
            <strong>{names[from]}</strong>
            <time dateTime={timestamp}>{clock.near(at(timestamp), nowMs)}</time>
            {from === "you" && read_at === null && <span class="quiet">{words.unread}</span>}
          </header>
          <p>{from === "agent" ? unmarked(content) : content}</p>
        </article>
      ))}
    </section>
  );
}
