import { hours } from "../../../drivers/units.js";
import { excerpt, TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import {
  type CalendarEntry,
  defineModule,
  definePart,
  type House,
  idsIn,
  knowledgeOf,
  personalIn,
  type TurnMaker,
} from "../module.js";
import { TaskKeeper } from "./keeper.js";
import { reminders } from "./reminders.js";
import { dueOf, TASK_ERRORS, TASK_LOG, type Task } from "./task-log.js";
import { answerTask, taskTool } from "./task-tool.js";
import { type Tasks, tasks } from "./tasks.js";
import { addTask, completeTask, listTasks, readTime, scheduleAgentTask, taskService } from "./tools.js";

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

const taskTurns = definePart("task turns", async (house) =>
  turnMaker(await house.use(tasks), await house.use(household)),
);

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
    find: personalIn(TASK_LOG, ({ owner, task_id }) => ({ owners: [owner], names: [task_id] })),
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
  const isHidden = tainted.length > 0;
  // that there is a payload is told in any case: it is how a program knows that the task is for a turn
  const handed = payload === null ? {} : { payload: isHidden ? HIDDEN : payload };
  return { ...named, description: isHidden ? HIDDEN : description, ...handed };
}

/** A choice: tasks that were done longer ago leave the calendar. */
const SHOWN_AFTER_DONE = hours(30 * 24);

/** Tasks with a time, for people and for the agent, in their calendar. */
async function* taskEntries(house: House, sees: (owner: string) => boolean): AsyncGenerator<CalendarEntry> {
  const since = house.clock.now() - SHOWN_AFTER_DONE;
  const all = house.get(tasks);
  const { zoneOf } = house.get(household);
  for (const task of all.listed(({ owner, due }) => due !== null && sees(owner))) yield entryOf(task, zoneOf);
  for await (const task of all.done.all({ since: isoUtc(since), sees }))
    if (task.record.due !== null) yield entryOf(task, zoneOf);
}

function entryOf({ record }: Task, zoneOf: (owner: string) => string): CalendarEntry {
  const { task_id, description, details, due, recurrence, owner, timestamp, done_at, lapsed } = record;
  const changed = [timestamp, record.updated_at, done_at, record.last_done_at].filter((at) => at !== null);
  return {
    ...{ uid: `task-${task_id}@tendril`, title: description, description: details, location: null },
    ...{ start: due ?? timestamp, end: null, zone: record.zone ?? zoneOf(owner), maybeAllDay: false },
    ...{
      recurrence: done_at === null ? recurrence : null,
      done: done_at !== null && !lapsed,
      created: timestamp,
    },
    changed: changed.sort().at(-1) ?? timestamp,
  };
}
