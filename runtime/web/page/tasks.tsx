import { useState } from "preact/hooks";
import type { PersonTask, PersonTasks } from "../../wire/lists.js";
import { type Changing, useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Act, Careful, Missing } from "./parts.tsx";
import { recurrenceInWords } from "./recurrence.js";
import { TaskForm } from "./task-form.tsx";

/** Open tasks, and the one that was done last here. */
export function Tasks({ version, changed }: Changing) {
  const { house, words, minute } = useShared();
  const [done, setDone] = useState<PersonTask>();
  const found = useAnswer(
    () => house.call<PersonTasks>("task_tool", { operation: "list_tasks", completed: false }),
    [version, minute],
  );
  const settle = (task?: PersonTask) => {
    setDone(task);
    changed();
  };
  return (
    <section class="card wide list">
      <h2>{words.tasks}</h2>
      <Missing answer={found} />
      {found?.tasks.length === 0 && <p class="quiet">{words.noTasks}</p>}
      {done && <WasDone task={done} over={() => settle()} />}
      <ul>
        {found?.tasks.map((task) => (
          <TaskLine key={task.task_id} task={task} changed={changed} done={() => settle(task)} />
        ))}
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
          {recurrence !== null && <span class="quiet"> {recurrenceInWords(recurrence, words)}</span>}
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
          <button
            type="button"
            class="button plain"
            aria-label={named(words.edit, title)}
            data-act
            aria-expanded={isEdited}
            onClick={() => edit(!isEdited)}
          >
            {words.edit}
          </button>
          <Careful
            button={words.remove}
            label={named(words.remove, title)}
            warning={words.taskGone}
            run={() => change("delete_task").then(changed)}
          />
        </div>
      )}
      {isEdited && <TaskForm task={task} changed={close} />}
    </li>
  );
}

/** A button's word with what it is about, for a screen reader: the sight of the line says it to others. */
export const named = (button: string, what: string): string => `${button}: ${what}`;

/** With the day and its name: tasks lie days ahead. */
function When(of: { readonly words: (when: string) => string; readonly at: string }) {
  const { clock, nowMs } = useShared();
  const ms = at(of.at);
  const isToday = clock.day(ms) === clock.day(nowMs);
  return <>{of.words(isToday ? clock.clock(ms) : `${clock.weekday(ms)}, ${clock.clock(ms)}`)}</>;
}

/** A recurring task gets its former time back. Another one is made anew, since the runtime takes no "done" back. */
function WasDone({ task, over }: { readonly task: PersonTask; readonly over: () => void }) {
  const { house, words } = useShared();
  const { task_id, title, description, due_at, priority, recurrence, remind_before, if_missed, user_id } =
    task;
  const tool = (operation: string, of: object) => house.call("task_tool", { operation, ...of });
  const undo = async () => {
    if (recurrence !== null) await tool("update_task", { task_id, due_at });
    else {
      const told = { description, due_at, remind_before };
      const given = Object.entries(told).filter(([, value]) => value !== null);
      await tool("create_task", { title, priority, if_missed, user_id, ...Object.fromEntries(given) });
      await tool("delete_task", { task_id });
    }
    over();
  };
  return (
    <div class="note hold was-done" role="status">
      <p>
        {named(words.done, title)}{" "}
        {task.next_due_at !== undefined && <When words={words.nextTime} at={task.next_due_at} />}
      </p>
      <div class="buttons">
        <Act run={undo} label={named(words.undo, title)}>
          {words.undo}
        </Act>
        <button type="button" class="link" onClick={over}>
          {words.dismiss}
        </button>
      </div>
    </div>
  );
}
