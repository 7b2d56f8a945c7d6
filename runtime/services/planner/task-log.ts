import { minutes } from "../../../drivers/units.js";
import { type Stored, uuidOf } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import { sourcesIn, type Tainted } from "../../tools/taint.js";
import { HOUSEHOLD } from "../household/household.js";

/** A choice: a description is a page. Code points. */
export const LONGEST_DESCRIPTION = 4000;

/** For whom a task is: the agent, which it wakes, or a person, whom it reminds. */
export type TaskFor = "agent" | "person";

/** What becomes of a time that came while the runtime was off. */
export type IfMissed = "run_late" | "skip";

/** What the agent is handed with a task. */
type TaskPayload = string | Readonly<Record<string, unknown>>;

/** What `update_task` may change. Null clears. */
export interface TaskChanges {
  readonly description?: string;
  readonly details?: string | null;
  readonly due?: string | null;
  readonly priority?: number;
  readonly recurrence?: string | null;
  readonly zone?: string;
  readonly remind_before?: number | null;
  readonly if_missed?: IfMissed;
}

/** What a line that adds a task has beside what versions before people had tasks wrote. */
export interface NewFields {
  readonly task: string;
  readonly for: TaskFor;
  readonly owner: string;
  readonly chat?: string;
  readonly details?: string;
  /** `due` is then a time that never comes: those versions know no task without one. */
  readonly undated?: true;
  readonly priority?: number;
  readonly recurrence?: string;
  readonly zone?: string;
  readonly remind_before?: number;
  /** Without it: "run_late". */
  readonly if_missed?: IfMissed;
  readonly payload?: TaskPayload | null;
  /** The owner wanted it: a token or a turn of the owner has made it. */
  readonly asked?: true;
}

/**
 * A line of journal/tasks.jsonl: a task, or what became of it. Versions before people had tasks read it too: to them a line with
 * `sooner` sets the time, and any other line about a task says that it is done.
 */
export type TaskEntry = { readonly timestamp: string; readonly by: string } & Tainted &
  (
    | ({ readonly description: string; readonly due: string; readonly plant?: string } & Partial<NewFields>)
    | {
        readonly of: number;
        readonly sooner: string;
        readonly set?: TaskChanges;
        /** A recurring task was done; `sooner` is its next time. */
        readonly completed?: true;
        /** When it was done, if that is not the time of the line. */
        readonly at?: string;
        /** Whoever it is for was told of this time. */
        readonly reminded?: string;
        /** This time was missed; `sooner` is its next. */
        readonly skipped?: string;
        /** A person wants to be reminded again then. */
        readonly later?: string;
      }
    | {
        readonly of: number;
        readonly done: true;
        readonly deleted?: true;
        readonly at?: string;
        /** This time was missed, and there is no other. */
        readonly skipped?: string;
      }
    // what an erasure has left of any but a deletion
    | { readonly erased: true }
  );

export interface TaskRecord {
  /** When it was added. */
  readonly timestamp: string;
  readonly task_id: string;
  readonly for: TaskFor;
  /** A person, or "household". */
  readonly owner: string;
  readonly chat: string | null;
  readonly description: string;
  readonly details: string | null;
  /** Null: a person's task without a time. */
  readonly due: string | null;
  /** Null: for all plants. */
  readonly plant: string | null;
  /** 0 low, 1 medium, 2 high, 3 urgent. */
  readonly priority: number;
  /** A rule of RFC 5545 whose hours are those of `zone`. */
  readonly recurrence: string | null;
  readonly zone: string | null;
  /** Minutes. Null: a person is reminded when it falls due. */
  readonly remind_before: number | null;
  /** What the agent is handed when the task falls due. */
  readonly payload: TaskPayload | null;
  readonly asked: boolean;
  /** Where words of strangers came from that whoever made or changed it had read. */
  readonly tainted: readonly string[];
  /** The token that added it. */
  readonly by: string;
  /** When it was over: done, deleted or skipped. */
  readonly done_at: string | null;
  readonly deleted: boolean;
  readonly updated_at: string | null;
  /** When a recurring task was done last. */
  readonly last_done_at: string | null;
  /** The last time of which whoever it is for was told. */
  readonly reminded: string | null;
  readonly later: string | null;
  /** Absent in what older versions indexed: "run_late". */
  readonly if_missed?: IfMissed;
  /** The last time that was missed and skipped. */
  readonly skipped?: string;
  /** It is over because its time was missed. */
  readonly lapsed?: true;
}

/** A time that never comes, for versions that know no task without one. */
export const NEVER = "9999-12-31T00:00:00.000Z";

