import t from "tap";
import type { Model, Reply } from "../../../agent-client/models/model.js";
import { ModelError } from "../../../agent-client/models/model-error.js";
import { hours } from "../../../drivers/units.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import { ANNA, type ChatRig, chatRig } from "./chat-rig.js";

const PAYLOAD = { what: "write the week's report", depth: [1, { of: "two" }], 'q"uote': "ünï\n" };

class Worker implements Model {
  readonly name = "worker";
  opening = "";
  asked = 0;

  constructor(private readonly reply: () => Reply) {}

  async respond(...[conversation]: Parameters<Model["respond"]>): Promise<Reply> {
    this.asked += 1;
    this.opening = conversation.find(({ role }) => role === "user")?.content ?? "";
    return this.reply();
  }
}

const schedule = (rig: ChatRig, more: Record<string, unknown> = {}) =>
  rig.rig.get(
    "scheduleAgentTask",
    {
      taskPayload: PAYLOAD,
      timeExpression: "in 1 hour",
      humanReadableDescription: "the week's report",
      ...more,
    },
    ANNA,
  );

const openTasks = (rig: ChatRig) =>
  rig.rig.get("task_tool", { operation: "list_tasks", completed: false }, ANNA);

const told = async (rig: ChatRig): Promise<string> => {
  const { messages } = await rig.rig.get("list_messages_from_agent", { limit: 10 }, { as: "human" });
  return JSON.stringify(messages);
};

t.test(
  "a task that falls due is handed its payload unchanged, is completed, and its result is told",
  async (t) => {
    const model = new Worker(() => ({ text: "The report is written.", toolCalls: [] }));
    const rig = await chatRig(t, model);
    await schedule(rig);
    await rig.look();
    t.equal(model.asked, 0, "not before its time");
    await rig.rig.pass(hours(2));
    await rig.look();
    t.ok(model.opening.includes(`\n${JSON.stringify(PAYLOAD)}`));
    t.match(
      model.opening,
      /Task: the week's report, due 2026-06-01 11:00 \(it was missed, and is done 60 minutes late: say so\)\n/,
    );
    t.match(await openTasks(rig), { count: 0 });
    t.match(`${await told(rig)}${await rig.answer()}`, /The report is written/);
    await rig.look();
    t.equal(model.asked, 1);
  },
);

t.test(
  "a task that fails is tried three times in all, also after restarts; then its person is told and it stays open",
  async (t) => {
    const fails = () =>
      new Worker(() => {
        throw new ModelError("the server is away", "away");
      });
    const rig = await chatRig(t);
    await schedule(rig);
    await rig.rig.pass(hours(2));
    const models = [fails(), fails(), fails(), fails()];
    for (const model of models) await (await rig.agent(model)).look();
    t.strictSame(
      models.map(({ asked }) => asked),
      [1, 1, 1, 0],
    );
    t.match(await told(rig), /I could not do \\"the week's report\\": the server is away\./);
    t.match(await openTasks(rig), { count: 1 });
  },
);

t.test(
  "a recurring task that fails goes on with its next time, and the caretaker does what it understands",
  async (t) => {
    const rig = await chatRig(t);
    await schedule(rig, {
      taskPayload: "put perlite on the shopping list",
      timeExpression: "every day at 11:00",
    });
    await rig.rig.pass(hours(2));
    await rig.look();
    t.match(await rig.rig.get("list_tool", { operation: "get_lists" }, ANNA), { count: 1 });
    t.match(await openTasks(rig), { tasks: [{ due_at: "2026-06-02T09:00:00.000Z" }] });
  },
);

t.test(
  "a task that was made after strangers' words is done in its turn, with what it was handed",
  async (t) => {
    const model = new Worker(() => ({ text: "Done.", toolCalls: [] }));
    const rig = await chatRig(t, model);
    const { turn_id: turn } = await rig.rig.get("begin_turn", { kind: "care" }, { as: "agent" });
    const identity = { name: "agent", role: "agent" } as const;
    await rig.rig.core.get(turns).turnOf({ identity, turn })?.taint.add(["calendar work"]);
    const task = {
      taskPayload: PAYLOAD,
      timeExpression: "in 1 hour",
      humanReadableDescription: "the week's report",
    };
    await rig.rig.get("scheduleAgentTask", task, { as: "agent", turn });
    await rig.rig.pass(hours(2));
    await rig.look();
    t.equal(model.asked, 1);
    t.ok(model.opening.includes(`\n${JSON.stringify(PAYLOAD)}`));
    t.match(model.opening, /Task: the week's report, due/);
    t.match(await openTasks(rig), { count: 0 });
  },
);
