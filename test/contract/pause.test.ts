import t from "tap";
import { rigFor } from "../rig.js";

const PERSON = { as: "human", token: "anna" } as const;
const DOSE = [{ action: "water", value: 15 }];

t.test(
  "while agents are paused they pour nothing and switch nothing on; people do, and agents switch off",
  async (t) => {
    const rig = await rigFor(t, { hydration: 30 });
    await rig.status(DOSE);
    await rig.get("pause_agents", { paused: true, reason: "visitors" }, PERSON);
    for (const [tool, args] of [
      ["dispense_water", { ml: 15 }],
      ["turn_on_light", { minutes: 60 }],
    ] as const)
      t.match(await rig.refused(tool, args), { code: "PAUSED", message: /visitors/ }, tool);
    await rig.get("turn_on_light", { minutes: 60 }, PERSON);
    await rig.get("turn_off_light");
    await rig.water(15, PERSON);
    await rig.get("pause_agents", { paused: false }, PERSON);
    await rig.water(15);
  },
);

t.test(
  "while the tokens cannot be read anew nothing acts, is written or lifted; what reads, holds, pauses or switches off does",
  async (t) => {
    const config = `server: { calls_per_second: 100000 }
confirm: { turn_on_light: always }
plants: [{ id: basil, water: { not_above: 90 } }]`;
    const rig = await rigFor(t, { hydration: 30, config });
    await rig.status(DOSE);
    await rig.get("set_hold", { hold: true }, PERSON);
    await rig.get("set_hold", { hold: false }, PERSON);
    rig.tokensUnread = true;
    for (const [tool, args, options] of [
      ["dispense_water", { ml: 15 }, {}],
      ["turn_on_light", { minutes: 60 }, {}],
      ["list_tool", { operation: "add_item", list_name: "shopping", item_text: "pots" }, {}],
      ["dispense_water", { ml: 15 }, PERSON],
      ["set_hold", { hold: false }, PERSON],
      ["pause_agents", { paused: false }, PERSON],
    ] as const)
      t.match(await rig.refused(tool, args, options), { code: "TOKENS_UNREAD", retryable: true }, tool);
    t.same((await rig.get("list_approvals", {}, PERSON)).approvals, [], "nobody was asked");
    await rig.get("get_overview");
    await rig.get("turn_off_light");
    await rig.get("stop_all");
    await rig.get("pause_agents", { paused: true }, PERSON);
    await rig.get("set_hold", { hold: true }, PERSON);
    rig.tokensUnread = false;
    await rig.get("set_hold", { hold: false }, PERSON);
    await rig.water(15, PERSON);
  },
);

t.test("a pause outlives a crash, and only a person ends it", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  await rig.get("pause_agents", { paused: true }, PERSON);
  await rig.crash();
  await rig.open();
  t.equal((await rig.refused("dispense_water", { ml: 15 })).code, "PAUSED");
  t.equal((await rig.refused("pause_agents", { paused: false }, { as: "agent" })).code, "FORBIDDEN");
  t.match(await rig.get("get_overview", {}, PERSON), { paused: { by: "anna" } });
});

t.test("a pause counts on a full disk at once, and its end only once it is on the disk", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  const empty = rig.fillDisk();
  t.match(await rig.refused("pause_agents", { paused: true }, PERSON), {
    code: "STORE_FAILED",
    message: /the pause is in force, but could not be written, so a restart may end it/,
  });
  t.equal((await rig.refused("dispense_water", { ml: 15 })).code, "PAUSED");
  t.equal((await rig.refused("pause_agents", { paused: false }, PERSON)).code, "STORE_FAILED");
  t.equal((await rig.refused("dispense_water", { ml: 15 })).code, "PAUSED");
  empty();
});

t.test("a yes that came before the pause is of no use during it", async (t) => {
  const rig = await rigFor(t, {
    config: "server: { calls_per_second: 100000 }\nconfirm: { dispense_water: always }",
    hydration: 30,
  });
  await rig.status(DOSE);
  const { details } = await rig.refused("dispense_water", { ml: 15 });
  await rig.get("answer_approval", { id: details?.id, approve: true }, PERSON);
  await rig.get("pause_agents", { paused: true }, PERSON);
  t.equal((await rig.refused("dispense_water", { ml: 15 })).code, "PAUSED");
  t.equal((await rig.get("get_water_usage_24h")).used_ml, 0);
});
