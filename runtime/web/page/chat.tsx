import { useEffect, useRef, useState } from "preact/hooks";
import type { ChatMessages } from "../../wire/chats.js";
import { LONGEST_CHAT_TEXT } from "../../wire/names.js";
import { unmarked } from "../../wire/phrases.js";
import { sleep } from "./browser-clock.js";
import { useShared } from "./context.tsx";
import { at } from "./figures.js";
import type { House } from "./house.js";
import { isOff, Refusal } from "./link.js";
import { Messages } from "./messages.tsx";
import { LineForm } from "./parts.tsx";

/** A choice: a few screens. */
const SHOWN = 40;
/** Seconds that a read waits for news: less than the link's patience for an answer. */
const WAIT = 10;
/** Milliseconds between two tries without a connection. */
const PAUSE = 2000;

/** The conversation with the agent, and below it what agent and runtime have reported. */
export function Chat() {
  const chat = useChat();
  if (chat === "off") return <Messages canWrite />;
  return (
    <>
      <Conversation chat={chat} />
      <Messages />
    </>
  );
}

/** The chat, read again whenever it changes; "off" where the runtime has no chats. */
function useChat(): ChatMessages | "off" | undefined {
  const { house } = useShared();
  const [chat, setChat] = useState<ChatMessages | "off">();
  useEffect(() => {
    const life = { isOver: false };
    void follow(house, life, setChat);
    return () => {
      life.isOver = true;
    };
  }, [house]);
  return chat;
}

async function follow(
  house: House,
  life: { isOver: boolean },
  show: (chat: ChatMessages | "off") => void,
): Promise<void> {
  let version: string | undefined;
  while (!life.isOver) {
    try {
      const news = version === undefined ? {} : { version, wait_s: WAIT };
      const chat = await house.call<ChatMessages>("list_chat_messages", { limit: SHOWN, ...news });
      if (!life.isOver && chat.version !== version) show(chat);
      ({ version } = chat);
    } catch (error) {
      if (isOff(error)) return show("off");
      version = undefined; // the runtime may be another one by now
      await sleep(PAUSE);
    }
  }
}

/** Alone in a message, in the four languages. */
const STOPS =
  /^(?:\W*(?:s+t+o+p+|off|halt|aus|para|pare|alto|(?:everything|all|it|water|pump) off|(?:alles|wasser|pumpe) aus|(?:turn|switch) (?:it|everything) off|(?:turn|switch) off everything|apaga todo|desliga tudo)(?!\w))+\W*$/i;

function Conversation({ chat }: { readonly chat: ChatMessages | undefined }) {
  const { house, words, clock, nowMs, said } = useShared();
  const [isStopped, setStopped] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [chat?.version]);
  const send = async (text: string) => {
    const isStop = STOPS.test(text);
    if (isStop) await house.stop(); // by every way; the runtime understands more words, where the link carries them
    setStopped(isStop);
    await sendTo(house, text);
  };
  return (
    <section class="card wide chat">
      <h2>{words.tabs.chat}</h2>
      {chat?.count === 0 && <p class="quiet">{words.noChat}</p>}
      <div role="log" aria-label={words.tabs.chat}>
        {chat?.messages.map(({ message_id, from, timestamp, text }) => (
          <article key={message_id} class={from === "person" ? "message you" : "message agent"}>
            <header>
              <strong>{from === "person" ? words.fromYou : words.fromAgent}</strong>
              <time dateTime={timestamp}>{clock.near(at(timestamp), nowMs)}</time>
            </header>
            <p>{from === "person" ? text : said(unmarked(text))}</p>
          </article>
        ))}
        {chat && <Working chat={chat} />}
      </div>
      <LineForm label={words.write} button={words.send} draft="chat" send={send} />
      {isStopped && (
        <p class="note hold" role="status">
          {words.stopped}
        </p>
      )}
      <div ref={end} />
    </section>
  );
}

/** In characters as the runtime counts them. Longer, and the person reads how long it may be; the text stays in its field. */
function sendTo(house: House, text: string): Promise<unknown> {
  if ([...text].length > LONGEST_CHAT_TEXT)
    return Promise.reject(new Refusal("TEXT_TOO_LONG", "the message is too long"));
  return house.call("send_chat_message", { text });
}

/** What the agent is doing for the answer, or what it waits for. */
function Working({ chat: { unanswered, turn } }: { readonly chat: ChatMessages }) {
  const { view, words } = useShared();
  const isAsking = (view.overview?.approvals.length ?? 0) > 0;
  if (turn !== null && turn.outcome === null)
    return (
      <div class="quiet">
        <p>{words.working}</p>
        <ul>
          {turn.calls.map(({ timestamp, tool, title, outcome }) => (
            <li key={timestamp + tool}>
              {words.callTitles[tool.split(" ")[0] ?? ""] ?? <span lang="en">{title}</span>}:{" "}
              {words.callOutcomes[outcome] ?? words.refusals[outcome] ?? outcome}
            </li>
          ))}
        </ul>
        {isAsking && <WaitsForYes />}
      </div>
    );
  if (unanswered === 0) return null;
  if (isAsking) return <WaitsForYes />; // one that asks in its care has not begun on the message
  return <p class="quiet">{turn?.outcome === "failed" ? words.turnFailed : words.waitsForAgent}</p>;
}

function WaitsForYes() {
  const { house, words } = useShared();
  return (
    <p class="warn">
      {house.isHuman ? words.waitsForYes : words.waitsForPeople} <a href="#now">{words.toRequest}</a>
    </p>
  );
}
