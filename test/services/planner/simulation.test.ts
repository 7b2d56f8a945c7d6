import t from "tap";
import type { Model } from "../../../agent-client/models/model.js";
import { dayOf, simulated } from "../../agent-client/harness/short-run.js";

t.test("a task that falls due begins a cycle, once, within twenty minutes", async (t) => {
  const due = "2026-06-01T07:30:00Z";
  const addsTask: Model = {
    name: "adds a task",
    respond: async (conversation) =>
      conversation.length > 2
        ? { text: "done", toolCalls: [] }
        : { toolCalls: [{ id: "1", name: "add_task", arguments: { description: "look", due } }] },
  };
  const { cycles, start } = await simulated({ days: 1 }, { model: addsTask });
  t.same(
    cycles.map(({ at }) => dayOf(at, start) * 24).map((hour) => Math.round(hour * 10) / 10),
    [0, 1.7, 6, 12, 18],
  );
});
