import { household } from "../household/household.js";
import { defineModule } from "../module.js";
import { reminders } from "./reminders.js";
import { dueOf, TASK_LOG, type Task } from "./task-log.js";
import { answerTask, scheduleAgentTask, taskService, taskTool } from "./task-tool.js";
import { TASK_ERRORS, tasks } from "./tasks.js";
import { addTask, completeTask, listTasks } from "./tools.js";

/** Tasks that fall due. */
export const plannerModule = defineModule({
  name: "planner",
  canBeOff: true,
  toolset: "planner",
  journals: [{ definition: TASK_LOG }],
  errors: TASK_ERRORS,
  parts: [tasks, taskService, reminders],
  tools: [addTask, listTasks, completeTask, taskTool, scheduleAgentTask, answerTask],
  start: (house) => house.get(reminders).start(),
  agenda: {
    watch: (house, listener) => house.get(tasks).watch(listener),
    view: (house, identity) => {
      const all = house.get(tasks);
      const view = house.get(household).viewOf({ identity }, undefined);
      return {
        due: all.due(view).map(dueTask),
        open_tasks: all.all(view).length,
        next_due: all.next(view),
      };
    },
  },
});

/** What the agent is handed with the task stands beside it. */
function dueTask(task: Task) {
  const { description, plant, payload } = task.record;
  return { id: task.id, description, due: dueOf(task), plant, ...(payload !== null && { payload }) };
}
