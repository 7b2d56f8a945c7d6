import { invalidArgument } from "../../errors.js";
import { codePoints } from "../../tools/parameters.js";
import { bothTainted } from "../../tools/taint.js";
import type { RecordKeeper, SharedActor, SharedFields, SharedRecord } from "../shared-records.js";
import { completedAt, LONGEST_DESCRIPTION, TASK_LOG, type Task, type TaskChanges } from "./task-log.js";
import type { Tasks } from "./tasks.js";

/** Tasks of people that are memories too: sections TASK and REMINDER. */
export class TaskKeeper implements RecordKeeper {
  readonly log = TASK_LOG.name;
  readonly fields = ["title", "content", "due_at", "completed_at"] as const;

  constructor(private readonly tasks: Tasks) {}

  async assertNew(key: string, { content }: SharedFields, { owner, identity }: SharedActor): Promise<void> {
    assertDescription(content);
    await this.tasks.assertMayCreate({ for: "person", owner }, identity, key);
  }

  async create(key: string, wanted: SharedFields, actor: SharedActor): Promise<SharedRecord> {
    const { title: description, content: details, due_at: due, completed_at } = wanted;
    const { owner, chat, identity } = actor;
    const task = await this.tasks.create(
      {
        ...{ for: "person", owner, description, priority: 0 },
        ...(details !== undefined && { details }),
        ...(due && { due }),
        ...(chat !== undefined && { chat }),
        ...bothTainted(actor),
      },
      identity,
      key,
    );
    return sharedOf(completed_at === null ? task : await this.tasks.completeById(key, actor, completed_at));
  }

  async get(id: number): Promise<SharedRecord | undefined> {
    const record = await this.tasks.record(id);
    return record && sharedOf({ id, record });
  }

  async find(key: string): Promise<SharedRecord | undefined> {
    const task = await this.tasks.known(key);
    return task && sharedOf(task);
  }

  assertChange({ key, fields }: SharedRecord, { content, completed_at }: Partial<SharedFields>): void {
    assertDescription(content);
    if (completed_at !== undefined && fields.completed_at !== null)
      throw invalidArgument(
        `task ${key} is done since ${fields.completed_at}: task_tool reopen_task takes that back`,
      );
  }

  async change(
    { key, id }: SharedRecord,
    { completed_at, ...set }: Partial<SharedFields>,
    actor: SharedActor,
  ): Promise<SharedRecord> {
    const changes = changesOf(set);
    if (Object.keys(changes).length > 0) await this.tasks.update(key, changes, actor);
    if (completed_at) await this.tasks.completeById(key, actor, completed_at);
    return (await this.get(id)) as SharedRecord;
  }

  async delete({ id }: SharedRecord, { by }: SharedActor): Promise<void> {
    await this.tasks.deleteAll([id], by);
  }

  drop(id: number): Promise<void> {
    return this.tasks.deleteAll([id]);
  }

  watch(listener: (record: SharedRecord) => void): void {
    this.tasks.watchEach((task) => listener(sharedOf(task)));
  }
}

/** A task that loses its time recurs no more. */
const changesOf = ({ title, content, due_at }: Partial<SharedFields>): TaskChanges => ({
  ...(title !== undefined && { description: title }),
  ...(content !== undefined && { details: content }),
  ...(due_at !== undefined && { due: due_at, ...(due_at === null && { recurrence: null }) }),
});

const sharedOf = ({ id, record }: Task): SharedRecord => ({
  key: record.task_id,
  id,
  fields: {
    title: record.description,
    ...(record.details !== null && { content: record.details }),
    due_at: record.due,
    completed_at: record.deleted ? record.last_done_at : completedAt(record),
  },
  isDeleted: record.deleted,
  updated_at: record.updated_at,
  ...bothTainted(record),
});

function assertDescription(content: string | undefined): void {
  if (content === undefined || codePoints(content) <= LONGEST_DESCRIPTION) return;
  throw invalidArgument(`content of a task is longer than ${LONGEST_DESCRIPTION} characters`);
}
