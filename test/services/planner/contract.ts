import type { FamilyContract } from "../contract.js";

const WHO = { user_id: "ana", chat_id: "phone" };
const NOWHERE = "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001";

/** From seeds/001 (its tools first), 003 and 004, and CONTRACT-2, and what goes with it. */
export const contract: FamilyContract = {
  toolset: "planner",
  tools: {
    add_task: {
      parameters: "description due if_missed?",
      defaults: { if_missed: "run_late" },
      perPlant: true,
      result: "timestamp task known note?",
      role: "agent",
      speaks: true,
      valid: { description: "look at the leaves", due: "2026-06-01T10:00:00Z" },
      calls: [{ description: "look at the leaves", due: "2030-01-01T10:00:00+02:00" }],
    },
    list_tasks: {
      parameters: "done? limit? offset?",
      defaults: { done: false, limit: 20, offset: 0 },
      result: "count tasks",
      role: "observer",
      valid: { done: false, limit: 20, offset: 0 },
      calls: [{}, { done: true }],
    },
    complete_task: {
      parameters: "id",
      result: "timestamp task was_done",
      role: "agent",
      inCare: true,
      speaks: true,
      valid: { id: 1 },
      calls: [{ id: 1 }],
    },
    "task_tool create_task": {
      parameters:
        "operation title description? due_at? time? priority? recurrence? remind_before? if_missed? user_id? chat_id?",
      defaults: { priority: 0, if_missed: "run_late" },
      result:
        "task_id title description due_at priority created_at recurrence remind_before if_missed zone understood? time_in_title?",
      role: "agent",
      valid: {
        operation: "create_task",
        title: "Llamar a Juan",
        description: "about the perlite",
        due_at: "2030-10-27T10:00:00Z",
        priority: 1,
        recurrence: "FREQ=DAILY",
        remind_before: 10,
        if_missed: "skip",
        ...WHO,
      },
      calls: [
        { operation: "create_task", title: "call Juan" },
        { operation: "create_task", title: "feed the fern", time: "every monday at 8am" },
      ],
    },
    "task_tool list_tasks": {
      parameters: "operation completed? order? limit? offset? user_id? chat_id?",
      defaults: { order: "urgent_first", offset: 0 },
      result: "tasks count next_offset?",
      role: "observer",
      valid: {
        operation: "list_tasks",
        completed: false,
        order: "newest_done_first",
        limit: 20,
        offset: 0,
        ...WHO,
      },
      calls: [{ operation: "list_tasks" }],
    },
    "task_tool update_task": {
      parameters:
        "operation task_id title? description? due_at? time? priority? recurrence? remind_before? if_missed? user_id? chat_id?",
      result:
        "task_id title? description? due_at? priority? recurrence? remind_before? if_missed? zone? understood? updated_at",
      role: "agent",
      valid: { operation: "update_task", task_id: NOWHERE, title: "call Ana", priority: 2, ...WHO },
      calls: [],
    },
    "task_tool complete_task": {
      parameters: "operation task_id user_id? chat_id?",
      result: "task_id title completed_at next_due_at? skipped_at?",
      role: "agent",
      valid: { operation: "complete_task", task_id: NOWHERE, ...WHO },
      calls: [],
    },
    "task_tool reopen_task": {
      parameters: "operation task_id user_id? chat_id?",
      result: "task_id title due_at",
      role: "agent",
      valid: { operation: "reopen_task", task_id: NOWHERE, ...WHO },
      calls: [],
    },
    "task_tool delete_task": {
      parameters: "operation task_id user_id? chat_id?",
      result: "task_id title deleted",
      role: "agent",
      valid: { operation: "delete_task", task_id: NOWHERE, ...WHO },
      calls: [],
    },
    scheduleAgentTask: {
      parameters: "taskPayload timeExpression humanReadableDescription if_missed? user_id? chat_id?",
      defaults: { if_missed: "run_late" },
      result: "message task_id at recurrence zone understood next if_missed",
      role: "agent",
      valid: {
        taskPayload: { query: "mist the fern" },
        timeExpression: "every other day at 7am",
        humanReadableDescription: "Mist the fern",
        ...WHO,
      },
      calls: [
        { taskPayload: "look", timeExpression: "tomorrow at noon", humanReadableDescription: "Look at it" },
      ],
    },
    answer_task: {
      parameters: "task_id answer",
      result: "task_id title completed_at remind_at",
      role: "human",
      valid: { task_id: NOWHERE, answer: "later" },
      calls: [],
    },
    read_time: {
      parameters: "time user_id?",
      result: "at recurrence zone words notes next",
      role: "human",
      valid: { time: "every other day at 7am", user_id: "ana" },
      calls: [{ time: "every other evening" }],
    },
  },
};
