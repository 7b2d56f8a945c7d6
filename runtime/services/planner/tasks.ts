import { randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { excerpt, notFound, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { searchable } from "../../store/records.js";
import { nextInstants } from "../../time-words/understand.js";
import { isoNow, isoUtc } from "../../tools/iso-time.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import type { Identity } from "../../wire/identity.js";
import { alreadyThere, HOUSEHOLD, type View } from "../household/household.js";
import { definePart } from "../module.js";
import { DoneTasks } from "./done-tasks.js";
import { DueWatch } from "./due-watch.js";
import {
  assertRoom,
  dueOf,
  type IfMissed,
  isReopenable,
  isToSkip,
  MAX_OPEN,
  MadeTasks,
  type NewTaskEntry,
  TASK_ERRORS,
  TASK_LOG,
  type Task,
  type TaskChange,
  type TaskChanges,
  type TaskEntry,
  type TaskRecord,
} from "./task-log.js";

/** A task for the agent. */
interface NewTask extends Tainted {
  readonly description: string;
  /** Epoch milliseconds. */
  readonly due: number;
  /** Undefined: for all plants. */
  readonly plant: string | undefined;
  readonly if_missed: IfMissed;
}

/** What `add` writes of a task that was given in full. */
export type FullTask = Omit<NewTaskEntry, "task"> & Tainted;

interface Added {
  readonly task: Task;
  /** The same task was open already. */
  readonly known: boolean;
}

/** What is to be done, and when. */
export class Tasks {
  private readonly open = new Map<number, Task>();
  private readonly turns = new Mutex();
  private readonly watchers: ((task: Task) => void)[] = [];
  /** Those that are over, from the index: they are not in memory. */
  readonly done: DoneTasks;
  private readonly made: MadeTasks;
  private readonly dueWatch: DueWatch;

  private constructor(
    private readonly log: RecordLog<TaskEntry, TaskRecord>,
    private readonly clock: Clock,
  ) {
    this.done = new DoneTasks(log);
    this.made = new MadeTasks(clock);
    const due = () => this.due().map(({ id }) => id);
    this.dueWatch = new DueWatch({ due, next: () => this.next() }, clock);
  }

  static async open(log: RecordLog<TaskEntry, TaskRecord>, clock: Clock): Promise<Tasks> {
    const tasks = new Tasks(log, clock);
    for await (const task of log.stored()) {
      tasks.made.count(task);
      tasks.keep(task);
      if (isOver(task.record)) tasks.done.count(task.record, 1);
    }
    tasks.dueWatch.begin();
    return tasks;
  }

  /** Called when a task falls due, and when the time of the next due task has changed. */
  watch(listener: () => void): Cancel {
    return this.dueWatch.watch(listener);
  }

  /** Told of each task that is added or changed, of every kind, once it can be found here. */
  watchEach(watcher: (task: Task) => void): void {
    this.watchers.push(watcher);
  }

  /** Stops looking at the time. */
  close(): void {
    this.dueWatch.close();
  }

  /**
   * The same task of the same plant is not added twice: the sooner time counts, and the task may be skipped only if
   * both may. Throws TOO_MANY_TASKS.
   */
  add(wanted: NewTask, by: string): Promise<Added> {
    return this.turns.run(async () => {
      const known = this.sameAs(wanted);
      const task = known ? await this.hasten(known, wanted, by) : await this.appendForAgent(wanted, by);
      return { task, known: known !== undefined };
    });
  }

  /** The task, and whether it was done before. Throws UNKNOWN_TASK. */
  complete(id: number, { by, view }: TaskActor): Promise<{ task: Task; before: boolean }> {
    return this.turns.run(async () => {
      const record = await this.record(id);
      if (record?.for !== "agent" || !view.sees(record.owner))
        throw new TendrilError(TASK_ERRORS.UNKNOWN_TASK, `there is no task ${id}`);
      if (record.done_at !== null) return { task: { id, record }, before: true };
      return { task: await this.finish({ id, record }, by), before: false };
    });
  }

  /**
   * A task that was given in full: a person's, or one for the agent. `key`: its UUID, if the caller chooses one.
   * Throws ALREADY_EXISTS, TOO_MANY_TASKS.
   */
  create(task: FullTask, identity: Identity, key?: string): Promise<Task> {
    return this.turns.run(async () => {
      await this.assertMayCreate(task, identity, key);
      return this.appendNew(task, identity.name, key);
    });
  }

  /** Throws what `create` throws. */
  async assertMayCreate(
    task: Pick<FullTask, "for" | "owner">,
    { name: by, role }: Identity,
    key?: string,
  ): Promise<void> {
    if (key !== undefined) await this.assertNew(key);
    if (role !== "human") this.made.assertNotTooFast(by);
    assertRoom(task, [...this.open.values()]);
  }

  /**
   * Null clears a field. `unasked`: whoever changes its words does not have the rights of its owner. Throws
   * NOT_FOUND.
   */
  update(
    taskId: string,
    set: TaskChanges,
    { by, view, unasked, ...read }: TaskActor & Tainted & { readonly unasked?: true },
  ): Promise<Task> {
    return this.turns.run(async () => {
      const { id } = await this.find(taskId, view);
      return this.append({ of: id, set, ...bothTainted(read), ...(unasked && { unasked }) }, by);
    });
  }

  /**
   * A recurring task gets its next time instead of an end; else the first completion counts. `at`: when it was
   * done, if not now. Throws NOT_FOUND.
   */
  completeById(taskId: string, { by, view }: TaskActor, at?: string): Promise<Task> {
    return this.turns.run(async () => {
      const task = await this.find(taskId, view);
      return task.record.done_at === null ? this.finish(task, by, at) : task;
    });
  }

  /**
   * Undoes a "done": the task is open as before, and a recurring one has its former time. An open task stays as it
   * is. Throws NOT_FOUND, TOO_MANY_TASKS.
   */
  reopen(taskId: string, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const task = await this.find(taskId, view);
      if (!isReopenable(task.record)) return task;
      if (task.record.done_at !== null) assertRoom(task.record, [...this.open.values()]);
      return this.append({ of: task.id, reopened: true }, by);
    });
  }

  /** Throws NOT_FOUND. */
  delete(taskId: string, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const task = await this.find(taskId, view);
      await this.append({ of: task.id, done: true, deleted: true }, by);
      return task;
    });
  }

  /** Deletes these records, open or done, if they are not deleted yet. */
  deleteAll(ids: readonly number[], by = RUNTIME): Promise<void> {
    return this.turns.run(async () => {
      for (const id of ids)
        if ((await this.record(id))?.deleted === false)
          await this.append({ of: id, done: true, deleted: true }, by);
    });
  }

  /** Also of one that was done long ago, or deleted. */
  async record(id: number): Promise<TaskRecord | undefined> {
    return this.open.get(id)?.record ?? (await this.log.get(id));
  }

  /** A person wants to be reminded of it again at that time (epoch ms). Throws NOT_FOUND. */
  remindLater(taskId: string, at: number, { by, view }: TaskActor): Promise<Task> {
    return this.turns.run(async () => {
      const { id } = await this.find(taskId, view);
      return this.append({ of: id, later: isoUtc(at) }, by);
    });
  }

  /**
   * Skips the task's time, if the time was missed and may be skipped: a recurring task gets its next time, any other
   * is over. A task that was done, deleted or put off since the check stays as it is.
   */
  skip({ id }: Pick<Task, "id">): Promise<void> {
    return this.turns.run(async () => {
      const record = this.open.get(id)?.record;
      if (!record?.due || !isToSkip(record, this.clock.now())) return;
      const [next, skipped] = [this.nextTime(record), record.due];
      await this.append({ of: id, ...(next === undefined ? { done: true } : { next }), skipped }, RUNTIME);
    });
  }

  /** Its person was told of the time `tellAt(task)`. */
  noteReminder({ id }: Task, at: string): Promise<Task> {
    return this.turns.run(() => this.append({ of: id, reminded: at }, RUNTIME));
  }

  /** Open ones, in no order. */
  listed(wanted: (record: TaskRecord) => boolean): readonly Task[] {
    return [...this.open.values()].filter(({ record }) => wanted(record));
  }

  /** Throws NOT_FOUND. */
  async find(taskId: string, view: View): Promise<Task> {
    const found = await this.known(taskId);
    if (found && view.sees(found.record.owner)) return found;
    throw notFound(`there is no task ${excerpt(taskId)}`);
  }

  /** The agent's open ones, soonest first, in the order in which they were added where they fall due together. */
  all(view = EVERYBODYS): readonly Task[] {
    return this.listed((record) => record.for === "agent" && view.sees(record.owner)).toSorted(
      (a, b) => compare(dueOf(a), dueOf(b)) || a.id - b.id,
    );
  }

  due(view = EVERYBODYS): readonly Task[] {
    return this.all(view).filter((task) => this.isDue(task));
  }

  isDue({ record }: Task): boolean {
    const { due, done_at } = record;
    const now = this.clock.now();
    return done_at === null && due !== null && Date.parse(due) <= now && !isToSkip(record, now);
  }

  /** The time of the next task that is not due yet. */
  next(view = EVERYBODYS): string | null {
    const now = this.clock.now();
    return this.all(view).find((task) => Date.parse(dueOf(task)) > now)?.record.due ?? null;
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

  private async hasten({ id, record }: Task, { due, if_missed }: NewTask, by: string): Promise<Task> {
    const isSooner = record.due === null || due < Date.parse(record.due);
    const mustRun = record.if_missed === "skip" && if_missed === "run_late";
    const set = { ...(isSooner && { due: isoUtc(due) }), ...(mustRun && { if_missed }) };
    return isSooner || mustRun ? this.append({ of: id, set }, by) : { id, record };
  }

  /** The next time of a recurring task. Missed times are not repeated. */
  private async finish({ id, record }: Task, by: string, at?: string): Promise<Task> {
    const next = this.nextTime(record);
    const when = at === undefined ? {} : { at };
    return this.append(
      next === undefined ? { of: id, done: true, ...when } : { of: id, next, completed: true, ...when },
      by,
    );
  }

  /** Of a recurring task: its time once it is done. */
  nextTime({ recurrence, due, zone }: TaskRecord): string | undefined {
    if (recurrence === null || due === null) return undefined;
    const after = Math.max(this.clock.now(), Date.parse(due));
    return nextInstants(recurrence, { at: due, zone: zone ?? "UTC", after, count: 1 })[0];
  }

  private async append(change: Change, by: string): Promise<Task> {
    const task = await this.log.append({ timestamp: isoNow(this.clock), by, ...change });
    const wasOpen = this.open.has(task.id);
    this.keep(task);
    if (wasOpen && isOver(task.record)) this.done.count(task.record, 1);
    if (!wasOpen && !isOver(task.record)) this.done.count(task.record, -1);
    this.dueWatch.changed();
    return task;
  }

  private appendForAgent(
    { description, due, plant, if_missed, ...more }: NewTask,
    by: string,
  ): Promise<Task> {
    if (this.all().length >= MAX_OPEN)
      throw new TendrilError(TASK_ERRORS.TOO_MANY_TASKS, `${MAX_OPEN} tasks are open already`);
    const about = {
      ...(plant !== undefined && { plant }),
      ...(if_missed === "skip" && { if_missed }),
    };
    return this.appendNew(
      { description, due: isoUtc(due), ...about, ...more, for: "agent", owner: HOUSEHOLD },
      by,
    );
  }

  private async appendNew(task: FullTask, by: string, key: string = randomUUID()): Promise<Task> {
    const line = { timestamp: isoNow(this.clock), by, task: key, ...task };
    const added = this.keep(await this.log.append(line));
    this.made.count(added);
    this.dueWatch.changed();
    return added;
  }

  /** Open or over, and not deleted. */
  async known(key: string): Promise<Task | undefined> {
    const open = [...this.open.values()].find(({ record }) => record.task_id === key);
    return open ?? (await this.done.find(key));
  }

  /** Throws ALREADY_EXISTS. */
  private async assertNew(key: string): Promise<void> {
    if (await this.known(key)) throw alreadyThere(`there is a task ${key} already`, { task_id: key });
  }

  private keep(task: Task): Task {
    if (task.record.done_at === null) this.open.set(task.id, task);
    else this.open.delete(task.id);
    for (const watcher of this.watchers) watcher(task);
    return task;
  }
}

/** Who does it, and whose tasks that one may see. */
export interface TaskActor {
  readonly by: string;
  readonly view: View;
}

type Change = { readonly of: number } & TaskChange & Tainted;

const EVERYBODYS: Pick<View, "sees"> = { sees: () => true };

const isOver = ({ done_at, deleted }: TaskRecord): boolean => done_at !== null && !deleted;

/** In `by`, where the runtime itself wrote a line. */
const RUNTIME = "runtime";

/** Upper and lower case and white space do not distinguish two tasks. */
const sameness = (description: string): string => searchable(description.trim().replace(/\s+/g, " "));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const tasks = definePart("tasks", async (house) => {
  const opened = await Tasks.open(house.journal(TASK_LOG), house.clock);
  house.onClose(() => opened.close());
  return opened;
});
