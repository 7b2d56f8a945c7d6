import type { Choice } from "../../store/record-index.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Task, TaskEntry, TaskFor, TaskRecord } from "./task-log.js";

/** Which of the tasks that are over. */
interface Wanted {
  readonly for?: TaskFor;
  readonly chat?: string;
  /** ISO 8601: over since then. */
  readonly since?: string;
  sees(owner: string): boolean;
}

type Order = "as open ones" | "newest first";

/** Tasks that are done, or were skipped: years of them, so the index has them and not the memory. */
export class DoneTasks {
  constructor(private readonly log: RecordLog<TaskEntry, TaskRecord>) {}

  /** Some of them in that order, and how many there are in all. Rejects with RESULT_TOO_LARGE. */
  async page(
    wanted: Wanted,
    order: Order,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly count: number; readonly tasks: readonly Task[] }> {
    const choice = await this.choice(wanted, order);
    const count = await this.log.count(choice);
    const isEmpty = count === 0 || limit === 0;
    return { count, tasks: isEmpty ? [] : await this.log.chosen(choice, limit, offset) };
  }

  async *all(wanted: Wanted): AsyncGenerator<Task> {
    yield* this.log.everyChosen(await this.choice(wanted));
  }

  async find(taskId: string): Promise<Task | undefined> {
    const where = { ...IS_OVER, task_id: [taskId] };
    return (await this.log.chosen({ where, order: [] }, 1))[0];
  }

  private async choice(
    { for: kind, chat, since, sees }: Wanted,
    order: Order = "newest first",
  ): Promise<Choice> {
    const owners = await this.log.values("owner");
    const where = {
      ...IS_OVER,
      ...(since !== undefined && { done_at: { from: since } }),
      owner: owners.filter(sees),
      ...(kind !== undefined && { for: [kind] }),
      ...(chat !== undefined && { chat: [chat] }),
    };
    return { where, order: order === "newest first" ? ["-done_at", "-timestamp"] : ["-priority", "due"] };
  }
}

/** An open task has no `done_at`. */
const IS_OVER = { deleted: [0], done_at: { from: "" } };
