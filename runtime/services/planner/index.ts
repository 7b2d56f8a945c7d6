import { household } from "../household/household.js";
import { defineModule, idsIn, knowledgeOf } from "../module.js";
import { taskEntries } from "./calendar.js";
import { TaskKeeper } from "./keeper.js";
import { reminders } from "./reminders.js";
import { readTime, scheduleAgentTask } from "./schedule-tool.js";
import { TASK_ERRORS } from "./task-limits.js";
import { dueOf, TASK_LOG, type Task } from "./task-log.js";
import { taskService } from "./task-service.js";
import { answerTask, taskTool } from "./task-tool.js";
import { taskTurns } from "./task-turns.js";
import { tasks } from "./tasks.js";
import { addTask, completeTask, listTasks } from "./tools.js";

/** Tasks that fall due. */
export const plannerModule = defineModule({
  name: "planner",
  canBeOff: true,
  toolset: "planner",
  journals: [{ definition: TASK_LOG }],
  errors: TASK_ERRORS,
  parts: [tasks, taskService, taskTurns, reminders],
  tools: [addTask, listTasks, completeTask, taskTool, scheduleAgentTask, answerTask, readTime],
  knowledge: [
    knowledgeOf({
      type: "task",
      log: TASK_LOG,
      isFinal: false,
      text: ({ task_id, deleted, description, details, owner, timestamp, due, done_at, ...task }) =>
        deleted
          ? undefined
          : {
              title: description,
              text: details === null ? description : `${description}\n${details}`,
              owner,
              at: Date.parse(timestamp),
              metadata: {
                ...{ task_id, for: task.for, due_at: due, plant: task.plant },
                done_at: task.lapsed ? null : done_at,
                ...(task.skipped !== undefined && { skipped_at: task.skipped }),
              },
            },
    }),
  ],
  start: (house) => house.get(reminders).start(),
  turns: { kind: "task", maker: (house) => house.get(taskTurns) },
  calendar: taskEntries,
  keeps: { sections: ["TASK", "REMINDER"], keeper: (house) => new TaskKeeper(house.get(tasks)) },
  person: {
    find: async function* (house) {
      for await (const { id, record } of house.journal(TASK_LOG).stored())
        yield { log: TASK_LOG.name, id, owner: record.owner, names: [record.task_id] };
    },
    drop: (house, records) => house.get(tasks).deleteAll(idsIn(TASK_LOG, records)),
  },
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

/** Stands for words of strangers: they are read with list_tasks, which says that they are, or in the task's turn. */
const HIDDEN = "made by an agent that had read words from outside: list_tasks, or the task's turn, shows it";

/** What the agent is handed with the task stands beside it. */
function dueTask(task: Task) {
  const { task_id, description, plant, payload, tainted } = task.record;
  const named = { id: task.id, task_id, due: dueOf(task), plant };
  if (tainted.length > 0) return { ...named, description: HIDDEN };
  return { ...named, description, ...(payload !== null && { payload }) };
}
