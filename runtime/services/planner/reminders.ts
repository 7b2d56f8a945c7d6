import type { Cancel, Clock } from "../../../drivers/ports.js";
import { millis, minutes } from "../../../drivers/units.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import { definePart } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { isLate, isToSkip, isWaiting, lateBy, type Task, tellAt } from "./task-log.js";
import { type Tasks, tasks } from "./tasks.js";

/** The wall clock may be set while a reminder waits for its time: it is looked at this often. */
const LOOK_EVERY = minutes(1);

/**
 * Reminds people of their tasks. A reminder that was missed (the runtime was off) comes once, late, or is skipped with its time. It
 * is noted in the task's journal after the outbox has it: a crash in between tells it once more only where the outbox no longer
 * knows of it.
 */
class Reminders {
  private disarm: Cancel = () => undefined;
  private looking = Promise.resolve();

  constructor(
    private readonly tasks: Tasks,
    private readonly outbox: Outbox,
    private readonly household: Household,
    private readonly clock: Clock,
    private readonly complain: (error: unknown) => void,
  ) {}

  start(): void {
    this.look();
  }

  close(): void {
    this.disarm();
  }

  /** Resolves when all that was to be told by now is on the disk. */
  async settled(): Promise<void> {
    const last = this.looking;
    await last;
    if (last !== this.looking) await this.settled();
  }

  /** After a task has changed: what was told of it may be over, and the next reminder another. */
  changed({ record }: Task): void {
    const isOver = record.reminded !== null && tellAt(record) !== record.reminded;
    const name = { kind: "task_due", key: record.task_id } as const;
    if (isOver) this.looking = this.looking.then(() => this.outbox.over(name)).catch(this.complain);
    this.look();
  }

  /** One look after another. */
  private look(): void {
    this.arm();
    this.looking = this.looking.then(() => this.remindOfAll()).catch(this.complain);
  }

  private async remindOfAll(): Promise<void> {
    for (const task of this.waiting()) {
      const at = tellAt(task.record);
      if (at === undefined || Date.parse(at) > this.clock.now()) continue;
      if (isToSkip(task.record, this.clock.now())) await this.tasks.skip(task);
      else await this.tell(task, at);
    }
  }

  /** The agent finds it in its agenda. */
  private async tell(task: Task, at: string): Promise<void> {
    if (task.record.for === "person") await this.remind(task, at);
    await this.tasks.noteReminder(task, at);
  }

  private async remind({ record }: Task, at: string): Promise<void> {
    const { task_id, description: title, due, priority, owner, by } = record;
    const late = lateBy(record, at, this.clock.now());
    const lateness = isLate(late) ? { late_minutes: Math.floor(late / minutes(1)) } : {};
    const [name, by_name] = [this.nameOf(owner), this.nameOf(this.household.personOfToken(by))];
    const names = { ...(name && { name }), ...(by_name && { by_name }) };
    const data = { task_id, title, due_at: due ?? "", priority, user_id: owner, by, ...names, ...lateness };
    const severity = priority === 3 ? "warning" : "info";
    await this.outbox.tell({ kind: "task_due", data, severity, key: task_id, answers: ["done", "later"] });
  }

  /** Undefined for the household, and for who is not under `people`. */
  private nameOf(id = HOUSEHOLD): string | undefined {
    const person = this.household.person(id);
    return person?.name ?? person?.id;
  }

  private waiting(): readonly Task[] {
    return this.tasks.listed(isWaiting);
  }

  /** The next look: with the next reminder, and within a minute. One that could not be written is tried again by then. */
  private arm(): void {
    this.disarm();
    const waits = this.waiting().map(({ record }) => Date.parse(tellAt(record) ?? "") - this.clock.now());
    if (waits.length === 0) return;
    const wait = Math.min(LOOK_EVERY, ...waits.filter((each) => each > 0));
    this.disarm = this.clock.after(millis(wait), () => this.look());
  }
}

export const reminders = definePart("reminders", async (house) => {
  const [known, told] = [await house.use(tasks), await house.use(outbox)];
  const people = await house.use(household);
  const opened = new Reminders(known, told, people, house.clock, (error) => house.complain(error));
  known.watchEach((task) => opened.changed(task));
  house.onClose(() => opened.close());
  return opened;
});
