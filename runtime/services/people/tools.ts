import { z } from "zod";
import { sourcesIn } from "../../tools/taint.js";
import { type Call, defineTool, reads, sets, tells, untrustedIf } from "../../tools/tool.js";
import type { BridgeState } from "../../wire/bridge.js";
import { mayActAs } from "../../wire/identity.js";
import { type OverviewResult, overviewResult } from "../../wire/overview.js";
import { lifted, messagesFromAgent, messagesFromHuman, sentMessage } from "../../wire/people.js";
import { HOUSEHOLD, household } from "../household/household.js";
import { inputs } from "../inputs/inputs.js";
import { done } from "../log-tools.js";
import { definePart, type House, type PartsIn, partsTogether } from "../module.js";
import { letterAsRead } from "../outbox/outbox.js";
import { plantStatus } from "../plant-status/service.js";
import { waterLedger } from "../water/ledger.js";
import { unanswered } from "../water/response-watch.js";
import { BY_COMMAND, control, stopNoted } from "./control.js";
import type { MessageRecord } from "./message-log.js";
import { messages } from "./messages.js";
import { pause } from "./pause.js";

/** What holds and faults depend on. */
const controls = definePart("controls", async (house) => ({
  control: await house.use(control),
  inputs: await house.use(inputs),
  water: await house.use(waterLedger),
  interlock: house.board.interlock,
}));

const inbox = partsTogether("inbox", { messages, household });

/** The whole house, for what concerns all families. */
const everything = definePart("everything", (house) => house);

const setHold = defineTool({
  name: "set_hold",
  service: controls,
  description:
    "Keep everything from being switched on, or lift that again; one plant or all. What is on goes on to its end; stop_all ends it. Not lifted while a stop button is pressed.",
  facts: sets("Hold or resume"),
  role: "human",
  holds: ({ hold }) => hold,
  input: z.strictObject({
    hold: z.boolean().describe("true: nothing may be switched on; false: lift the hold"),
    plant: z.string().optional().describe("one plant; all by default"),
    reason: z.string().min(1).max(1000).default("a person asked for it"),
  }),
  output: lifted,
  run: async ({ hold, plant: named, reason }, { service, plants, isoNow, call }) => {
    const timestamp = isoNow();
    const plant = named === undefined ? {} : { plant: plants.resolve(named) };
    if (!hold) {
      service.inputs.assertReleased();
      service.control.assertLiftable(plant.plant);
    }
    const [kind, by] = [hold ? ("hold" as const) : ("resume" as const), call.identity.name];
    const changed = hold || service.control.standing({ kind, ...plant }).length > 0;
    if (changed) await service.control.record({ timestamp, kind, by, reason, ...plant });
    return { timestamp, success: true, changed };
  },
});

const pauseAgents = defineTool({
  name: "pause_agents",
  service: pause,
  description:
    "Keep agents from pouring, switching on and acting outside of the house, or let them again. People still can, and agents can switch off.",
  facts: sets("Pause agents"),
  role: "human",
  holds: ({ paused }) => paused,
  input: z.strictObject({
    paused: z.boolean().describe("true: agents may not act; false: they may again"),
    reason: z.string().min(1).max(1000).default("a person asked for it"),
  }),
  output: done,
  run: async ({ paused, reason }, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.record({ timestamp, paused, by: call.identity.name, reason });
    return { timestamp, success: true };
  },
});

const clearFault = defineTool({
  name: "clear_fault",
  service: controls,
  description:
    "Unlock a plant after you have looked at tube, tank and probe, for the leak, or at what the interlock names; one plant or all. Doses until now then need no answer of the soil. Refused while the leak sensor is still wet, or the interlock's cause stands.",
  facts: sets("Clear a fault"),
  role: "human",
  input: z.strictObject({
    plant: z.string().optional().describe("one plant; all by default"),
    reason: z.string().min(1).max(1000).default("a person has looked at it"),
  }),
  output: lifted,
  run: async ({ plant: named, reason }, { service, plants, isoNow, call }) => {
    const timestamp = isoNow();
    const plant = named === undefined ? {} : { plant: plants.resolve(named) };
    const concerned = plant.plant === undefined ? plants.ids : [plant.plant];
    service.inputs.assertDry(concerned);
    if (concerned.some((each) => service.control.hasFault(each, "INTERLOCK")))
      await service.interlock?.clear();
    const after_dose = service.water.lastId;
    const { control, water } = service;
    const unlocked = concerned.filter((each) => control.faults(each).length > 0);
    const about = { timestamp, by: call.identity.name, reason, after_dose, unlocked, ...plant };
    const entry = { kind: "clear" as const, ...about };
    const changed =
      control.standing(entry).length > 0 ||
      concerned.some((each) => unanswered(control, water, each).length > 0);
    if (changed) await control.record(entry);
    return { timestamp, success: true, changed };
  },
});

