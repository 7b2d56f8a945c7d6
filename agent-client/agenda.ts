import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { parseJson, type ToolResult } from "./tool-result.js";

/** Where a runtime keeps what calls for care. */
export const AGENDA_URI = "tendril://agenda";

const task = z.object({
  id: z.int(),
  description: z.string(),
  due: z.string(),
  /** Null: for all plants. */
  plant: z.string().nullable(),
});

const message = z.object({
  message_id: z.string(),
  timestamp: z.string(),
  in_reply_to: z.string().nullable(),
  excerpt: z.string(),
  /** Of the whole message, in code points. */
  length: z.int(),
});

const plantAgenda = z.object({
  plant: z.string(),
  name: z.string(),
  hold: z.object({ since: z.string(), by: z.string(), reason: z.string() }).nullable(),
  faults: z.array(z.object({ code: z.string(), since: z.string(), reason: z.string() })),
  /** Who holds the plant's care, and until when others are turned away. */
  care: z
    .object({ agent: z.string(), instance: z.string().nullable(), status_at: z.string(), until: z.string() })
    .nullable(),
});

/** What a runtime leaves out, because a family of services is switched off there, is empty or null. */
export const agendaSchema = z.object({
  timestamp: z.string(),
  /** Soonest first. */
  due: z.array(task).default([]),
  open_tasks: z.int().nullable().default(null),
  /** When the next task falls due that is not due yet. */
  next_due: z.string().nullable().default(null),
  /** Messages of the person that no agent has read, newest first. */
  unread: z.object({ count: z.int(), messages: z.array(message) }),
  plants: z.array(plantAgenda),
});

/** What calls for care, as the runtime sees it. All times are UTC, ISO 8601. */
export type Agenda = z.output<typeof agendaSchema>;

/** Why a cycle should begin now. */
export interface WakeReason {
  readonly kind: "task_due" | "message" | "hold_lifted" | "fault_cleared";
  /** The plant's id; null where it concerns all of them. */
  readonly plant: string | null;
  /** In words, for a log. */
  readonly what: string;
}

export interface AgendaNews {
  /** At least one. */
  readonly reasons: readonly WakeReason[];
  readonly agenda: Agenda;
}

/** The agenda now; undefined where the runtime has none. Rejects as every request does. */
export async function readAgenda(client: Client): Promise<Agenda | undefined> {
  try {
    const { contents } = await client.readResource({ uri: AGENDA_URI });
    const [first] = contents;
    return agendaSchema.safeParse(first && "text" in first ? parseJson(first.text) : undefined).data;
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

const added = z.object({ task: z.object({ id: z.int(), is_due: z.boolean() }) });

/** The task that a call of ours added, or brought forward, and that is due already: to whoever did so it is no news. */
export function addedAsDue(tool: string, result: ToolResult): number | undefined {
  if (tool !== "add_task" || !result.ok) return undefined;
  const task = added.safeParse(result.value).data?.task;
  return task?.is_due ? task.id : undefined;
}

/** What has come up since an agenda was read, but for our `own` tasks; of a first one, all that is due or unread. */
export function newsSince(
  before: Agenda | undefined,
  now: Agenda,
  own: ReadonlySet<number> = new Set(),
): WakeReason[] {
  return [...dueTasks(before, now, own), ...newMessages(before, now), ...whatWasLifted(before, now)];
}

function dueTasks(before: Agenda | undefined, { due }: Agenda, own: ReadonlySet<number>): WakeReason[] {
  const known = new Set([...own, ...(before?.due ?? []).map(({ id }) => id)]);
  return due
    .filter(({ id }) => !known.has(id))
    .map(({ description, plant }) => ({ kind: "task_due", plant, what: `due: ${description}` }));
}

function newMessages(before: Agenda | undefined, { unread }: Agenda): WakeReason[] {
  const known = new Set(before?.unread.messages.map(({ message_id }) => message_id));
  return unread.messages
    .filter(({ message_id }) => !known.has(message_id))
    .map(({ excerpt }) => ({ kind: "message", plant: null, what: `the person wrote: ${excerpt}` }));
}

function whatWasLifted(before: Agenda | undefined, now: Agenda): WakeReason[] {
  return (before?.plants ?? []).flatMap(({ plant, name, hold, faults }) => {
    const today = now.plants.find((each) => each.plant === plant);
    if (!today) return [];
    const gone = faults.filter(({ code }) => !today.faults.some((fault) => fault.code === code));
    const cleared = gone.map(({ code }) => reason("fault_cleared", plant, `${code} of ${name} was cleared`));
    return hold && !today.hold
      ? [reason("hold_lifted", plant, `the hold of ${name} was lifted`), ...cleared]
      : cleared;
  });
}

const reason = (kind: WakeReason["kind"], plant: string, what: string): WakeReason => ({ kind, plant, what });
