import type { Clock } from "../../../drivers/ports.js";
import { hours, minutes } from "../../../drivers/units.js";
import { errorTable, final, refuseIf, TendrilError } from "../../errors.js";
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

/** A line that adds a task. */
export interface NewTaskEntry {
  readonly description: string;
  readonly task: string;
  readonly for: TaskFor;
  readonly owner: string;
  readonly due?: string;
  readonly plant?: string;
  readonly chat?: string;
  readonly details?: string;
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

export type TaskChange =
  /** `unasked`: its words are no longer the owner's own. */
  | { readonly set: TaskChanges; readonly unasked?: true }
  /** Whoever it is for was told of this time. */
  | { readonly reminded: string }
  /** A person wants to be reminded again then. */
  | { readonly later: string }
  /** A recurring task was done, or its time was missed. `at`: when it was done, if that is not the time of the line. */
  | { readonly next: string; readonly completed?: true; readonly at?: string; readonly skipped?: string }
  /** It is open again; a recurring task has the time back that it was done for. */
  | { readonly reopened: true }
  /** It is over. `skipped`: this time was missed, and there is no other. */
  | { readonly done: true; readonly deleted?: true; readonly at?: string; readonly skipped?: string };

/** A line of journal/tasks.jsonl: a task, or what became of it. */
export type TaskEntry = { readonly timestamp: string; readonly by: string } & Tainted &
  (
    | NewTaskEntry
    | ({ readonly of: number } & TaskChange)
    // what an erasure has left of any but a deletion
    | { readonly erased: true }
  );

/**
 * A line of before 2026-11-26. Each change but the end says in `sooner` when the task is due then, and a task without a time is due in
 * the year 9999. Before people had tasks, a line had none of the fields that tell whose and for whom it is.
 */
interface FormerEntry {
  readonly sooner?: string;
  readonly undated?: true;
  readonly due?: string;
}

function present({ sooner, undated, due, ...entry }: TaskEntry & FormerEntry): TaskEntry {
  return {
    ...entry,
    ...(due !== undefined && !undated && { due }),
    ...(sooner !== undefined && { next: sooner }),
  } as TaskEntry;
}

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
  readonly last_done_at: string | null;
  /** The last time of which whoever it is for was told. */
  readonly reminded: string | null;
  readonly later: string | null;
  /** Absent: "run_late". */
  readonly if_missed?: IfMissed;
  /** The last time that was missed and skipped. */
  readonly skipped?: string;
  /** It is over because its time was missed. */
  readonly lapsed?: boolean;
  /** What the last completion of a recurring task has changed. Null or absent: it cannot be taken back. */
  readonly before_done?: BeforeDone | null;
}

type BeforeDone = Pick<TaskRecord, "due" | "last_done_at" | "reminded" | "later">;

/** What an erased task says. */
const NOTHING = { by: "", description: "", deleted: true };

/** In which order tasks that are over are asked for. */
export const DONE_ORDERS = {
  "newest first": ["-done_at", "-timestamp"],
  "as open ones": ["-priority", "due"],
} as const;

export const TASK_LOG = {
  name: "tasks",
  // a deletion has no words
  erasable: (entry: TaskEntry) => !("deleted" in entry),
  indexes: [
    ["task_id"],
    ["owner", ...DONE_ORDERS["newest first"]],
    ["owner", ...DONE_ORDERS["as open ones"]],
  ],
  fold: (previous: TaskRecord | undefined, line: TaskEntry): TaskRecord => {
    const entry = present(line);
    const { timestamp } = entry;
    if ("erased" in entry)
      return { ...PLAIN, ...NOTHING, timestamp, task_id: uuidOf(timestamp), done_at: timestamp };
    if (!("of" in entry)) return added(entry);
    if (!previous) throw new Error(`tasks.jsonl: task ${entry.of} changed before it was added`);
    return { ...previous, ...changed(previous, entry) };
  },
};

