import { z } from "zod";
import { shortText } from "../../tools/parameters.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { readTimeResult } from "../../wire/times.js";
import { whoInput } from "../household/household.js";
import { defined, ifMissed, LONGEST_TITLE, madeIn, taskService } from "./task-service.js";
import { timeInWords } from "./times.js";

/** Bytes of `taskPayload` as JSON. */
const LONGEST_PAYLOAD = 16_384;

/** Seed 003's scheduler. */
export const scheduleAgentTask = defineTool({
  name: "scheduleAgentTask",
  service: taskService,
  description:
    "Have the agent do something at a time in words (tomorrow at noon; every other day at 7am). At that time the agent is started with taskPayload.",
  facts: changes("Schedule a task for the agent", {
    destroys: false,
    repeatable: false,
    speaks: false,
    world: "closed",
  }),
  role: "agent",
  input: z.strictObject({
    taskPayload: z
      .union([z.string().min(1), z.record(z.string(), z.unknown())])
      .refine((payload) => Buffer.byteLength(JSON.stringify(payload)) <= LONGEST_PAYLOAD, {
        error: `is longer than ${LONGEST_PAYLOAD} bytes as JSON`,
      })
      .describe("what to do: an object or a text"),
    timeExpression: shortText(200, "when, in words"),
    humanReadableDescription: shortText(LONGEST_TITLE, "what people see of it"),
    if_missed: ifMissed.default("run_late"),
    ...whoInput,
  }),
  output: z.object({
    message: z.string(),
    task_id: z.string(),
    at: z.string(),
    recurrence: z.string().nullable(),
    zone: z.string(),
    understood: z.string(),
    next: z.array(z.string()).describe("the first times"),
    if_missed: ifMissed,
  }),
  run: async (
    { taskPayload, timeExpression, humanReadableDescription, if_missed, user_id, chat_id },
    { service, call, clock },
  ) => {
    const owner = service.household.ownerOf(call, user_id);
    const context = { zone: service.household.zoneOf(owner), now: clock.now() };
    const { at, recurrence: rule, zone, understood, next } = timeInWords(timeExpression, context);
    const { record } = await service.tasks.create(
      {
        for: "agent",
        owner,
        description: humanReadableDescription,
        due: at,
        payload: taskPayload,
        zone,
        ...madeIn(service, call, owner),
        ...(if_missed === "skip" && { if_missed }),
        ...defined({ chat: chat_id ?? call.turn?.chat ?? undefined }),
        ...(rule !== null && { recurrence: rule }),
      },
      call.identity,
    );
    const skips = if_missed === "skip" ? "; a time that is missed is skipped" : "";
    const message = `Scheduled: ${humanReadableDescription}, ${understood}${skips}.`;
    const time = { at, recurrence: rule, zone, understood, next: [...next], if_missed };
    return { message, task_id: record.task_id, ...time };
  },
});

/** For a form: how the words of a task's time are understood, before anything is saved. */
export const readTime = defineTool({
  name: "read_time",
  service: taskService,
  description: "How the words of a time are understood, in the person's zone, and the first times.",
  facts: reads("Understand a time", { world: "closed" }),
  role: "human",
  input: z.strictObject({
    time: shortText(200, "in words: tomorrow at 9, every monday at 8am"),
    user_id: whoInput.user_id,
  }),
  output: readTimeResult,
  run: async ({ time, user_id }, { service, call, clock }) => {
    const zone = service.household.zoneOf(service.household.ownerOf(call, user_id));
    const { at, recurrence, zone: told, words, notes, next } = timeInWords(time, { zone, now: clock.now() });
    return { at, recurrence, zone: told, words, notes: [...notes], next: [...next] };
  },
});
