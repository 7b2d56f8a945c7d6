import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours, millis, minutes } from "../../../drivers/units.js";
import { errorTable, excerpt, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { type Stored, searchable, uuidOf } from "../../store/records.js";
import { nextInstants } from "../../time-words/understand.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Identity } from "../../wire/identity.js";
import { HOUSEHOLD, type View } from "../household/household.js";
import { definePart, Listeners } from "../module.js";

/** For whom a task is: the agent, which it wakes, or a person, whom it reminds. */
export type TaskFor = "agent" | "person";

/** What `update_task` may change. Null clears. */
export interface TaskChanges {
  readonly description?: string;
  readonly details?: string | null;
  readonly due?: string | null;
  readonly priority?: number;
  readonly recurrence?: string | null;
  readonly zone?: string;
  readonly remind_before?: number | null;
}

/** What a line that adds a task has beside what versions before people had tasks wrote. */
interface NewFields {
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
  readonly payload?: unknown;
}

/**
 * A line of journal/tasks.jsonl: a task, or what became of it. Versions before people had tasks read it too: to them a line with
 * `sooner` sets the time, and any other line about a task says that it is done.
 */
export type TaskEntry = { readonly timestamp: string; readonly by: string } & (
  | ({ readonly description: string; readonly due: string; readonly plant?: string } & Partial<NewFields>)
  | {
      readonly of: number;
      readonly sooner: string;
      readonly set?: TaskChanges;
      /** A recurring task was done; `sooner` is its next time. */
      readonly completed?: true;
      /** A person was reminded of this time. */
      readonly reminded?: string;
      /** A person wants to be reminded again then. */
      readonly later?: string;
    }
  | { readonly of: number; readonly done: true; readonly deleted?: true }
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
  readonly payload: unknown;
  /** The token that added it. */
  readonly by: string;
  readonly done_at: string | null;
  readonly deleted: boolean;
  readonly updated_at: string | null;
  /** When a recurring task was done last. */
  readonly last_done_at: string | null;
  /** The time of which a person was reminded last. */
  readonly reminded: string | null;
  readonly later: string | null;
}

/** A time that never comes, for versions that know no task without one. */
const NEVER = "9999-12-31T00:00:00.000Z";

export const TASK_LOG = {
  name: "tasks",
  recordId: (entry: TaskEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: TaskRecord | undefined, entry: TaskEntry): TaskRecord => {
    if (!("of" in entry)) return added(entry);
    if (!previous) throw new Error(`tasks.jsonl: task ${entry.of} changed before it was added`);
    if ("sooner" in entry) return moved(previous, entry);
    return { ...previous, done_at: previous.done_at ?? entry.timestamp, deleted: entry.deleted === true };
  },
};

function added({ timestamp, by, description, due, ...more }: Exclude<TaskEntry, { of: number }>): TaskRecord {
  return {
    timestamp,
    task_id: more.task ?? uuidOf(`${timestamp} ${description}`),
    for: more.for ?? "agent",
    owner: more.owner ?? HOUSEHOLD,
    chat: more.chat ?? null,
    description,
    details: more.details ?? null,
    due: more.undated ? null : due,
    plant: more.plant ?? null,
    priority: more.priority ?? 0,
    recurrence: more.recurrence ?? null,
    zone: more.zone ?? null,
    remind_before: more.remind_before ?? null,
    payload: more.payload ?? null,
    by,
    done_at: null,
    deleted: false,
    updated_at: null,
    last_done_at: null,
    reminded: null,
    later: null,
  };
}

function moved(previous: TaskRecord, entry: Extract<TaskEntry, { sooner: string }>): TaskRecord {
  const { timestamp, sooner, set, completed, reminded, later } = entry;
  if (set)
    return { ...previous, ...set, updated_at: timestamp, ...(set.due !== undefined && { later: null }) };
  if (reminded !== undefined) return { ...previous, reminded };
  if (later !== undefined) return { ...previous, later };
  return { ...previous, due: sooner, ...(completed && { last_done_at: timestamp, later: null }) };
}

export const TASK_ERRORS = errorTable({
  UNKNOWN_TASK: { retryable: false, changed: "nothing", fix: "list the tasks and use one of their ids" },
  TOO_MANY_TASKS: {
    retryable: false,
    changed: "nothing",
    fix: "complete tasks that are done or no longer needed",
  },
});

/** Choices: a model that loops must not fill the disk, and nobody looks through more. Of each kind, and of each owner. */
export const MOST_OPEN = 200;
/** A choice: of an agent's token, by `task_tool` and `scheduleAgentTask`. */
const MAX_MADE_A_DAY = 50;
const DAY = hours(24);
/** A choice: so many of the tasks of each kind that were done can be listed. */
export const DONE_REMEMBERED = 200;
/** The wall clock may be set while a task waits for its time: it is looked at this often. */
const LOOK_EVERY = minutes(1);

export type Task = Stored<TaskRecord>;

/** A task for the agent. */
export interface NewTask {
  readonly description: string;
  /** Epoch milliseconds. */
  readonly due: number;
  /** Undefined: for all plants. */
  readonly plant: string | undefined;
}

/** What `add` writes of a task that was given in full. */
export type FullTask = Omit<NewFields, "task" | "undated"> & {
  readonly description: string;
  readonly due?: string;
  readonly plant?: string;
};

export interface Added {
  readonly task: Task;
  /** The same task was open already. */
  readonly known: boolean;
}

/** What is to be done, and when. */
export class Tasks {
  private readonly open = new Map<number, Task>();
  /** Of each kind, the newest last. */
  private done: Record<TaskFor, Task[]> = { agent: [], person: [] };
  private readonly turns = new Mutex();
  private readonly listeners = new Listeners();
  /** When each token made its newest tasks, epoch milliseconds. */
  private readonly madeBy = new Map<string, readonly number[]>();
  private readonly counted = new Set<number>();
  private readonly watchers: ((task: Task) => void)[] = [];
  private announced = new Set<number>();
  private nextTold: string | null = null;
  private disarm: Cancel = () => undefined;

  private constructor(
    private readonly log: RecordLog<TaskEntry, TaskRecord>,
    private readonly clock: Clock,
  ) {}

  static async open(log: RecordLog<TaskEntry, TaskRecord>, clock: Clock): Promise<Tasks> {
    const tasks = new Tasks(log, clock);
    for await (const task of log.stored()) tasks.keep(task);
    for (const each of Object.values(tasks.done))
      each.sort((a, b) => compare(a.record.done_at ?? "", b.record.done_at ?? ""));
    tasks.announceDue();
    tasks.nextTold = tasks.next();
    tasks.arm();
    return tasks;
  }

  /** Told when a task falls due, and when the next time at which one does is another. */
  watch(listener: () => void): Cancel {
    return this.listeners.watch(listener);
  }

  /** Told of each task that is added or changed, of every kind, once it can be found here. */
  watchEach(watcher: (task: Task) => void): void {
    this.watchers.push(watcher);
  }

  /** Does not look at the time any more. */
  close(): void {
    this.disarm();
  }

  /** The same task of the same plant is not added twice: the sooner time counts. Throws TOO_MANY_TASKS. */
  add(wanted: NewTask, by: string): Promise<Added> {
    return this.turns.run(async () => {
      const known = this.sameAs(wanted);
      const task = known ? await this.hasten(known, wanted.due, by) : await this.appendNew(wanted, by);
      this.changed();
      return { task, known: known !== undefined };
    });
  }

  /** The task, and whether it was done before. Throws UNKNOWN_TASK. */
  complete(id: number, { by, view }: TaskActor): Promise<{ task: Task; before: boolean }> {
    return this.turns.run(async () => {
      const record = this.open.get(id)?.record ?? (await this.log.get(id));
      if (record?.for !== "agent" || !view.sees(record.owner))
        throw new TendrilError(TASK_ERRORS.UNKNOWN_TASK, `there is no task ${id}`);
      if (record.done_at !== null) return { task: { id, record }, before: true };
      return { task: await this.finish({ id, record }, by), before: false };
    });
  }

  /** A task that was given in full: a person's, or one that the agent is handed. Throws TOO_MANY_TASKS. */
  create({ description, due, ...more }: FullTask, { name: by, role }: Identity): Promise<Task> {
    return this.turns.run(async () => {
      if (role !== "human") this.assertNotTooFast(by);
      const mine = this.listed((record) => record.for === more.for && record.owner === more.owner);
      if (mine.length >= MOST_OPEN)
        throw new TendrilError(
          TASK_ERRORS.TOO_MANY_TASKS,
          `${more.owner} has ${MOST_OPEN} open tasks already`,
        );
      const time = due === undefined ? { due: NEVER, undated: true as const } : { due };
      const timestamp = this.timestamp();
      const task = this.keep(
        await this.log.append({ timestamp, by, description, ...time, task: randomUUID(), ...more }),
      );
      this.changed();
      return task;
    });
  }

  /** Null in a change clears. Throws NOT_FOUND. */
  update(taskId: string, set: TaskChanges, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const { id, record } = this.find(taskId, view);
      const due = set.due === undefined ? record.due : set.due;
      return this.append({ of: id, sooner: due ?? NEVER, set }, by);
    });
  }

  /** A recurring task gets its next time instead of an end; else the first completion counts. Throws NOT_FOUND. */
  completeById(taskId: string, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const task = this.find(taskId, view);
      return task.record.done_at === null ? this.finish(task, by) : task;
    });
  }

  /** Throws NOT_FOUND. */
  delete(taskId: string, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const task = this.find(taskId, view);
      await this.append({ of: task.id, done: true, deleted: true }, by);
      return task;
    });
  }

  /** A person wants to be reminded of it again at that time (epoch ms). Throws NOT_FOUND. */
  remindLater(taskId: string, at: number, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const { id, record } = this.find(taskId, view);
      return this.append({ of: id, sooner: record.due ?? NEVER, later: isoUtc(at) }, by);
    });
  }

  /** A person was reminded of the time `remindAt(task)`. */
  noteReminder({ id, record }: Task, at: string): Promise<Task> {
    return this.turns.run(() => this.append({ of: id, sooner: record.due ?? NEVER, reminded: at }, RUNTIME));
  }

  /** Open and done ones, in no order. */
  listed(wanted: (record: TaskRecord) => boolean, { done = false } = {}): readonly Task[] {
    const all = done ? [...this.done.agent, ...this.done.person] : [...this.open.values()];
    return all.filter(({ record }) => wanted(record));
  }

  /** Throws NOT_FOUND. */
  find(taskId: string, view: View): Task {
    const isIt = ({ task_id, owner }: TaskRecord) => task_id === taskId && view.sees(owner);
    const [found] = [...this.listed(isIt), ...this.listed(isIt, { done: true })];
    if (!found) throw new TendrilError("NOT_FOUND", `there is no task ${excerpt(taskId)}`);
    return found;
  }

  /** The agent's open ones, soonest first, in the order in which they were added where they fall due together. */
  all(): readonly Task[] {
    return this.listed((record) => record.for === "agent").toSorted(
      (a, b) => compare(a.record.due ?? NEVER, b.record.due ?? NEVER) || a.id - b.id,
    );
  }

  /** The agent's last that were done, the newest first. */
  lastDone(): readonly Task[] {
    return this.done.agent.toReversed();
  }

  due(): readonly Task[] {
    return this.all().filter((task) => this.isDue(task));
  }

  isDue({ record: { due, done_at } }: Task): boolean {
    return done_at === null && due !== null && Date.parse(due) <= this.clock.now();
  }

  /** When the next task falls due that is not due yet. */
  next(): string | null {
    return this.all().find((task) => !this.isDue(task))?.record.due ?? null;
  }

  private sameAs({ description, plant }: NewTask): Task | undefined {
    const wanted = sameness(description);
    return this.all().find(
      ({ record }) =>
        record.plant === (plant ?? null) &&
        record.owner === HOUSEHOLD &&
        record.payload === null &&
        record.recurrence === null &&
        sameness(record.description) === wanted,
    );
  }

  private async hasten({ id, record }: Task, due: number, by: string): Promise<Task> {
    if (record.due !== null && due >= Date.parse(record.due)) return { id, record };
    return this.append({ of: id, sooner: isoUtc(due) }, by);
  }

  /** The next time of a recurring task; what was missed meanwhile is not made up for. */
  private async finish({ id, record }: Task, by: string): Promise<Task> {
    const next = this.nextTime(record);
    return this.append(
      next === undefined ? { of: id, done: true } : { of: id, sooner: next, completed: true },
      by,
    );
  }

  private nextTime({ recurrence, due, zone }: TaskRecord): string | undefined {
    if (recurrence === null || due === null) return undefined;
    const after = Math.max(this.clock.now(), Date.parse(due));
    return nextInstants(recurrence, { at: due, zone: zone ?? "UTC", after, count: 1 })[0];
  }

  private async append(change: Change, by: string): Promise<Task> {
    const task = this.keep(await this.log.append({ timestamp: this.timestamp(), by, ...change }));
    this.changed();
    return task;
  }

  private async appendNew({ description, due, plant }: NewTask, by: string): Promise<Task> {
    if (this.all().length >= MOST_OPEN)
      throw new TendrilError(TASK_ERRORS.TOO_MANY_TASKS, `${MOST_OPEN} tasks are open already`);
    const about = plant === undefined ? {} : { plant };
    const timestamp = this.timestamp();
    const own = { task: randomUUID(), for: "agent", owner: HOUSEHOLD } as const;
    return this.keep(
      await this.log.append({ timestamp, description, due: isoUtc(due), ...about, ...own, by }),
    );
  }

  /** Each task of a person can ring: an agent must not ring as often as it likes. */
  private assertNotTooFast(by: string): void {
    const since = this.clock.now() - DAY;
    const times = (this.madeBy.get(by) ?? []).filter((at) => at > since && at <= this.clock.now());
    if (times.length >= MAX_MADE_A_DAY)
      throw new TendrilError(
        TASK_ERRORS.TOO_MANY_TASKS,
        `${by} has made ${MAX_MADE_A_DAY} tasks in 24 hours already`,
      );
  }

  /** The newest of each token that count, also those that are done or deleted since. */
  private countMade({ id, record: { by, timestamp } }: Task): void {
    if (this.counted.has(id)) return;
    this.counted.add(id);
    this.madeBy.set(by, [...(this.madeBy.get(by) ?? []), Date.parse(timestamp)].slice(-MAX_MADE_A_DAY));
  }

  private keep(task: Task): Task {
    this.countMade(task);
    if (task.record.done_at === null) this.open.set(task.id, task);
    else {
      this.open.delete(task.id);
      const { for: kind, deleted } = task.record;
      const before = this.done[kind].filter(({ id }) => id !== task.id);
      this.done[kind] = deleted ? before : [...before, task].slice(-DONE_REMEMBERED);
    }
    for (const watcher of this.watchers) watcher(task);
    return task;
  }

  /** Tells of a next time that is another now, and of what has just fallen due. */
  private changed(): void {
    const next = this.next();
    const isNews = this.announceDue() || next !== this.nextTold;
    this.nextTold = next;
    this.arm();
    if (isNews) this.listeners.tell();
  }

  private announceDue(): boolean {
    const due = this.due().map(({ id }) => id);
    const isNews = due.some((id) => !this.announced.has(id));
    this.announced = new Set(due);
    return isNews;
  }

  private arm(): void {
    this.disarm();
    const next = this.next();
    this.disarm = () => undefined;
    if (next === null) return;
    const wait = Math.min(LOOK_EVERY, Math.max(0, Date.parse(next) - this.clock.now()));
    this.disarm = this.clock.after(millis(wait), () => this.changed());
  }

  private timestamp(): string {
    return isoUtc(this.clock.now());
  }
}

/** Every task of the agent has a time. */
export const dueOf = ({ record }: Task): string => record.due ?? NEVER;

/** Who does it, and whose tasks that one may see. */
export interface TaskActor {
  readonly by: string;
  readonly view: View;
}

type Change = DistributiveOmit<Extract<TaskEntry, { of: number }>, "timestamp" | "by">;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** In `by`, where the runtime itself wrote a line. */
const RUNTIME = "runtime";

/** Two texts are one task in any case and with any white space. */
const sameness = (description: string): string => searchable(description.trim().replace(/\s+/g, " "));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const tasks = definePart("tasks", async (house) => {
  const opened = await Tasks.open(house.journal(TASK_LOG), house.clock);
  house.onClose(() => opened.close());
  return opened;
});
