import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { type Agenda, agenda, task } from "../../runtime/wire/agenda.js";
import { AGENDA_URI } from "../../runtime/wire/names.js";
import { exponentialBackoff } from "../../runtime/wire/program.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import type { Clock } from "../clock.js";
import type { Link } from "./link.js";
import type { ToolResult } from "./tools.js";

/** Why a cycle should begin now; for a chat, and for a task with work of its own, another turn. */
interface WakeReason {
  readonly kind: "task_due" | "message" | "hold_lifted" | "fault_cleared" | "chat" | "agent_task";
  readonly what: string;
}

/** At least one reason. */
export type AgendaNews = readonly WakeReason[];

/** The agenda now; undefined if the runtime has none. Rejects like every request. */
export async function readAgenda(client: Client): Promise<Agenda | undefined> {
  try {
    const { contents } = await client.readResource({ uri: AGENDA_URI });
    const [first] = contents;
    return agenda.safeParse(first && "text" in first ? parseJson(first.text) : undefined).data;
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

const added = z.object({ task: task.pick({ id: true, is_due: true }) });

/** The id of a task that our call added or moved, if it is due already: it is not news for us. */
export function addedAsDue(tool: string, result: ToolResult): number | undefined {
  if (tool !== "add_task" || !result.ok) return undefined;
  const task = added.safeParse(result.value).data?.task;
  return task?.is_due ? task.id : undefined;
}

/** What is new since the agenda `before`, except our `own` tasks. Without `before`: all that is due or unread. */
const newsSince = (before: Agenda | undefined, now: Agenda, own: ReadonlySet<number>): WakeReason[] => [
  ...fresh(now.due, before?.due, ({ id }) => id)
    .filter(({ id }) => !own.has(id))
    .map(
      (task): WakeReason => ({
        kind: hasTurn(task) ? "agent_task" : "task_due",
        what: `due: ${task.description}`,
      }),
    ),
  ...fresh(now.unread.messages, before?.unread.messages, ({ message_id }) => message_id).map(
    ({ excerpt }): WakeReason => ({ kind: "message", what: `the person wrote: ${excerpt}` }),
  ),
  ...whatWasLifted(before, now),
  ...fresh(now.chats, before?.chats, ({ message_id }) => message_id).map(
    ({ user_id }): WakeReason => ({ kind: "chat", what: `${user_id} waits for an answer` }),
  ),
];

/** Those that were not there before. */
function fresh<T>(now: readonly T[], before: readonly T[] = [], idOf: (one: T) => unknown): readonly T[] {
  const known = new Set(before.map(idOf));
  return now.filter((each) => !known.has(idOf(each)));
}

/** Whether a due task is handed to a turn of its own. */
export const hasTurn = ({ payload }: Agenda["due"][number]): boolean => payload !== undefined;

function whatWasLifted(before: Agenda | undefined, now: Agenda): WakeReason[] {
  return (before?.plants ?? []).flatMap(({ plant, name, hold, faults }) => {
    const today = now.plants.find((each) => each.plant === plant);
    if (!today) return [];
    const gone = faults.filter(({ code }) => !today.faults.some((fault) => fault.code === code));
    const lifted =
      hold && !today.hold ? [{ kind: "hold_lifted" as const, what: `the hold of ${name} was lifted` }] : [];
    const cleared = gone.map(({ code }) => ({
      kind: "fault_cleared" as const,
      what: `${code} of ${name} was cleared`,
    }));
    return [...lifted, ...cleared];
  });
}

export type Cancel = () => void;

interface AgendaWatchOptions {
  readonly link: Pick<Link, "ready" | "closed">;
  readonly clock: Clock;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  readonly onNews: (news: AgendaNews) => void;
  /** An agenda that was read before: its entries are not news. */
  readonly seen?: Agenda | undefined;
  /** Tasks that were due when we added them; removed from the set once the agenda has shown them. */
  readonly own?: Set<number>;
}

/**
 * Reports everything new on the agenda, each entry once: what is due and unread at the start and was not seen before, and
 * what comes later, also while the link was broken. A runtime without an agenda has no news. One watch per link.
 */
export function watchAgenda(options: AgendaWatchOptions): Cancel {
  const watch = new AgendaWatch(options);
  void watch.run();
  return () => watch.stop();
}

class AgendaWatch {
  private readonly over = new AbortController();
  private leave: () => void = () => undefined;
  private seen: Agenda | undefined;
  /** One look after the other, so that an older agenda never counts as news. */
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly options: AgendaWatchOptions) {
    this.seen = options.seen;
  }

  stop(): void {
    this.over.abort();
    this.leave();
  }

  /** Follows the agenda on one connection after the other. */
  async run(): Promise<void> {
    const { clock, random } = this.options;
    const { signal } = this.over;
    let waits = exponentialBackoff(random);
    while (!signal.aborted) {
      const followed = await this.follow().catch(() => false);
      if (followed) waits = exponentialBackoff(random);
      await clock.sleep(waits.next().value, signal).catch(() => undefined);
    }
  }

  /** Follows until the connection or the subscription ends. Subscribes first and then looks, so nothing is missed between. */
  private async follow(): Promise<true> {
    const { link } = this.options;
    const client = await link.ready();
    client.setNotificationHandler("notifications/resources/updated", () => this.look(client));
    const subscription = await subscribe(client);
    const left = new Promise<void>((resolve) => {
      this.leave = resolve;
    });
    try {
      await this.look(client);
      if (!this.over.signal.aborted) await Promise.race([link.closed(client), subscription.ended, left]);
      return true;
    } finally {
      await subscription.end().catch(() => undefined); // without a connection it has ended already
    }
  }

  private look(client: Client): Promise<void> {
    const look = this.looking.catch(() => undefined).then(() => this.compare(client));
    this.looking = look;
    return look;
  }

  private async compare(client: Client): Promise<void> {
    const agenda = await readAgenda(client);
    if (!agenda || this.over.signal.aborted) return;
    const { own = new Set() } = this.options;
    const reasons = newsSince(this.seen, agenda, own);
    this.seen = agenda;
    for (const { id } of agenda.due) own.delete(id);
    if (reasons.length > 0) this.options.onNews(reasons);
  }
}

interface Subscription {
  /** Resolves if it ends before the connection does. */
  readonly ended: Promise<unknown>;
  end(): Promise<unknown>;
}

/** By the protocol of the connection: one stream for all subscriptions since 2026, one resource at a time before. */
async function subscribe(client: Client): Promise<Subscription> {
  if (client.getServerCapabilities()?.resources?.subscribe !== true)
    return { ended: never(), end: async () => undefined };
  if (client.getProtocolEra() === "modern") {
    const { closed, close } = await client.listen({ resourceSubscriptions: [AGENDA_URI] });
    return { ended: closed, end: close };
  }
  await client.subscribeResource({ uri: AGENDA_URI });
  return { ended: never(), end: () => client.unsubscribeResource({ uri: AGENDA_URI }) };
}

const never = () => new Promise<never>(() => undefined);
