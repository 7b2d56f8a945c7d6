import { excerpt, TendrilError } from "../../errors.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import { definePart, type TurnMaker } from "../module.js";
import { TASK_ERRORS } from "./task-limits.js";
import type { Task } from "./task-log.js";
import { type Tasks, tasks } from "./tasks.js";

/** The turn of a task for the agent that is due. Throws UNKNOWN_TASK. */
const turnMaker =
  (all: Tasks, people: Household): TurnMaker =>
  ({ task_id = "", user_id }, call) => {
    const task = all.due().find(({ record }) => record.task_id === task_id);
    const isMeant = task && (user_id ?? task.record.owner) === task.record.owner;
    if (!isMeant || !people.mayServe(call, task.record.owner))
      throw new TendrilError(TASK_ERRORS.UNKNOWN_TASK, `no task ${excerpt(task_id)} of the agent is due`);
    return planFor(task);
  };

/** Only a task that its owner has asked for has the owner's rights: an agent could give itself any other. */
function planFor({ record }: Task) {
  const { task_id, description, payload, owner, asked, chat, tainted } = record;
  return {
    about: `the task ${task_id}`,
    person: asked ? owner : HOUSEHOLD,
    chat: asked ? chat : null,
    task: { task_id, description, ...(payload !== null && { payload }) },
    tainted,
  };
}

export const taskTurns = definePart("task turns", async (house) =>
  turnMaker(await house.use(tasks), await house.use(household)),
);
