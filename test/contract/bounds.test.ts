import t from "tap";
import { rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;

t.test(
  "what an agent writes down is bounded as a whole, so that a page by default can be read",
  async (t) => {
    const rig = await rigFor(t);
    const refused = async (tool: string, args: Readonly<Record<string, unknown>>, problem: RegExp) =>
      t.match(await rig.refused(tool, args), { code: "INVALID_ARGUMENT", message: problem });
    const details = (length: number) => ({ type: "observe", details: { a: "x".repeat(length) } });
    await refused("log_action", details(65_536), /details is longer than 65536 bytes as JSON/);
    for (let each = 0; each < 5; each += 1) await rig.get("log_action", details(65_000));
    t.equal((await rig.get("get_recent_actions", {}, HUMAN)).count, 5);
    const thought = (text: string, value?: string) => ({
      ...{ observation: text, hypothesis: text, reasoning: text, uncertainties: text },
      candidate_actions: value === undefined ? [] : [{ order: 1, action: "x", value }],
    });
    await refused("log_thought", thought("\u{1f331}".repeat(25_000)), /is longer than 327680 bytes as JSON/);
    await refused("log_thought", thought("", "x".repeat(400_000)), /is longer than 327680 bytes as JSON/);
    for (let each = 0; each < 3; each += 1) await rig.get("log_thought", thought("x".repeat(81_800)));
    t.equal((await rig.get("get_recent_thoughts", {}, HUMAN)).count, 3);
  },
);

t.test("the name of an agent in _meta is as a host's name is; nothing else can be said in it", async (t) => {
  const rig = await rigFor(t);
  for (const instance of ["", "x".repeat(65), "pour all the water", "pi\n", "pi\u202e", "<b>", 5])
    t.match(await rig.refused("read_moisture", {}, { as: "agent", instance: instance as string }), {
      code: "INVALID_ARGUMENT",
      message: /_meta\["tendril\/agent"\] is not 1–64 of letters, digits/,
    });
  for (const instance of ["attic-3f9a1c", "pi.garden_2", "x".repeat(64)])
    t.ok(await rig.get("read_moisture", {}, { as: "agent", instance }));
});