const stopAll = defineTool({
  name: "stop_all",
  service: everything,
  description: "Switch every pump and light off now. Never refused, to nobody.",
  facts: sets("Switch everything off"),
  role: "observer",
  listedTo: "human",
  switchesOff: true,
  input: z.strictObject({}),
  output: done,
  run: async (_, { service, isoNow, call }) => {
    await stopNoted(service, call.identity.name, whoStops(call));
    return { timestamp: isoNow(), success: true };
  },
});

/** In a person's conversation it is the person, as on a channel ("anna@telegram"). */
function whoStops({ identity, turn }: Call) {
  if (turn?.kind !== "conversation") return { by: identity.name, reason: BY_COMMAND };
  const by = turn.person === HOUSEHOLD ? identity.name : `${turn.person}@chat`;
  return { by, reason: "in a conversation", turn: turn.id };
}

const getOverview = defineTool({
  name: "get_overview",
  service: everything,
  description:
    "Everything about every plant at a glance: moisture, water, light, holds, faults, the last plant status; and the buttons and sensors.",
  facts: reads("Overview", { world: "closed" }),
  role: "observer",
  listedTo: "human",
  input: z.strictObject({}),
  output: overviewResult,
  run: (_, { service, call }) => {
    const { bridge, ...others } = service.overview(call);
    // what a bridge says of itself is for people
    const overview = {
      ...others,
      ...(bridge && { bridge: mayActAs(call.identity.role, "human") ? bridge : withoutItsWords(bridge) }),
    };
    const asked = overview.approvals?.flatMap(({ after_reading = [] }) => after_reading) ?? [];
    if (call.identity.role === "agent") return untrustedIf([...new Set(asked)], forAgents(overview, service));
    return untrustedIf([...new Set([...asked, ...strangersIn(overview, service)])], overview);
  },
});

const HIDDEN = "written by an agent that had read words from outside: get_care_record shows it";

/**
 * Every conversation begins with the overview. With words from outside in it, each would be one that has read words of strangers. So
 * it has no marked reasons, and of a channel not the bridge's words, which may be those of a server such as Telegram's.
 */
const forAgents = (overview: OverviewResult, house: House): OverviewResult => ({
  ...overview,
  ...(overview.channels && {
    channels: overview.channels.map((channel) => ({ ...channel, code: null, message: null })),
  }),
  plants: overview.plants.map(({ last_status: last, ...plant }) => ({
    ...plant,
    last_status:
      last && house.get(plantStatus).last(plant.plant)?.tainted ? { ...last, reasoning: HIDDEN } : last,
  })),
});

/** Whose words are in what agents are not shown. */
const strangersIn = ({ channels = [], plants }: OverviewResult, house: House): readonly string[] => [
  ...sourcesIn(plants.flatMap(({ plant }) => house.get(plantStatus).last(plant) ?? [])),
  ...channels.flatMap(({ channel, message }) => (message === null ? [] : [`channel ${channel}`])),
];

const withoutItsWords = ({ connected, since }: BridgeState): BridgeState => ({
  connected,
  since,
  version: null,
});

/** Code points of one message. */
const LONGEST = 50_000;

const content = (description: string) =>
  z
    .string()
    .min(1)
    .refine((text) => text.length <= LONGEST || [...text].length <= LONGEST, {
      error: `is longer than ${LONGEST} characters`,
    })
    .describe(description);

