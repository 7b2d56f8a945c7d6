import { useEffect, useState } from "preact/hooks";
import type { PersonTask, PersonTasks } from "../../wire/lists.js";
import { after } from "./browser-clock.js";
import { type Changing, useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Act, Careful, Edit, Missing, named } from "./parts.tsx";
import { recurrenceInWords } from "./recurrence.js";
import { TaskForm } from "./task-form.tsx";

/** Milliseconds in which a "done" can be taken back. A choice. */
const UNDO = 60_000;

/** A task that was done here, and the line where it stood: there it stays while it can be taken back. */
interface Done {
  readonly task: PersonTask;
  readonly place: number;
}

/** Open tasks, and those that were done here in the last minute. */
export function Tasks({ version, changed }: Changing) {
  const { house, words, minute } = useShared();
  const [done, setDone] = useState<readonly Done[]>([]);
  const found = useAnswer(
    () => house.call<PersonTasks>("task_tool", { operation: "list_tasks", completed: false }),
    [version, minute],
  );
  const isDone = (task: PersonTask) => done.some((each) => each.task.task_id === task.task_id);
  const lines = (found?.tasks ?? []).filter((task) => !isDone(task));
  for (const { task, place } of done) lines.splice(place, 0, task);
  const finish = (each: Done) => {
    setDone((before) => [...before, each]);
    changed();
  };
  const forget = (task: PersonTask) => setDone((before) => before.filter((each) => each.task !== task));
  return (
    <section class="card wide list">
      <h2>{words.tasks}</h2>
      <Missing answer={found} />
      {found?.tasks.length === 0 && <p class="quiet">{words.noTasks}</p>}
      <ul>
        {lines.map((task, place) =>
          isDone(task) ? (
            <DoneLine key={task.task_id} task={task} over={() => forget(task)} changed={changed} />
          ) : (
            <TaskLine key={task.task_id} task={task} changed={changed} done={() => finish({ task, place })} />
          ),
        )}
      </ul>
      {house.isHuman && <TaskForm changed={changed} />}
    </section>
  );
}

function TaskLine({
  task,
  changed,
  done,
}: {
  readonly task: PersonTask;
  readonly changed: () => void;
  readonly done: () => void;
}) {
  const { house, words, names, nowMs } = useShared();
  const [isEdited, edit] = useState(false);
  const { task_id, title, due_at, user_id, recurrence } = task;
  const change = (operation: string) => house.call("task_tool", { operation, task_id });
  const close = () => {
    edit(false);
    changed();
  };
  return (
    <li>
      <span class="list-text">
        {title}
        {user_id !== "household" && <span class="quiet"> {words.of(names.person(user_id))}</span>}
        <span class="block">
          {due_at !== null && (
            <span class={at(due_at) <= nowMs ? "warn" : "quiet"}>
              <When words={words.dueAt} at={due_at} />
            </span>
          )}
          {recurrence !== null && <span class="quiet"> · {recurrenceInWords(recurrence, words)}</span>}
          {task.next_due_at !== undefined && (
            <span class="quiet">
              {" · "}
              <When words={words.afterDone} at={task.next_due_at} />
            </span>
          )}
        </span>
      </span>
      {house.isHuman && (
        <div class="buttons">
          <Act run={() => change("complete_task").then(done)} label={named(words.done, title)}>
            {words.done}
          </Act>
          <Edit what={title} isOpen={isEdited} toggle={() => edit(!isEdited)} />
        </div>
      )}
      {isEdited && (
        <TaskForm task={task} changed={close}>
          <Careful
            button={words.remove}
            label={named(words.remove, title)}
            warning={words.taskGone}
            run={() => change("delete_task").then(changed)}
          />
        </TaskForm>
      )}
    </li>
  );
}

/** With the day and its name: tasks lie days ahead. */
function When(of: { readonly words: (when: string) => string; readonly at: string }) {
  const { clock, nowMs } = useShared();
  const ms = at(of.at);
  const isToday = clock.day(ms) === clock.day(nowMs);
  return <>{of.words(isToday ? clock.clock(ms) : `${clock.weekday(ms)}, ${clock.clock(ms)}`)}</>;
}

/** A task that was done here: the runtime opens it again as it was. */
function DoneLine({
  task,
  over,
  changed,
}: {
  readonly task: PersonTask;
  readonly over: () => void;
  readonly changed: () => void;
}) {
  const { house, words } = useShared();
  const { task_id, title } = task;
  useEffect(() => after(UNDO, over), []);
  const undo = async () => {
    await house.call("task_tool", { operation: "reopen_task", task_id });
    over();
    changed();
  };
  return (
    <li class="done">
      <span class="list-text" role="status">
        <span class="unseen">{words.done}: </span>
        <s>{title}</s>{" "}
        {task.next_due_at !== undefined && <When words={words.nextTime} at={task.next_due_at} />}
      </span>
      <div class="buttons">
        <Act run={undo} label={named(words.undo, title)}>
          {words.undo}
        </Act>
      </div>
    </li>
  );
}
