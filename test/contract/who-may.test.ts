import t from "tap";
import { KINDS, type Kind } from "../../runtime/wire/identity.js";
import { rigFor } from "../rig.js";
import { CONTRACTS, validArguments } from "../services/contracts.js";
import { CALLABLE, WHOLE_HOUSE } from "./proper-answer.js";
import { servedWithTokens } from "./served.js";

/** Written by hand: who may call what. What is not named here is an agent's. */
const OBSERVERS = [
  ...["read_moisture", "get_moisture_history", "get_water_usage_24h", "get_water_history"],
  ...["get_light_status", "get_light_history", "get_recent_photos", "get_camera_history_bucketed"],
  ...["get_recent_thoughts", "get_thoughts_in_range", "search_thoughts", "get_thought_history_bucketed"],
  ...["get_recent_actions", "search_actions", "get_action_history_bucketed", "fetch_notes"],
  ...["list_tasks", "list_memories", "get_current_time", "get_overview"],
  "get_care_record",
  "get_costs",
  ...["list_messages_from_human", "list_tool list_items", "list_tool get_lists", "task_tool list_tasks"],
  ...["read_climate", "get_climate_history", "list_events"],
  ...["get_ha_entities", "get_entity_state", "get_entity_history"],
];
const PEOPLES = [
  ...[
    "set_hold",
    "pause_agents",
    "clear_fault",
    "list_approvals",
    "answer_approval",
    "forget_memory",
    "erase_memory",
    "forget_profile_entry",
    "list_recalls",
    "get_media_links",
  ],
  ...["send_message_to_agent", "list_messages_from_agent", "measure_probe"],
  ...["list_notifications", "note_delivery", "answer_task", "read_time"],
  ...["list_people", "export_person", "erase_person", "list_web_searches"],
  ...["list_channels", "open_channel_code", "test_channel", "remove_account"],
  ...["get_bench", "break_bench", "set_bench_speed", "cut_bench_power", "show_home", "suggest_home"],
  ...["list_tags", "rename_tag", "make_calendar_link", "list_calendar_links", "revoke_calendar_link"],
];
/** What a scope may do beside switching off. */
const SCOPED: Readonly<Record<string, readonly Kind[]>> = {
  answer_approval: ["bridge"],
  list_notifications: ["bridge"],
  note_delivery: ["bridge"],
  answer_task: ["bridge"],
};
/** Tools of the bridge alone: a person, or a model with a person's token, would take its jobs away. */
const JOBS = ["take_jobs", "answer_job"];
const CHANNELS = ["list_accounts", "pair_account", "receive_message", "press_button", "note_channel"];
const BRIDGE_ALONE = [...JOBS, ...CHANNELS, "receive_mqtt_command"];
/** Those of them that there are without a channel: a family can be removed. */
const BRIDGES = [...Object.keys(SCOPED), ...JOBS]
  .filter((name) => CALLABLE.some((each) => each.name === name))
  .sort();
const OFF = ["turn_off_light", "stop_all"];

function mayCall(tool: string): readonly Kind[] {
  if (OFF.includes(tool)) return KINDS;
  if (BRIDGE_ALONE.includes(tool)) return ["bridge"];
  if (OBSERVERS.includes(tool)) return ["observer", "agent", "human"];
  if (PEOPLES.includes(tool)) return ["human", ...(SCOPED[tool] ?? [])];
  return ["agent", "human"];
}

t.test("every kind of token may call exactly its tools", async (t) => {
  const rig = await rigFor(t, { config: WHOLE_HOUSE });
  t.teardown(rig.fillDisk()); // nothing that is allowed gets anywhere
  for (const { name } of CALLABLE)
    for (const kind of KINDS) {
      const result = await rig.call(name, validArguments(name), { as: kind });
      const isRefused = !result.ok && result.error.code === "FORBIDDEN";
      t.equal(isRefused, !mayCall(name).includes(kind), `${name} as ${kind}`);
    }
});

t.test("a scope is shown its own tools and no others", async (t) => {
  const { registry } = (await rigFor(t)).core;
  const shown = (kind: Kind) => registry.list({ name: kind, role: kind }).map(({ name }) => name);
  t.same(shown("bridge").sort(), BRIDGES);
  t.same(shown("metrics"), []);
});

t.test("a scope may confirm nothing, and a refusal says what it would need", async (t) => {
  const rig = await rigFor(t);
  const confirmed = await rig.refused(
    "answer_approval",
    { id: 1, approve: true },
    { as: "bridge", confirm: "SOIL_WET" },
  );
  t.equal(confirmed.code, "FORBIDDEN");
  t.match(await rig.refused("set_hold", { hold: true }, { as: "bridge" }), {
    message: /^set_hold needs the role human; this token is bridge/,
  });
});

