import type { Choice } from "../../store/record-index.js";
import type { RecordLog } from "../../store/record-log.js";
import { DONE_ORDERS, type Task, type TaskEntry, type TaskFor, type TaskRecord } from "./task-log.js";

/** Which of the tasks that are over. */
interface Wanted {
  readonly for?: TaskFor;
  readonly chat?: string;
  /** ISO 8601: over since then. */
  readonly since?: string;
  sees(owner: string): boolean;
}

type DoneOrder = keyof typeof DONE_ORDERS;

/** How many tasks of one owner, kind and chat are over. */
interface Group extends Pick<TaskRecord, "owner" | "for" | "chat"> {
  readonly count: number;
}

/** Tasks that are done, or were skipped: years of them, so the index has them. In memory is only how many there are. */
export class DoneTasks {
  private readonly groups = new Map<string, Group>();

  constructor(private readonly log: RecordLog<TaskEntry, TaskRecord>) {}

  count({ owner, for: kind, chat }: TaskRecord, more: 1 | -1): void {
    const key = JSON.stringify([owner, kind, chat]);
    this.groups.set(key, { owner, for: kind, chat, count: (this.groups.get(key)?.count ?? 0) + more });
  }

  /** Some of them in that order, as many as fit into one answer, and how many there are in all. */
  async page(
    wanted: Wanted,
    order: DoneOrder,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly count: number; readonly tasks: readonly Task[] }> {
    const isEmpty = offset >= this.countOf(wanted) || limit === 0;
    const choice = this.choice(wanted, order);
    const tasks = isEmpty ? [] : await this.log.chosen(choice, limit, offset);
    return { count: this.countOf(wanted), tasks };
  }

  private countOf(wanted: Wanted): number {
    return this.groupsOf(wanted).reduce((sum, group) => sum + group.count, 0);
  }

  async *all(wanted: Wanted): AsyncGenerator<Task> {
    yield* this.log.everyChosen(this.choice(wanted, "newest first"));
  }

  async find(taskId: string): Promise<Task | undefined> {
    const where = { ...IS_OVER, task_id: [taskId] };
    return (await this.log.chosen({ where, order: [] }, 1, 0))[0];
  }

  private groupsOf({ for: kind, chat, sees }: Wanted): readonly Group[] {
    return [...this.groups.values()].filter(
      (group) =>
        sees(group.owner) &&
        (kind === undefined || group.for === kind) &&
        (chat === undefined || group.chat === chat),
    );
  }

  private choice(wanted: Wanted, order: DoneOrder): Choice {
    const { for: kind, chat, since } = wanted;
    const where = {
      ...IS_OVER,
      ...(since !== undefined && { done_at: { from: since } }),
      owner: [...new Set(this.groupsOf(wanted).map(({ owner }) => owner))],
      ...(kind !== undefined && { for: [kind] }),
      ...(chat !== undefined && { chat: [chat] }),
    };
    return { where, order: DONE_ORDERS[order] };
  }
}

/** An open task has no `done_at`. */
const IS_OVER = { deleted: [0], done_at: { from: "" } };
