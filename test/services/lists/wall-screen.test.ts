import t from "tap";
import { rigFor } from "../../rig.js";

const CONFIG =
  "people: [{ id: anna, tokens: [human.anna] }]\nserver: { calls_per_second: 100000 }\nplants: [{ id: basil }]";

t.test("list_tool and task_tool show a screen that everybody can read no person's own rows", async (t) => {
  const rig = await rigFor(t, { config: CONFIG });
  const anna = { as: "human", token: "human.anna" } as const;
  await rig.get("list_tool", { operation: "create_list", list_name: "Presents" }, anna);
  await rig.get("list_tool", { operation: "create_list", list_name: "Shopping" });
  await rig.get("task_tool", { operation: "create_task", title: "buy a present" }, anna);
  const wall = { as: "observer", householdOnly: true } as const;
  t.match(await rig.get("list_tool", { operation: "get_lists" }, wall), {
    count: 1,
    lists: [{ list_name: "Shopping" }],
  });
  t.match(await rig.get("task_tool", { operation: "list_tasks" }, wall), { count: 0 });
  const asked = await rig.refused("list_tool", { operation: "get_lists", user_id: "anna" }, wall);
  t.equal(asked.code, "FORBIDDEN");
  t.match(await rig.get("list_tool", { operation: "get_lists" }, { as: "observer" }), { count: 1 });
});
