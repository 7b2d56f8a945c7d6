import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { type Agenda, agenda, task } from "../runtime/wire/agenda.js";
import { AGENDA_URI } from "../runtime/wire/names.js";
import { parseJson } from "../runtime/wire/refusal.js";
import type { ToolResult } from "./tool-result.js";

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
    return agenda.safeParse(first && "text" in first ? parseJson(first.text) : undefined).data;
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

const added = z.object({ task: task.pick({ id: true, is_due: true }) });

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