const sendInput = (description: string) =>
  z.strictObject({
    message: content(description),
    in_reply_to: z.string().min(1).nullish().describe("id of the message this answers"),
  });

const listInput = z.strictObject({
  limit: z.int().min(1).max(50).default(10),
  offset: z.int().min(0).max(1_000_000_000).default(0),
  include_content: z.boolean().default(true),
});

const sendMessageToHuman = defineTool({
  name: "send_message_to_human",
  service: inbox,
  description:
    "Write to the person who looks after the plant: alerts, or a question. Say how serious it is and what you suggest, all in one message: few are let through. Markdown, up to 50,000 characters.",
  facts: tells("Write to the person"),
  inCare: true,
  neededForCare: true,
  role: "agent",
  input: sendInput("what the person should know"),
  output: sentMessage,
  run: async ({ message, in_reply_to }, { service, call }) => {
    const { name: by, role } = call.identity;
    const inReplyTo = in_reply_to ?? undefined;
    const isPersons = mayActAs(role, "human");
    const owner = isPersons ? undefined : await ownerFor(call, inReplyTo, service);
    const draft = { content: message, by, inReplyTo, ...(owner !== undefined && { user_id: owner }) };
    return isPersons ? service.messages.send("to_human", draft) : service.messages.sendLimited(draft);
  },
});

/** The person whose an agent's message is: of its turn or token, else of the message that it answers. Undefined: everybody's. */
async function ownerFor(
  call: Call,
  inReplyTo: string | undefined,
  { household, messages }: PartsIn<typeof inbox>,
): Promise<string | undefined> {
  const bound = household.boundTo(call);
  if (bound !== undefined && bound !== HOUSEHOLD) return bound;
  const source = inReplyTo === undefined ? undefined : await messages.sourceOf(inReplyTo);
  return source && (source.user_id ?? household.personOfToken(source.by));
}

const sendMessageToAgent = defineTool({
  name: "send_message_to_agent",
  service: inbox,
  description: "Write to the agent; it reads its messages at the start of a cycle.",
  facts: tells("Write to the agent"),
  role: "human",
  words: "message",
  input: sendInput("what the agent should know or do"),
  output: sentMessage,
  run: async ({ message, in_reply_to }, { service, call }) => {
    const by = call.identity.name;
    return service.messages.send("from_human", { content: message, by, inReplyTo: in_reply_to ?? undefined });
  },
});

const listMessagesFromHuman = defineTool({
  name: "list_messages_from_human",
  service: inbox,
  description: "Messages of the person to the agent, newest first.",
  facts: reads("Messages from the person", { world: "closed" }),
  inCare: true,
  role: "observer",
  input: listInput,
  output: messagesFromHuman,
  run: async ({ limit, offset, include_content: withContent }, { service, call }) => {
    const sees = service.household.writersSeenBy(call);
    const page = { limit, offset, withContent, sees };
    const isAgent = call.identity.role === "agent";
    const { messages, writers } = await service.messages.list(page, isAgent);
    const others = withContent ? service.household.strangersTo(call, writers) : [];
    return untrustedIf(
      others.map((name) => `messages of ${name}`),
      { messages },
    );
  },
});

const listMessagesFromAgent = defineTool({
  name: "list_messages_from_agent",
  service: inbox,
  description:
    "Messages of the agent and the runtime to the person, newest first, without what is other people's. Reading marks nothing.",
  facts: reads("Messages to the person", { world: "closed" }),
  role: "human",
  input: listInput,
  output: messagesFromAgent,
  run: async ({ limit, offset, include_content: withContent }, { service, call }) => {
    const { household, messages } = service;
    const asRead = (record: MessageRecord) => letterAsRead(record, call, household);
    const isShared = household.people.length <= 1;
    const page = { limit, offset, withContent, ...(!isShared && { asRead }) };
    return { messages: await messages.letters(page) };
  },
});

export const peopleTools = [
  ...[sendMessageToHuman, listMessagesFromHuman, sendMessageToAgent, listMessagesFromAgent],
  ...[getOverview, setHold, pauseAgents, clearFault, stopAll],
];

export const peopleToolParts = [inbox, controls, everything];
