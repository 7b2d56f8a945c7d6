import { useState } from "preact/hooks";
import { useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Memories, Profile, Recalls } from "./memories.tsx";
import { Act, LineForm, Missing } from "./parts.tsx";
import { recurrenceInWords } from "./recurrence.js";
import { TaskForm } from "./task-form.tsx";

interface Task {
  readonly task_id: string;
  readonly title: string;
  readonly due_at: string | null;
  readonly priority: number;
  readonly recurrence: string | null;
  readonly user_id: string;
}

interface List {
  readonly list_id: string;
  readonly list_name: string;
  readonly open: number;
}

interface Item {
  readonly item_id: string;
  readonly item_text: string;
  readonly completed: boolean;
}

/** Lists and tasks of the person, or of the household alone on a screen for everybody. */
export function Lists() {
  const { house, words, nowMs } = useShared();
  /** Counts what was changed here. */
  const [version, setVersion] = useState(0);
  const changed = () => setVersion(version + 1);
  const lists = useAnswer(
    () => house.call<{ lists: List[] }>("list_tool", { operation: "get_lists" }),
    [version, Math.floor(nowMs / 60_000)],
  );
  return (
    <>
      <Tasks version={version} changed={changed} />
      <div class="cards">
        {lists?.lists.map((list) => (
          <ListCard key={list.list_id} list={list} version={version} changed={changed} />
        ))}
      </div>
      {(house.isHuman || lists?.lists.length === 0) && (
        <div class="card wide">
          {lists?.lists.length === 0 && <p class="quiet">{words.noLists}</p>}
          {house.isHuman && (
            <LineForm
              label={words.newList}
              button={words.add}
              send={(list_name) =>
                house.call("list_tool", { operation: "create_list", list_name }).then(changed)
              }
            />
          )}
        </div>
      )}
      {house.isHuman && <Memories version={version} changed={changed} />}
      {house.isHuman && <Profile version={version} changed={changed} />}
      {house.isHuman && <Recalls version={version} changed={changed} />}
    </>
  );
}

interface Changing {
  readonly version: number;
  readonly changed: () => void;
}

function ListCard({ list, version, changed }: { readonly list: List } & Changing) {
  const { house, words, nowMs } = useShared();
  const { list_id, list_name } = list;
  const found = useAnswer(
    () => house.call<{ items: Item[] }>("list_tool", { operation: "list_items", list_id }),
    [list_id, version, list.open, Math.floor(nowMs / 60_000)],
  );
  const complete = (item_id: string) => () =>
    house.call("list_tool", { operation: "complete_item", item_id }).then(changed);
  return (
    <section class="card list">
      <h2>{list_name}</h2>
      <ul>
        {found?.items.map(({ item_id, item_text, completed }) => (
          <li key={item_id} class={completed ? "done" : ""}>
            <span class="list-text">{item_text}</span>
            {!completed && house.isHuman && (
              <Act run={complete(item_id)} label={words.markDone(item_text)}>
                {words.done}
              </Act>
            )}
          </li>
        ))}
      </ul>
      {house.isHuman && (
        <LineForm
          label={words.addItem}
          button={words.add}
          send={(item_text) =>
            house.call("list_tool", { operation: "add_item", list_id, item_text }).then(changed)
          }
        />
      )}
    </section>
  );
}

function Tasks({ version, changed }: Changing) {
  const { house, words, names, clock, nowMs } = useShared();
  const found = useAnswer(
    () => house.call<{ tasks: Task[] }>("task_tool", { operation: "list_tasks", completed: false }),
    [version, Math.floor(nowMs / 60_000)],
  );
  const complete = (task_id: string) => () =>
    house.call("task_tool", { operation: "complete_task", task_id }).then(changed);
  return (
    <section class="card wide list">
      <h2>{words.tasks}</h2>
      <Missing answer={found} />
      {found?.tasks.length === 0 && <p class="quiet">{words.noTasks}</p>}
      <ul>
        {found?.tasks.map(({ task_id, title, due_at, user_id, recurrence }) => (
          <li key={task_id}>
            <span class="list-text">
              {title}
              {user_id !== "household" && <span class="quiet"> {words.of(names.person(user_id))}</span>}
              <span class="block">
                {due_at !== null && (
                  <span class={at(due_at) <= nowMs ? "warn" : "quiet"}>
                    {words.dueAt(clock.near(at(due_at), nowMs))}
                  </span>
                )}
                {recurrence !== null && <span class="quiet"> {recurrenceInWords(recurrence, words)}</span>}
              </span>
            </span>
            {house.isHuman && (
              <Act run={complete(task_id)} label={words.markDone(title)}>
                {words.done}
              </Act>
            )}
          </li>
        ))}
      </ul>
      {house.isHuman && <TaskForm changed={changed} />}
    </section>
  );
}
