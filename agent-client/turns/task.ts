import { z } from "zod";
import type { Agenda } from "../../runtime/wire/agenda.js";
import { personTasks } from "../../runtime/wire/lists.js";
import { ask } from "../cycle/context.js";
import { SENDER } from "../models/failover.js";
import type { DurableFile } from "../state/state-folder.js";
import { houseSections, taskPrompt } from "./prompt.js";
import { Turn, type TurnParts, type Work, work } from "./turn.js";

/** A task of the agenda that is handed to a turn of its own. */
export type AgentTask = Agenda["due"][number];

export interface TaskParts extends TurnParts {
  readonly attempts: Attempts;
}

/** A task that recurs is another piece of work each time. */
export const workOf = ({ task_id, due }: AgentTask): string => `${task_id} ${due}`;

export const isGivenUp = (task: AgentTask, attempts: Pick<Attempts, "times">): boolean =>
  attempts.times(workOf(task)) >= MAX_ATTEMPTS;

/**
 * Does a task: the models get its payload, the task is completed, and the result is told. A task that failed is tried again
 * later, in all MAX_ATTEMPTS times; then its person is told. Rejects with a LinkError, or with the signal's reason.
 */
export async function doTask(task: AgentTask, parts: TaskParts): Promise<void> {
  const about = { kind: "task", task_id: task.task_id };
  await Turn.during(parts, about, `for the task "${task.description}"`, (turn) =>
    carryOut(task, turn, parts),
  );
}

async function carryOut(task: AgentTask, turn: Turn, parts: TaskParts): Promise<void> {
  const seed = workOf(task);
  const attempt = parts.attempts.begin(seed);
  const result = await work(turn, parts, { kind: "task", prompt: () => promptOf(task, turn, parts), seed });
  if (result.completed) {
    await complete(task, turn, parts);
    await tell(turn, result.answer);
    return turn.end("done");
  }
  if (attempt >= MAX_ATTEMPTS || result.hasActed) await giveUp(task, turn, result, parts);
  return turn.end("failed", result.failure);
}

/** The agenda hides words of strangers; the turn has them, and is marked. */
const wordsOf = ({ description, payload }: AgentTask, { begun: { task } }: Turn) => ({
  description: task?.description ?? description,
  payload: task?.payload ?? payload,
});

async function promptOf(task: AgentTask, turn: Turn, { runtime }: TurnParts) {
  const { due } = task;
  const { description, payload } = wordsOf(task, turn);
  const whose = await turn.whose();
  const sections = await houseSections(turn.runtime, description, whose.zone);
  return taskPrompt({
    ...{ whose, instructions: await runtime.instructions(), sections },
    ...{ description, due, payload },
  });
}

/** A recurring task gets its next time. */
async function complete(task: AgentTask, turn: Turn, { attempts, say }: TaskParts): Promise<void> {
  const args = { operation: "complete_task", task_id: task.task_id };
  const done = await turn.say("task_tool", args);
  if (done.ok) attempts.forget(workOf(task));
  else say(`the task "${task.description}" was done and cannot be completed: ${done.error.message}`);
}

/** Into the chat that the task came from, else as a message to the person. Nothing if there is nothing to tell. */
async function tell(turn: Turn, text: string): Promise<void> {
  if (text === "") return;
  const sent = turn.begun.chat_id === null ? undefined : await turn.say("send_chat_message", { text });
  if (!sent?.ok) await turn.say("send_message_to_human", { message: text });
}

/** The task stays open for the person to see; one that recurs goes on with its next time. */
async function giveUp(
  task: AgentTask,
  turn: Turn,
  { failure, hasActed }: Work,
  parts: TaskParts,
): Promise<void> {
  while (!isGivenUp(task, parts.attempts)) parts.attempts.begin(workOf(task));
  const why = failure ?? "the link to the runtime broke";
  const part = hasActed ? " Some of it may be done already, so I do not try it again." : "";
  const isRecurring = await recurs(task, turn);
  const then = isRecurring
    ? "It is left out this time."
    : "The task stays open: delete it, or give it another time.";
  const what = `I could not do "${wordsOf(task, turn).description}": ${why}.${part} ${then} ${SENDER}`;
  await tell(turn, what);
  if (isRecurring) await complete(task, turn, parts);
}

async function recurs({ task_id }: AgentTask, { runtime }: Turn): Promise<boolean> {
  const open = await ask(runtime, "task_tool", { operation: "list_tasks", completed: false }, personTasks);
  return open?.tasks.some((each) => each.task_id === task_id && each.recurrence !== null) ?? false;
}

/** How often each task was begun. A task with another time is another piece of work. */
export const attemptsFile = z.strictObject({
  version: z.literal(1),
  begun: z.array(z.strictObject({ what: z.string(), times: z.int().min(1) })),
});

/** A choice: what fails three times fails for a reason that no fourth time mends. */
const MAX_ATTEMPTS = 3;

/** A choice: more than are ever due at once. */
const REMEMBERED = 500;

/** Counts attempts on the disk, so that a task that kills the agent is not begun forever. */
export class Attempts {
  constructor(
    private readonly file: DurableFile<z.output<typeof attemptsFile>>,
    private readonly say: (text: string) => void,
  ) {}

  times(what: string): number {
    return this.all().find((each) => each.what === what)?.times ?? 0;
  }

  /** The number of this attempt, from 1. */
  begin(what: string): number {
    const times = this.times(what) + 1;
    this.keep([...this.without(what), { what, times }]);
    return times;
  }

  forget(what: string): void {
    this.keep(this.without(what));
  }

  private all() {
    const held = this.file.read();
    return held.is === "value" ? held.value.begun : [];
  }

  private without(what: string) {
    return this.all().filter((each) => each.what !== what);
  }

  private keep(begun: z.output<typeof attemptsFile>["begun"]): void {
    try {
      this.file.write({ version: 1, begun: begun.slice(-REMEMBERED) });
    } catch (error) {
      this.say(`${this.file.path} cannot be written: ${String(error)}`);
    }
  }
}
