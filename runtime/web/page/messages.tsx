import { wishWords } from "../../wire/approval-words.js";
import type { NewsData } from "../../wire/notifications.js";
import type {
  Approval,
  ApprovalList,
  Message,
  MessagesFromAgent,
  MessagesFromHuman,
  PendingApproval,
} from "../../wire/people.js";
import { unmarked } from "../../wire/phrases.js";
import { uncoded } from "./called-as.js";
import { type Shared, useAnswer, useChanges, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { DueTask } from "./notices.tsx";
import { LineForm } from "./parts.tsx";
import { EN } from "./words.js";

/** A choice: a few screens. */
const SHOWN = 30;

type Entry = Message & {
  readonly from: "agent" | "runtime" | "you";
  readonly notification?: Readonly<Record<string, unknown>> | undefined;
  readonly over_at?: string | undefined;
};

/** A request for a yes that a message of the runtime tells about. It has no words where tool and arguments say enough. */
function requestIn({ from, notification }: Entry): Request | undefined {
  const { kind, data } = notification ?? {};
  if (from !== "runtime" || kind !== "approval_requested") return undefined;
  const request = data as Partial<Request> & Pick<Request, "id" | "agent">;
  const { tool = "", arguments: args = {}, words = wishWords(tool, args) } = request;
  return { ...request, tool, arguments: args, words };
}

/** A reminder of a task: its words for a terminal name commands, which the page has buttons for. */
const taskIn = ({ from, notification }: Entry): DueData | undefined =>
  from === "runtime" && notification?.kind === "task_due" ? (notification.data as DueData) : undefined;

type DueData = NewsData<"task_due">;

/**
 * News that the page has words for, for who does not read English; of what is over, without what there was to do. The runtime's own
 * English of `water_unanswered` names a command that the page has no button for: nothing is locked.
 */
function newsIn({ from, notification = {} }: Entry, { words, view }: Shared, isOver: boolean) {
  const { kind } = notification;
  if (from !== "runtime" || (words.language === EN.language && kind !== "water_unanswered")) return undefined;
  const { input = "", unanswered_ml = 0, minutes = 0 } = notification.data as NewsFigures;
  const locked = (code: string) => `${words.locked[code]}.${isOver ? "" : ` ${words.whatToDo[code]}`}`;
  const happened = (text: string) => (isOver ? text.replace(/: [^:]*$/, ".") : text);
  const told: Readonly<Record<string, () => string>> = {
    stop_pressed: () => happened(words.inputs.stop(input)),
    leak: () => happened(words.inputs.leak(input)),
    tank_empty: () => happened(`${words.tank(input)} ${words.tankEmpty}.`),
    water_unanswered: () => happened(words.unanswered(unanswered_ml, minutes)),
    pump_locked: () => locked("NO_RESPONSE"),
    interlock_fault: () => locked("INTERLOCK"),
  };
  const own = told[String(kind)]?.();
  const name = plantIn(notification, view)?.name;
  return own && name ? `${name}: ${own}` : own;
}

/** The plant that it is about, if any. */
const plantIn = (of: Entry["notification"], { overview }: Shared["view"]) =>
  overview?.plants.find(({ plant }) => plant === of?.plant);

type NewsFigures = Partial<Pick<NewsData<"leak">, "input"> & NewsData<"water_unanswered">>;

type Request = Pick<PendingApproval, "id" | "agent" | "tool" | "arguments" | "words">;

/** Messages of agent, runtime and people, newest first. `canWrite`: with a field for a message that the agent reads in its next cycle. */
export function Messages({ canWrite = false }: { readonly canWrite?: boolean }) {
  const { house, view, words, clock, nowMs } = useShared();
  const pending = view.overview?.approvals ?? [];
  const { version, changed } = useChanges();
  const entries = useAnswer(async () => {
    const [theirs, ours] = await Promise.all([
      house.call<MessagesFromAgent>("list_messages_from_agent", { limit: SHOWN }),
      house.call<MessagesFromHuman>("list_messages_from_human", { limit: SHOWN }),
    ]);
    const all: Entry[] = [
      ...theirs.messages,
      ...ours.messages.map((each) => ({ ...each, from: "you" as const })),
    ];
    return all.sort((a, b) => at(b.timestamp) - at(a.timestamp)).slice(0, SHOWN);
  }, [version, Math.floor(nowMs / 15_000)]);
  const approvals = useAnswer(
    async () => (await house.call<ApprovalList>("list_approvals")).approvals,
    [version, pending.length],
  );
  const isPending = (id: number | undefined) => pending.some((each) => each.id === id);
  const names = { agent: words.fromAgent, runtime: words.fromRuntime, you: words.fromYou };
  const send = (message: string) => house.call("send_message_to_agent", { message }).then(changed);
  return (
    <section>
      <h2 class="wide">{words.messages}</h2>
      {canWrite && (
        <div class="card wide">
          <LineForm label={words.write} button={words.send} draft="chat" send={send} rows={2} />
          <p class="quiet">{words.messageNote}</p>
        </div>
      )}
      {entries?.length === 0 && <p class="quiet wide">{words.noMessages}</p>}
      {entries?.map((entry) => {
        const { message_id, from, timestamp, read_at } = entry;
        const request = requestIn(entry);
        const isOver = request ? !isPending(request.id) : entry.over_at !== undefined;
        return (
          <article key={message_id} class={`message ${isOver ? "over" : from}`}>
            <header>
              <strong>{names[from]}</strong>
              <time dateTime={timestamp}>{clock.near(at(timestamp), nowMs)}</time>
              {from === "you" && read_at === null && <span class="quiet">{words.unread}</span>}
              {isOver && !request && <span>{words.key.over}</span>}
            </header>
            <Content of={entry} isOver={isOver} approvals={approvals} />
          </article>
        );
      })}
    </section>
  );
}

/** A request is told in the reader's language, with what became of it; commands are for a terminal. */
function Content(of: {
  readonly of: Entry;
  readonly isOver: boolean;
  readonly approvals: readonly Approval[] | undefined;
}) {
  const shared = useShared();
  const { view, words, names, said } = shared;
  const { from, content = "", notification } = of.of;
  const request = requestIn(of.of);
  const task = taskIn(of.of);
  if (from === "you") return <p>{content}</p>;
  if (task)
    return (
      <p>
        <DueTask task={task} />. {!of.isOver && <a href="#lists">{words.toTasks}</a>}
      </p>
    );
  if (!request) {
    const own = newsIn(of.of, shared, of.isOver);
    if (own !== undefined) return <p>{own}</p>;
    if (from === "agent") return <p>{said(unmarked(content))}</p>;
    return <p lang="en">{said(uncoded(content).replaceAll("`", ""), of.isOver)}</p>;
  }
  const plant = plantIn(notification, view);
  const state = of.approvals?.find(({ id }) => id === request.id)?.state ?? "";
  return (
    <p>
      {words.wants(names.doer(request.agent), words.wish(request), plant?.name)}.{" "}
      {of.isOver ? (words.requestOver[state] ?? words.requestEnded) : <a href="#now">{words.toRequest}</a>}
    </p>
  );
}
