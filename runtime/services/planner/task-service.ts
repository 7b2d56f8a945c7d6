import { z } from "zod";
import { taintOf } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import { type Household, household } from "../household/household.js";
import { definePart } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { type FullTask, type Tasks, tasks } from "./tasks.js";

/** A choice: a title is a line. */
export const LONGEST_TITLE = 500;

export const ifMissed = z.enum(["run_late", "skip"]).describe("what of a time that the runtime was off at");

export interface TaskService {
  readonly tasks: Tasks;
  readonly household: Household;
  readonly outbox: Outbox;
}

/** What the tools work with. */
export const taskService = definePart(
  "task tool",
  async (house): Promise<TaskService> => ({
    tasks: await house.use(tasks),
    household: await house.use(household),
    outbox: await house.use(outbox),
  }),
);

/** Whether the owner wanted the task, and what whoever made it had read. */
export function madeIn(
  { household }: TaskService,
  call: Call,
  owner: string,
): Pick<FullTask, "asked" | "tainted"> {
  const asked = household.mayReadPrivate(call, owner);
  return { ...(asked && { asked }), ...taintOf(call) };
}

/** Without the keys that are undefined. */
export function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
