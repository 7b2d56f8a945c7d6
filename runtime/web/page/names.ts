import type { Overview } from "../../wire/overview.js";
import type { Person } from "../../wire/people.js";
import type { StatusProblem } from "../../wire/status-problems.js";
import { EN, type Words } from "./words.js";

/** A person, and the tokens that only this person uses. */
type PersonNamed = Pick<Person, "user_id" | "name" | "tokens">;

/** What people call each other and the agents, in place of tokens and ids. */
export class Names {
  constructor(
    private readonly words: Words,
    private readonly people: readonly PersonNamed[],
  ) {}

  person(id: string): string {
    return this.people.find(({ user_id }) => user_id === id)?.name ?? id;
  }

  /** The person whose token this is, or who acted on a channel ("anna@telegram"). */
  ofToken(token: string): string | undefined {
    const owner = this.people.find(({ tokens }) => tokens.includes(token));
    if (owner) return this.person(owner.user_id);
    const [, id, channel] = /^(.+)@(.+)$/.exec(token) ?? [];
    if (id !== undefined) return `${this.person(id)} (${channel})`;
    const named = /^human\.(.+)$/.exec(token)?.[1];
    return named === undefined ? undefined : this.person(named);
  }

  /** After "by". */
  whom(token: string): string {
    const known = this.words.whom;
    const agent = agentIn(token);
    if (agent !== undefined) return `${known.agent} ${agent}`;
    return this.ofToken(token) ?? known[token] ?? token;
  }

  /** At the beginning of a sentence. Every agent has a name but the one that each runtime has. */
  doer(token: string): string {
    if (token === "agent") return this.words.plan;
    const agent = agentIn(token);
    return agent === undefined ? (this.ofToken(token) ?? token) : `${this.words.plan} ${agent}`;
  }

  /** After "as": for whom a browser acts. */
  holder({ token, role }: { readonly token: string; readonly role: string }): string {
    const agent = agentIn(token);
    if (agent !== undefined) return `${this.words.holders.agent} ${agent}`;
    return this.ofToken(token) ?? this.words.holders[role] ?? token;
  }
}

/** A plan that the runtime did not clear. */
export interface RefusedPlan {
  readonly reason: string | null;
  readonly problems?: readonly { readonly is: string }[] | undefined;
}

/** What was wrong with it, in another language than the runtime's; undefined where that is the reader's, or it is not on record. */
export function planRefusalIn(words: Words, { problems = [] }: RefusedPlan): string | undefined {
  const { planProblem } = words;
  if (!planProblem || problems.length === 0) return undefined;
  return (problems as readonly StatusProblem[])
    .map((each) => planProblem("reason" in each ? { ...each, reason: reasonIn(words, each.reason) } : each))
    .join(" ");
}

/**
 * Why something was refused, as it is on record; undefined where the reader understands the runtime's own words, which have figures.
 */
export const refusalOnRecord = ({ language, refusals }: Words, code = ""): string | undefined =>
  language === EN.language ? undefined : refusals[code];

/** The same of a refusal that is over: in the past, without what there was to do. */
export const refusalThen = (words: Words, code = ""): string | undefined =>
  words.refusalsThen[code] ?? refusalOnRecord(words, code)?.split(": ")[0];

/** Whose no it was: of one who was asked, as the runtime wrote it down; else the runtime's own. */
export const refuserIn = (reason: string | null): string =>
  /\(request \d+\): (.+?) said no/.exec(reason ?? "")?.[1] ?? "runtime";

/** A reason of a hold, say: of the runtime's own in this language, with the name that is in it; else as somebody wrote it. */
export function reasonIn({ reasons }: Pick<Words, "reasons">, reason: string): string {
  const [name = '""'] = /".*"/.exec(reason) ?? [];
  return reasons[reason.replace(/".*"/, '""')]?.replace('""', () => name) ?? reason;
}

/** A stop button that is pressed, a leak sensor that is wet. */
export const alarmsIn = (inputs: Overview["inputs"], words: Pick<Words, "inputs">): string[] =>
  inputs.flatMap(({ kind, name, active }) => (active && kind !== "tank" ? [words.inputs[kind](name)] : []));

const agentIn = (token: string): string | undefined => /^agent\.(.+)$/.exec(token)?.[1];
