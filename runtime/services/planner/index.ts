import { defineModule } from "../module.js";
import { reminders } from "./reminders.js";
import { dueOf, TASK_LOG, type Task } from "./task-log.js";
import { answerTask, scheduleAgentTask, taskService, taskTool } from "./task-tool.js";
import { taskTurns } from "./task-turns.js";
import { TASK_ERRORS, tasks } from "./tasks.js";
import { addTask, completeTask, listTasks } from "./tools.js";

/** Tasks that fall due. */
export const plannerModule = defineModule({
  name: "planner",
  canBeOff: true,
  toolset: "planner",
  journals: [{ definition: TASK_LOG }],
  errors: TASK_ERRORS,
  parts: [tasks, taskService, taskTurns, reminders],
  tools: [addTask, listTasks, completeTask, taskTool, scheduleAgentTask, answerTask],
  start: (house) => house.get(reminders).start(),
  turns: { kind: "task", maker: (house) => house.get(taskTurns) },
  agenda: {
    watch: (house, listener) => house.get(tasks).watch(listener),
    view: (house) => {
      const all = house.get(tasks);
      return { due: all.due().map(dueTask), open_tasks: all.all().length, next_due: all.next() };
    },
  },
});

/** Stands for words of strangers: they are read with list_tasks, which says that they are, or in the task's turn. */
const HIDDEN = "made by an agent that had read words from outside: list_tasks, or the task's turn, shows it";

/** What the agent is handed with the task stands beside it. */
function dueTask(task: Task) {
  const { task_id, description, plant, payload, tainted } = task.record;
  const named = { id: task.id, task_id, due: dueOf(task), plant };
  if (tainted.length > 0) return { ...named, description: HIDDEN };
  return { ...named, description, ...(payload !== null && { payload }) };
}
