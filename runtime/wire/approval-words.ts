/** What an agent wants to do and how far a yes to it goes, in English, for whoever shows it. */

type Args = Readonly<Record<string, unknown>>;

/** What the agent's open plant status plans for its cycle in all. */
export interface Planned {
  readonly ml: number;
  readonly light_minutes: number;
}

interface Words {
  /** After "wants to". */
  wish(args: Args): string;
  /** The same for who may answer, and not read what is a person's alone; by default only the tool's name. */
  outline?(args: Args): string;
  /** For who only looks on: what kind of request it is. "all": it concerns the house, and no word of a person is in it. */
  readonly kind?: string;
  /** What a yes for a whole cycle allows, after "an approval is valid for"; absent for a tool that is in no cycle. */
  scope?(plant: string, planned: Planned): string;
}

const OF_TOOL: Readonly<Record<string, Words>> = {
  dispense_water: {
    kind: "all",
    wish: ({ ml }) => `pour ${ml} ml`,
    scope: (plant, { ml }) => `all it pours on ${plant} in this cycle, ${ml} ml planned`,
  },
  turn_on_light: {
    kind: "all",
    wish: ({ minutes }) => `switch the light on for ${minutes} min`,
    scope: (plant, { light_minutes }) => `all light of ${plant} in this cycle, ${light_minutes} min planned`,
  },
  pause_agents: { kind: "all", wish: ({ paused }) => (paused ? "pause the agents" : "let the agents go on") },
  // all of it: what is cut off would be sent or believed unread
  search_web: { kind: "search the web", wish: ({ query }) => `search the web for ${quoted(query)}` },
  update_user_profile: {
    kind: "note something in a profile",
    wish: ({ category, key, value }) =>
      `note in the profile, as ${category}, ${quoted(key)}: ${quoted(value)}`,
  },
  sendEmail: {
    kind: "send a mail",
    wish: ({ to, subject, body }) =>
      `send a mail to ${to} with the subject ${quoted(subject)} and the text ${quoted(body)}`,
    // nobody can weigh a mail without knowing where it goes
    outline: ({ to, body }) => `send a mail of ${[...String(body)].length} characters to ${to}`,
  },
};

/** Characters of a mail's text in a question; a person who wants to see more looks at the whole request. A choice. */
const LONGEST_QUOTE = 300;

function quoted(text: unknown): string {
  const all = [...String(text)];
  const cut = all.length > LONGEST_QUOTE ? `… (${all.length} characters)` : "";
  return `${JSON.stringify(all.slice(0, LONGEST_QUOTE).join(""))}${cut}`;
}

/** Between letters of some scripts, and between pictures that are one. */
const JOINERS = /\u200c|\u200d/;

/** One line with its hidden signs shown by their numbers: they would turn the line around, or say something else to a machine. */
export const visible = (words: string): string =>
  words.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    JOINERS.test(sign) ? sign : `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );

/** Characters of the arguments of a tool that has no words of its own. A choice. */
const LONGEST = 60;

export function wishWords(tool: string, args: Args): string {
  const words = OF_TOOL[tool];
  if (words) return visible(words.wish(args));
  const shown = visible(JSON.stringify(args));
  return `call ${tool} with ${shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown}`;
}

interface Asking {
  readonly agent: string;
  readonly instance?: string | null | undefined;
}

/** "agent (pi)": the token's name, and the agent's among those with that token. */
export const agentInWords = ({ agent, instance }: Asking): string =>
  instance == null ? agent : `${agent} (${instance})`;

interface Wish extends Asking {
  /** "pour 20 ml" */
  readonly words: string;
  /** The plant's name, if it is about one. */
  readonly plant: string | undefined;
  /** Where words of strangers that may be behind it came from. */
  readonly after_reading?: readonly string[] | undefined;
}

/** "agent (pi) wants to pour 20 ml for Basil, after it has read words from outside (calendar work)" */
export function wishSentence({ words, plant, after_reading: sources, ...who }: Wish): string {
  const whose = plant === undefined ? "" : ` for ${plant}`;
  const why = sources === undefined ? "" : `, after it has read words from outside (${sources.join(", ")})`;
  return `${agentInWords(who)} wants to ${words}${whose}${why}`;
}

/** A person's request, for others: what a yes or no can be weighed by, and whose it is. */
export const outlineWords = (tool: string, args: Args, person: string): string =>
  `${OF_TOOL[tool]?.outline?.(args) ?? `call ${tool}`} for ${person}, who alone is shown the rest`;

/** A request for who only looks on, as a tablet on the wall does: nothing of what a person has said, or is told. */
export function kindOf(tool: string, args: Args): { readonly arguments: Args; readonly words: string } {
  const kind = OF_TOOL[tool]?.kind;
  if (kind === "all") return { arguments: args, words: wishWords(tool, args) };
  return { arguments: {}, words: kind ?? `call ${tool}` };
}

/** `plant`: what people call it. */
export const scopeWords = (tool: string, plant: string, planned: Planned): string =>
  OF_TOOL[tool]?.scope?.(plant, planned) ?? `every ${tool} for ${plant} in this cycle`;
