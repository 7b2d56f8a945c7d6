import { useRef, useState } from "preact/hooks";
import type { AllLists, ListItem, ListItems } from "../../wire/lists.js";
import { type Changing, useAnswer, useChanges, useShared } from "./context.tsx";
import { Memories, Profile, Recalls } from "./memories.tsx";
import { Act, Careful, ChangedMeanwhile, Edit, LineForm, named } from "./parts.tsx";
import { Tasks } from "./tasks.tsx";

/** Lists and tasks of the person, or of the household alone on a screen for everybody. */
export function Lists() {
  const { house, words, minute } = useShared();
  const changing = useChanges();
  const { version, changed } = changing;
  const lists = useAnswer(
    () => house.call<AllLists>("list_tool", { operation: "get_lists" }),
    [version, minute],
  );
  return (
    <>
      <Tasks {...changing} />
      <div class="cards">
        {lists?.lists.map((list) => (
          <ListCard key={list.list_id} list={list} {...changing} />
        ))}
      </div>
      {(house.isHuman || lists?.lists.length === 0) && (
        <div class="card wide">
          <h2>{words.tabs.lists}</h2>
          {lists?.lists.length === 0 && <p class="quiet">{words.noLists}</p>}
          {house.isHuman && (
            <LineForm
              label={words.newList}
              button={words.add}
              draft="list"
              send={(list_name) =>
                house.call("list_tool", { operation: "create_list", list_name }).then(changed)
              }
            />
          )}
        </div>
      )}
      {house.isHuman && <Memories {...changing} />}
      {house.isHuman && <Profile {...changing} />}
      {house.isHuman && <Recalls {...changing} />}
    </>
  );
}

function ListCard({ list, version, changed }: { readonly list: AllLists["lists"][number] } & Changing) {
  const { house, words, minute } = useShared();
  const { list_id, list_name } = list;
  const found = useAnswer(
    () => house.call<ListItems>("list_tool", { operation: "list_items", list_id }),
    [list_id, version, list.open, minute],
  );
  const change = (operation: string, of: object) =>
    house.call("list_tool", { operation, ...of }).then(changed);
  const nowIs = async (item_id: string) => {
    const { items } = await house.call<ListItems>("list_tool", { operation: "list_items", list_id });
    const textIn = (all: readonly ListItem[] = []) => all.find((each) => each.item_id === item_id)?.item_text;
    if (textIn(items) !== textIn(found?.items)) changed();
    return textIn(items);
  };
  return (
    <section class="card list">
      <h2>{list_name}</h2>
      <ul>
        {found?.items.map((item) => (
          <ItemLine key={item.item_id} item={item} change={change} nowIs={nowIs} />
        ))}
      </ul>
      {house.isHuman && (
        <LineForm
          label={words.addItem}
          button={words.add}
          draft={`item of ${list_id}`}
          send={(item_text) => change("add_item", { list_id, item_text })}
        />
      )}
      {house.isHuman && (
        <Careful
          button={words.removeList}
          label={named(words.removeList, list_name)}
          warning={words.listGone}
          run={() => change("delete_list", { list_id })}
        />
      )}
    </section>
  );
}

function ItemLine({
  item: { item_id, item_text, completed },
  change,
  nowIs,
}: {
  readonly item: ListItem;
  readonly change: (operation: string, of: object) => Promise<void>;
  /** What the runtime has by now; undefined: the item is gone. */
  readonly nowIs: (item_id: string) => Promise<string | undefined>;
}) {
  const { house, words } = useShared();
  const [isEdited, edit] = useState(false);
  /** What the person has seen who writes something else. */
  const seen = useRef(item_text);
  const toggle = () => {
    seen.current = item_text;
    edit(!isEdited);
  };
  const save = async (text: string) => {
    const theirs = await nowIs(item_id);
    if (theirs !== undefined && theirs !== seen.current && theirs !== text) {
      seen.current = theirs;
      throw new ChangedMeanwhile(theirs, () => edit(false));
    }
    await change("update_item", { item_id, item_text: text });
    edit(false);
  };
  const [act, operation] = completed ? [words.undo, "reopen_item"] : [words.done, "complete_item"];
  const remove = (
    <Careful
      button={words.remove}
      label={named(words.remove, item_text)}
      warning={words.itemGone}
      run={() => change("remove_item", { item_id })}
    />
  );
  return (
    <li class={completed ? "done" : ""}>
      <span class="list-text">{completed ? <s>{item_text}</s> : item_text}</span>
      {house.isHuman && (
        <div class="buttons">
          <Act run={() => change(operation, { item_id })} label={named(act, item_text)}>
            {act}
          </Act>
          {completed ? remove : <Edit what={item_text} isOpen={isEdited} toggle={toggle} />}
        </div>
      )}
      {isEdited && !completed && (
        <LineForm label={words.item} button={words.noteSave} text={item_text} send={save}>
          {remove}
        </LineForm>
      )}
    </li>
  );
}
