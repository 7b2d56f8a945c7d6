import { z } from "zod";
import { excerpt, invalidArgument, notAllowed, notFound, TendrilError } from "../../errors.js";
import { shortText } from "../../tools/parameters.js";
import { acts, type Call, defineTool } from "../../tools/tool.js";
import { begunTurn, endedTurn, TURN_KINDS, type TurnKind } from "../../wire/chats.js";
import { HOUSEHOLD, type Household, household, whoInput } from "../household/household.js";
import {
  defineModule,
  definePart,
  type House,
  type TurnMaker,
  type TurnPlan,
  type TurnWish,
} from "../module.js";
import { TAINT_LOG } from "./taint.js";
import { type OpenTurn, TURN_ERRORS, type Turns, taintAfterLoss, turnParts, turns } from "./turns.js";

interface Service {
  readonly turns: Turns;
  readonly household: Household;
  makerOf(kind: TurnKind): TurnMaker | undefined;
  readonly zone: string;
}

const turnService = definePart(
  "turn tools",
  async (house: House): Promise<Service> => ({
    turns: await house.use(turns),
    household: await house.use(household),
    makerOf: (kind) =>
      kind === "care"
        ? care
        : house.modules.find(({ turns: its }) => its?.kind === kind)?.turns?.maker(house),
    zone: house.core.zone,
  }),
);

/** What each kind is about. Any other parameter is refused. */
const ABOUT = {
  care: [],
  conversation: ["chat_id", "user_id"],
  task: ["task_id", "user_id"],
} as const satisfies Record<TurnKind, readonly (keyof TurnWish)[]>;

const beginTurn = defineTool({
  name: "begin_turn",
  service: turnService,
  description:
    'For programs. Begin a turn: of care, to answer a chat that waits (chat_id), for a due task (task_id). Its calls carry turn_id in _meta["tendril/turn"].',
  facts: acts("Begin a turn"),
  neededForCare: true,
  role: "agent",
  input: z.strictObject({
    kind: z.enum(TURN_KINDS),
    chat_id: whoInput.chat_id,
    task_id: z.string().min(1).max(64).optional(),
    user_id: whoInput.user_id,
  }),
  output: begunTurn,
  run: async ({ kind, ...wish }, { service, call }) => {
    if (call.turn) throw notAllowed(`begin_turn: this call is in the turn ${call.turn.id}`);
    const plan = planFor(service, kind, wish, call);
    const owner = { token: call.identity.name, instance: call.instance };
    return shown(service, await service.turns.begin(kind, owner, plan));
  },
});

function planFor(service: Service, kind: TurnKind, wish: TurnWish, call: Call): () => TurnPlan {
  const known: readonly string[] = ABOUT[kind];
  const [needed] = known;
  const given = Object.entries(wish).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const unknown = given.find((key) => !known.includes(key));
  const problem =
    unknown !== undefined
      ? `${unknown} does not belong to kind ${kind}`
      : needed !== undefined && !given.includes(needed)
        ? `${needed} is missing for kind ${kind}`
        : undefined;
  if (problem !== undefined) throw invalidArgument(`begin_turn: ${problem}`);
  const maker = service.makerOf(kind);
  if (maker) return () => maker(wish, call);
  throw notFound(`begin_turn: what a turn of kind ${kind} needs is switched off here`);
}

const care: TurnMaker = (_, { identity, instance = "" }) => ({
  about: `care by ${identity.name} ${instance}`.trim(),
  person: HOUSEHOLD,
});

function shown({ turns, household, zone }: Service, turn: OpenTurn): z.output<typeof begunTurn> {
  const person = household.person(turn.person);
  return {
    turn_id: turn.id,
    kind: turn.kind,
    user_id: turn.person,
    name: person === undefined ? null : (person.name ?? person.id),
    language: person?.language ?? "en",
    zone: person?.zone ?? zone,
    chat_id: turn.chat,
    expires: turns.expires(turn),
    tainted: turn.taint.sources.length > 0,
    task: turn.plan.task ?? null,
  };
}

const endTurn = defineTool({
  name: "end_turn",
  service: turnService,
  description:
    "End the turn that the call is in. A person ends a chat's turn (chat_id): its calls are refused from then on.",
  facts: acts("End a turn"),
  neededForCare: true,
  role: "agent",
  input: z.strictObject({
    outcome: z.enum(["done", "failed"]).default("done"),
    reason: shortText(500, "why it failed").optional(),
    chat_id: whoInput.chat_id,
  }),
  output: endedTurn,
  run: async ({ outcome, reason, chat_id }, { service, call, isoNow }) => {
    const turn = call.turn ? ownTurn(service, call, chat_id) : turnOfChat(service, call, chat_id);
    const end = {
      outcome: call.turn ? outcome : ("stopped" as const),
      ...(reason !== undefined && { reason }),
    };
    await service.turns.end(turn, end);
    return { turn_id: turn.id, outcome: end.outcome, ended_at: isoNow() };
  },
});

function ownTurn({ turns }: Service, call: Call, chat: string | undefined): OpenTurn {
  const own = turns.turnOf({ ...call, turn: call.turn?.id });
  if (own && (chat === undefined || chat === own.chat)) return own;
  throw notAllowed("end_turn: an agent ends its own turn: leave out chat_id");
}

function turnOfChat({ turns, household }: Service, call: Call, chat: string | undefined): OpenTurn {
  if (call.identity.role !== "human")
    throw new TendrilError(TURN_ERRORS.NO_TURN, "end_turn: an agent ends the turn that the call is in");
  if (chat === undefined) throw invalidArgument("end_turn: chat_id is missing");
  const turn = turns.ofChat(chat);
  if (turn && household.speaksFor(call, turn.person)) return turn;
  throw notFound(`no turn is open in the chat ${excerpt(chat)}`);
}

/** The turns of agents, and which of them have read words of strangers. */
export const turnsModule = defineModule({
  name: "turns",
  canBeOff: false,
  toolset: "chats",
  journals: [{ definition: TAINT_LOG, atRestore: "stays", afterLoss: taintAfterLoss }],
  errors: TURN_ERRORS,
  parts: [...turnParts, turnService],
  tools: [beginTurn, endTurn],
});