/** What an erased task says. */
const NOTHING = { by: "", description: "", due: NEVER };
const OVER = { due: null, deleted: true };

/** In which order tasks that are over are asked for. */
export const DONE_ORDERS = {
  "newest first": ["-done_at", "-timestamp"],
  "as open ones": ["-priority", "due"],
} as const;

export const TASK_LOG = {
  name: "tasks",
  // a deletion has no words, and tells a version that knows of no erasure that the task is over
  erasable: (entry: TaskEntry) => !("deleted" in entry),
  indexes: [
    ["task_id"],
    ["owner", ...DONE_ORDERS["newest first"]],
    ["owner", ...DONE_ORDERS["as open ones"]],
  ],
  recordId: (entry: TaskEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: TaskRecord | undefined, entry: TaskEntry): TaskRecord => {
    if ("erased" in entry)
      return { ...added({ ...NOTHING, timestamp: entry.timestamp }), ...OVER, done_at: entry.timestamp };
    if (!("of" in entry)) return added(entry);
    if (!previous) throw new Error(`tasks.jsonl: task ${entry.of} changed before it was added`);
    if ("sooner" in entry) return moved(previous, entry);
    const done_at = previous.done_at ?? entry.at ?? entry.timestamp;
    const { skipped } = entry;
    const lapse = skipped === undefined ? {} : { skipped, lapsed: true as const };
    return { ...previous, done_at, deleted: entry.deleted === true, ...lapse };
  },
};

/** A new task, but for what each line says. */
const PLAIN = {
  for: "agent",
  owner: HOUSEHOLD,
  chat: null,
  details: null,
  plant: null,
  priority: 0,
  recurrence: null,
  zone: null,
  remind_before: null,
  payload: null,
  asked: false,
  tainted: [],
  done_at: null,
  deleted: false,
  updated_at: null,
  last_done_at: null,
  reminded: null,
  later: null,
} as const;

function added({ task, undated, ...given }: Extract<TaskEntry, { description: string }>): TaskRecord {
  const task_id = task ?? uuidOf(`${given.timestamp} ${given.description}`);
  return { ...PLAIN, ...given, task_id, due: undated ? null : given.due };
}

function moved(previous: TaskRecord, entry: Extract<TaskEntry, { sooner: string }>): TaskRecord {
  const { timestamp, sooner, set, tainted = [], completed, reminded, later, skipped, at = timestamp } = entry;
  if (set)
    return {
      ...previous,
      ...set,
      tainted: sourcesIn([previous, { tainted }]),
      updated_at: timestamp,
      ...(set.due !== undefined && { later: null }),
    };
  if (reminded !== undefined) return { ...previous, reminded };
  if (later !== undefined) return { ...previous, later };
  if (skipped !== undefined) return { ...previous, due: sooner, skipped };
  return { ...previous, due: sooner, ...(completed && { last_done_at: at, later: null }) };
}

export type Task = Stored<TaskRecord>;

/** When it was done, of a recurring task last; null where it never was. */
export const completedAt = ({ done_at, last_done_at, lapsed }: TaskRecord): string | null =>
  lapsed ? last_done_at : (done_at ?? last_done_at);

/** Every task of the agent has a time. */
export const dueOf = ({ record }: Task): string => record.due ?? NEVER;

/** A choice: what comes later than this was missed. */
const LATE_FROM = minutes(10);

/** When a person is to be reminded, or the agent is to find it: undefined where the task is over or has no time. */
export function tellAt({ for: kind, due, done_at, remind_before, later }: TaskRecord): string | undefined {
  if (due === null || done_at !== null) return undefined;
  if (kind === "agent") return due;
  return later ?? isoUtc(Date.parse(due) - minutes(remind_before ?? 0));
}

/** Whether anybody has to be told. That the agent was told counts only where a time that was missed is skipped. */
export function isWaiting(record: TaskRecord): boolean {
  const at = tellAt(record);
  return (
    at !== undefined && at !== record.reminded && (record.for === "person" || record.if_missed === "skip")
  );
}

/** Milliseconds from a time of the task to now; a task that was made or changed after it was not late before. */
export const lateBy = ({ timestamp, updated_at }: TaskRecord, at: string, now: number): number =>
  now - Math.max(...[at, timestamp, updated_at ?? at].map((time) => Date.parse(time)));

export const isLate = (milliseconds: number): boolean => milliseconds >= LATE_FROM;

/** Its time came while the runtime was off, and it is then to be skipped. What a person put off until later was told once. */
export const isToSkip = (record: TaskRecord, now: number): boolean =>
  record.if_missed === "skip" &&
  record.later === null &&
  record.due !== null &&
  isWaiting(record) &&
  isLate(lateBy(record, record.due, now));
