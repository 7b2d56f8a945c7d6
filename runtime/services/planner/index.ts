import { defineModule } from "../module.js";
import { TASK_ERRORS, TASK_LOG, type Task, tasks } from "./tasks.js";
import { addTask, completeTask, listTasks } from "./tools.js";

/** Tasks that fall due. */
export const plannerModule = defineModule({
  name: "planner",
  canBeOff: true,
  toolset: "planner",
  journals: [{ definition: TASK_LOG }],
  errors: TASK_ERRORS,
  parts: [tasks],
  tools: [addTask, listTasks, completeTask],
  agenda: {
    watch: (house, listener) => house.get(tasks).watch(listener),
    view: (house) => {
      const all = house.get(tasks);
      return { due: all.due().map(dueTask), open_tasks: all.all().length, next_due: all.next() };
    },
  },
});

const dueTask = ({ id, record: { description, due, plant } }: Task) => ({ id, description, due, plant });