/** The answer to each kind of token, and to none: 0 stands for anything but a refusal. */
const ROUTES: Readonly<Record<string, Readonly<Record<Kind | "nobody", number>>>> = {
  "POST /off": { nobody: 0, observer: 0, agent: 0, human: 0, bridge: 0, metrics: 0 },
  "GET /": { nobody: 0, observer: 0, agent: 0, human: 0, bridge: 0, metrics: 0 },
  "GET /web/x.svg": { nobody: 404, observer: 404, agent: 404, human: 404, bridge: 404, metrics: 404 },
  "GET /healthz": { nobody: 0, observer: 0, agent: 0, human: 0, bridge: 0, metrics: 0 },
  "GET /proof": { nobody: 400, observer: 400, agent: 400, human: 400, bridge: 400, metrics: 400 },
  "GET /calendar/x.ics": { nobody: 404, observer: 404, agent: 404, human: 404, bridge: 404, metrics: 404 },
  "GET /photos/x.jpg": { nobody: 404, observer: 404, agent: 404, human: 404, bridge: 404, metrics: 404 },
  "POST /pair": { nobody: 403, observer: 403, agent: 403, human: 403, bridge: 403, metrics: 403 },
  "POST /mcp": { nobody: 401, observer: 0, agent: 0, human: 0, bridge: 0, metrics: 0 },
  "GET /pairing": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "POST /pairing": { nobody: 401, observer: 403, agent: 403, human: 403, bridge: 403, metrics: 403 },
  "DELETE /pairing": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "POST /session": { nobody: 403, observer: 403, agent: 403, human: 403, bridge: 403, metrics: 403 },
  "GET /session": { nobody: 401, observer: 400, agent: 400, human: 400, bridge: 403, metrics: 403 },
  "DELETE /session": { nobody: 401, observer: 400, agent: 400, human: 400, bridge: 403, metrics: 403 },
  "GET /session/all": { nobody: 401, observer: 403, agent: 403, human: 400, bridge: 403, metrics: 403 },
  "DELETE /session/all/x": { nobody: 401, observer: 403, agent: 403, human: 400, bridge: 403, metrics: 403 },
  "GET /configuration": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "GET /sessions": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "POST /sessions": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "DELETE /sessions/x": { nobody: 401, observer: 403, agent: 403, human: 404, bridge: 403, metrics: 403 },
  "GET /backups": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "POST /backups": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "GET /backups/x": { nobody: 401, observer: 403, agent: 403, human: 404, bridge: 403, metrics: 403 },
  "GET /tokens": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  "DELETE /tokens/x": { nobody: 401, observer: 403, agent: 403, human: 404, bridge: 403, metrics: 403 },
  "POST /doctor": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  ...(CONTRACTS.has("memory") && {
    "POST /media": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 403 },
  }),
  "GET /media/x.jpg": { nobody: 404, observer: 404, agent: 404, human: 404, bridge: 404, metrics: 404 },
  "GET /metrics": { nobody: 401, observer: 403, agent: 403, human: 0, bridge: 403, metrics: 0 },
};

t.test("every kind of token may take exactly its routes, and no route is missing here", async (t) => {
  const { ask } = await servedWithTokens(t, await rigFor(t));
  for (const [route, answers] of Object.entries(ROUTES)) {
    const [method = "", path = ""] = route.split(" ");
    for (const [who, status] of Object.entries(answers)) {
      const answer = await ask(method, path, who === "nobody" ? undefined : (who as Kind));
      const refused = [401, 403, 404, 405].includes(answer.status) || status === 400;
      t.equal(refused ? answer.status : 0, status, `${route} as ${who}`);
    }
  }
  const { error } = (await (await ask("GET", "/nowhere")).json()) as { error: { message: string } };
  const there = error.message.split(", only ")[1]?.split(": ")[0]?.split("; ") ?? [];
  const tried = new Set(Object.keys(ROUTES));
  const missing = there.filter((each) => {
    const [, methods = "", path = ""] = /^(.*) (\/.*?)…?$/.exec(each) ?? [];
    const isTried = (method: string) => [...tried].some((route) => route.startsWith(`${method} ${path}`));
    return !methods.split(" or ").some(isTried);
  });
  t.ok(there.length >= 11, there.join("; "));
  t.same(missing, []);
});

for (const era of ["2025", "2026-07-28"] as const)
  t.test(`over MCP ${era} a scope has its tools, may switch off, and sees no resource`, async (t) => {
    const rig = await rigFor(t);
    const { client } = await servedWithTokens(t, rig);
    for (const [kind, tools] of [
      ["bridge", BRIDGES],
      ["metrics", []],
    ] as const) {
      const own = await client(kind, era);
      t.same((await own.listTools()).tools.map(({ name }) => name).sort(), tools);
      t.match(await own.callTool({ name: "stop_all", arguments: {} }), {
        structuredContent: { success: true },
      });
      t.match(await own.callTool({ name: "get_overview", arguments: {} }), {
        isError: true,
        content: [{ text: /FORBIDDEN/ }],
      });
      t.equal(own.getServerCapabilities()?.resources, undefined);
      await t.rejects(own.request({ method: "resources/read", params: { uri: "tendril://agenda" } }));
      await t.rejects(own.request({ method: "resources/list" }));
      if (era === "2025") await t.rejects(own.subscribeResource({ uri: "tendril://agenda" }));
      else {
        const listening = await own.listen({ resourceSubscriptions: ["tendril://agenda"] });
        t.same(listening.honoredFilter, {});
        await listening.close();
      }
    }
  });
