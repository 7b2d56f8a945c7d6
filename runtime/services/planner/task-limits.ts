import type { Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import { errorTable, final, refuseIf, TendrilError } from "../../errors.js";
import type { Task, TaskRecord } from "./task-log.js";

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
