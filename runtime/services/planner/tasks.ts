import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours, millis, minutes } from "../../../drivers/units.js";
import { errorTable, excerpt, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { searchable } from "../../store/records.js";
import { nextInstants } from "../../time-words/understand.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Tainted } from "../../tools/taint.js";
import type { Identity } from "../../wire/identity.js";
import { HOUSEHOLD, type View } from "../household/household.js";
import { definePart, Listeners } from "../module.js";
import {
  NEVER,
  type NewFields,
  TASK_LOG,
  type Task,
  type TaskChanges,
  type TaskEntry,
  type TaskFor,
  type TaskRecord,
} from "./task-log.js";

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
/** A choice: so many tasks of its own making let an agent's token make no more by `task_tool` and `scheduleAgentTask`. */
const MAX_MADE_A_DAY = 50;
const DAY = hours(24);
/** A choice: so many of the tasks of each kind that were done can be listed. */
export const DONE_REMEMBERED = 200;
/** The wall clock may be set while a task waits for its time: it is looked at this often. */
const LOOK_EVERY = minutes(1);

/** A task for the agent. */
export interface NewTask extends Tainted {
  readonly description: string;
  /** Epoch milliseconds. */
  readonly due: number;
  /** Undefined: for all plants. */
  readonly plant: string | undefined;
}

/** What `add` writes of a task that was given in full. */
export type FullTask = Omit<NewFields, "task" | "undated"> &
  Tainted & {
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
    for await (const task of log.stored()) {
      tasks.countMade(task);
      tasks.keep(task);
    }
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
      const task = known ? await this.hasten(known, wanted.due, by) : await this.appendForAgent(wanted, by);
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
  create(task: FullTask, { name: by, role }: Identity): Promise<Task> {
    return this.turns.run(async () => {
      if (role !== "human") this.assertNotTooFast(by);
      const mine = this.listed((record) => record.for === task.for && record.owner === task.owner);
      if (mine.length >= MOST_OPEN)
        throw new TendrilError(
          TASK_ERRORS.TOO_MANY_TASKS,
          `${task.owner} has ${MOST_OPEN} open tasks already`,
        );
      return this.appendNew(task, by);
    });
  }

  /** Null in a change clears. Throws NOT_FOUND. */
  update(taskId: string, set: TaskChanges, { by, view, ...read }: TaskActor & Tainted): Promise<Task> {
    return this.turns.run(async () => {
      const { id, record } = this.find(taskId, view);
      const due = set.due === undefined ? record.due : set.due;
      return this.append({ of: id, sooner: due ?? NEVER, set, ...read }, by);
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

  private appendForAgent({ description, due, plant, ...more }: NewTask, by: string): Promise<Task> {
    if (this.all().length >= MOST_OPEN)
      throw new TendrilError(TASK_ERRORS.TOO_MANY_TASKS, `${MOST_OPEN} tasks are open already`);
    const about = plant === undefined ? {} : { plant };
    return this.appendNew(
      { description, due: isoUtc(due), ...about, ...more, for: "agent", owner: HOUSEHOLD },
      by,
    );
  }

  private async appendNew({ description, due, ...more }: FullTask, by: string): Promise<Task> {
    const time = due === undefined ? { due: NEVER, undated: true as const } : { due };
    const timestamp = this.timestamp();
    const line = { timestamp, by, description, ...time, task: randomUUID(), ...more };
    const task = this.keep(await this.log.append(line));
    this.countMade(task);
    this.changed();
    return task;
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
  private countMade({ record: { by, timestamp } }: Task): void {
    this.madeBy.set(by, [...(this.madeBy.get(by) ?? []), Date.parse(timestamp)].slice(-MAX_MADE_A_DAY));
  }

  private keep(task: Task): Task {
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
