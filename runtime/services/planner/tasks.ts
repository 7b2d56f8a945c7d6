import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { millis, minutes } from "../../../drivers/units.js";
import { errorTable, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { type Stored, searchable } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import { definePart, Listeners } from "../module.js";

/** A line of journal/tasks.jsonl: a task, that it falls due sooner than was said first, or that it is done. */
export type TaskEntry = { readonly timestamp: string; readonly by: string } & (
  | { readonly description: string; readonly due: string; readonly plant?: string }
  | { readonly of: number; readonly sooner: string }
  | { readonly of: number; readonly done: true }
);

export interface TaskRecord {
  /** When it was added. */
  readonly timestamp: string;
  readonly description: string;
  readonly due: string;
  /** Null: for all plants. */
  readonly plant: string | null;
  /** The token that added it. */
  readonly by: string;
  readonly done_at: string | null;
}

export const TASK_LOG = {
  name: "tasks",
  recordId: (entry: TaskEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: TaskRecord | undefined, entry: TaskEntry): TaskRecord => {
    if (!("of" in entry)) return { ...entry, plant: entry.plant ?? null, done_at: null };
    if (!previous) throw new Error(`tasks.jsonl: task ${entry.of} changed before it was added`);
    if ("sooner" in entry) return { ...previous, due: entry.sooner };
    return { ...previous, done_at: previous.done_at ?? entry.timestamp };
  },
};

export const TASK_ERRORS = errorTable({
  UNKNOWN_TASK: { retryable: false, changed: "nothing", fix: "list the tasks and use one of their ids" },
  TOO_MANY_TASKS: {
    retryable: false,
    changed: "nothing",
    fix: "complete tasks that are done or no longer needed",
  },
});

/** A choice: a model that loops must not fill the disk, and no agent looks through more. */
export const MOST_OPEN = 200;
/** A choice: so many of the tasks that were done can be listed. */
export const DONE_REMEMBERED = 200;
/** The wall clock may be set while a task waits for its time: it is looked at this often. */
const LOOK_EVERY = minutes(1);

export type Task = Stored<TaskRecord>;

export interface NewTask {
  readonly description: string;
  /** Epoch milliseconds. */
  readonly due: number;
  /** Undefined: for all plants. */
  readonly plant: string | undefined;
}

export interface Added {
  readonly task: Task;
  /** The same task was open already. */
  readonly known: boolean;
}

/** What is to be done, and when. */
export class Tasks {
  private readonly open = new Map<number, Task>();
  /** The newest last. */
  private done: Task[] = [];
  private readonly turns = new Mutex();
  private readonly listeners = new Listeners();
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
    tasks.done.sort((a, b) => compare(a.record.done_at ?? "", b.record.done_at ?? ""));
    tasks.announceDue();
    tasks.nextTold = tasks.next();
    tasks.arm();
    return tasks;
  }

  /** Told when a task falls due, and when the next time at which one does is another. */
  watch(listener: () => void): Cancel {
    return this.listeners.watch(listener);
  }

  /** Does not look at the time any more. */
  close(): void {
    this.disarm();
  }

  /** The same task of the same plant is not added twice: the sooner time counts. Throws TOO_MANY_TASKS. */
  add(wanted: NewTask, by: string): Promise<Added> {
    return this.turns.run(async () => {
      const known = this.sameAs(wanted);
      const task = known ? await this.hasten(known, wanted.due, by) : await this.append(wanted, by);
      this.changed();
      return { task, known: known !== undefined };
    });
  }

  /** The task, and whether it was done before. Throws UNKNOWN_TASK. */
  complete(id: number, by: string): Promise<{ task: Task; before: boolean }> {
    return this.turns.run(async () => {
      const record = this.open.get(id)?.record ?? (await this.log.get(id));
      if (!record) throw new TendrilError(TASK_ERRORS.UNKNOWN_TASK, `there is no task ${id}`);
      if (record.done_at !== null) return { task: { id, record }, before: true };
      const task = await this.log.append({ timestamp: this.timestamp(), by, of: id, done: true });
      this.keep(task);
      this.changed();
      return { task, before: false };
    });
  }

  /** Open ones, soonest first, in the order in which they were added where they fall due together. */
  all(): readonly Task[] {
    return [...this.open.values()].sort((a, b) => compare(a.record.due, b.record.due) || a.id - b.id);
  }

  /** The last that were done, the newest first. */
  lastDone(): readonly Task[] {
    return [...this.done].reverse();
  }

  due(): readonly Task[] {
    return this.all().filter((task) => this.isDue(task));
  }

  isDue({ record: { due, done_at } }: Task): boolean {
    return done_at === null && Date.parse(due) <= this.clock.now();
  }

  /** When the next task falls due that is not due yet. */
  next(): string | null {
    return this.all().find((task) => !this.isDue(task))?.record.due ?? null;
  }

  private sameAs({ description, plant }: NewTask): Task | undefined {
    const wanted = sameness(description);
    return this.all().find(
      ({ record }) => record.plant === (plant ?? null) && sameness(record.description) === wanted,
    );
  }

  private async hasten({ id, record }: Task, due: number, by: string): Promise<Task> {
    if (due >= Date.parse(record.due)) return { id, record };
    return this.keep(await this.log.append({ timestamp: this.timestamp(), by, of: id, sooner: isoUtc(due) }));
  }

  private async append({ description, due, plant }: NewTask, by: string): Promise<Task> {
    if (this.open.size >= MOST_OPEN)
      throw new TendrilError(TASK_ERRORS.TOO_MANY_TASKS, `${MOST_OPEN} tasks are open already`);
    const about = plant === undefined ? {} : { plant };
    const timestamp = this.timestamp();
    return this.keep(await this.log.append({ timestamp, description, due: isoUtc(due), ...about, by }));
  }

  private keep(task: Task): Task {
    if (task.record.done_at === null) this.open.set(task.id, task);
    else {
      this.open.delete(task.id);
      this.done = [...this.done, task].slice(-DONE_REMEMBERED);
    }
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

/** Two texts are one task in any case and with any white space. */
const sameness = (description: string): string => searchable(description.trim().replace(/\s+/g, " "));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const tasks = definePart("tasks", async (house) => {
  const opened = await Tasks.open(house.journal(TASK_LOG), house.clock);
  house.onClose(() => opened.close());
  return opened;
});