/** A new task, but for what each line says. */
const PLAIN = {
  for: "agent",
  owner: HOUSEHOLD,
  chat: null,
  details: null,
  due: null,
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

function added({
  task,
  ...given
}: NewTaskEntry & { readonly timestamp: string; readonly by: string }): TaskRecord {
  const task_id = task ?? uuidOf(`${given.timestamp} ${given.description}`);
  return { ...PLAIN, ...given, task_id };
}

function changed(previous: TaskRecord, entry: Extract<TaskEntry, { of: number }>): Partial<TaskRecord> {
  const { timestamp } = entry;
  if ("set" in entry) return set(previous, entry);
  if ("reminded" in entry) return { reminded: entry.reminded };
  if ("later" in entry) return { later: entry.later };
  if ("reopened" in entry) return reopened(previous, timestamp);
  const { skipped, at = timestamp } = entry;
  const missed = skipped === undefined ? {} : { skipped };
  if ("next" in entry) {
    const { due, last_done_at, reminded, later } = previous;
    const done = { last_done_at: at, later: null, before_done: { due, last_done_at, reminded, later } };
    return { due: entry.next, before_done: null, ...missed, ...(entry.completed && done) };
  }
  const lapse = skipped === undefined ? {} : { skipped, lapsed: true };
  return {
    ...{ done_at: previous.done_at ?? at, deleted: entry.deleted === true, before_done: null },
    ...lapse,
  };
}

function set(
  previous: TaskRecord,
  { set, unasked, timestamp, tainted = [] }: Extract<TaskEntry, { set: TaskChanges }>,
): Partial<TaskRecord> {
  const read = { tainted: sourcesIn([previous, { tainted }]), updated_at: timestamp };
  // whoever gave it another time wants that one
  const isTimed = set.due !== undefined || set.recurrence !== undefined;
  return {
    ...{ ...set, ...read },
    ...(set.due !== undefined && { later: null }),
    ...(isTimed && { before_done: null }),
    ...(unasked && { asked: false }),
  };
}

/** `updated_at`: a time that came before is not late, and not to be skipped. */
function reopened({ before_done }: TaskRecord, updated_at: string): Partial<TaskRecord> {
  return { ...before_done, before_done: null, done_at: null, lapsed: false, updated_at };
}

export type Task = Stored<TaskRecord>;

/** When it was done, of a recurring task last; null where it never was. */
export const completedAt = ({ done_at, last_done_at, lapsed }: TaskRecord): string | null =>
  lapsed ? last_done_at : (done_at ?? last_done_at);

/** Whether there is a "done" to take back. */
export const isReopenable = ({ done_at, before_done }: TaskRecord): boolean =>
  done_at !== null || (before_done ?? null) !== null;

/** Shown of a task of the agent that somebody has taken the time from. */
const NEVER = "9999-12-31T00:00:00.000Z";
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

export const TASK_ERRORS = errorTable({
  UNKNOWN_TASK: final("list the tasks and use one of their ids", "nothing"),
  TOO_MANY_TASKS: final("complete tasks that are done or no longer needed", "nothing"),
});

/** Choices: a model that loops must not fill the disk, and nobody looks through more. Of each kind, and of each owner. */
export const MAX_OPEN = 200;
/** A choice: of all owners and kinds, as all of them are in memory; at most some 40 MB. */
export const MAX_OPEN_IN_ALL = 2000;
/** A choice: so many tasks of its own making let an agent's token make no more by `task_tool` and `scheduleAgentTask`. */
const MAX_MADE_A_DAY = 50;
const DAY = hours(24);

/** Throws TOO_MANY_TASKS if one more is too many. */
export function assertRoom(
  { for: kind, owner }: Pick<TaskRecord, "for" | "owner">,
  open: readonly Task[],
): void {
  const mine = open.filter(({ record }) => record.for === kind && record.owner === owner);
  refuseIf(TASK_ERRORS.TOO_MANY_TASKS, [
    mine.length >= MAX_OPEN && `${owner} has ${MAX_OPEN} open tasks already`,
    open.length >= MAX_OPEN_IN_ALL && `${MAX_OPEN_IN_ALL} tasks are open already`,
  ]);
}

/** How many tasks each token has made of late. */
export class MadeTasks {
  /** When each token made its newest tasks, epoch milliseconds. */
  private readonly madeBy = new Map<string, readonly number[]>();

  constructor(private readonly clock: Clock) {}

  /** Each task of a person can ring: an agent must not ring as often as it likes. Throws TOO_MANY_TASKS. */
  assertNotTooFast(by: string): void {
    const since = this.clock.now() - DAY;
    const times = (this.madeBy.get(by) ?? []).filter((at) => at > since && at <= this.clock.now());
    if (times.length >= MAX_MADE_A_DAY)
      throw new TendrilError(
        TASK_ERRORS.TOO_MANY_TASKS,
        `${by} has made ${MAX_MADE_A_DAY} tasks in 24 hours already`,
      );
  }

  /** The newest of each token that count, also those that are done or deleted since. */
  count({ record: { by, timestamp } }: Task): void {
    this.madeBy.set(by, [...(this.madeBy.get(by) ?? []), Date.parse(timestamp)].slice(-MAX_MADE_A_DAY));
  }
}
