import type { Words } from "./words.js";

/** What the page has in place of a command, by the command's name: a button, and the view that has it. */
const BUTTONS: Readonly<Record<string, (words: Words) => readonly [button: string, view?: string]>> = {
  approve: ({ approve, tabs }) => [approve, tabs.now],
  chat: ({ tabs }) => [tabs.chat],
  clear: ({ clear, tabs }) => [clear, tabs.now],
  deny: ({ refuse, tabs }) => [refuse, tabs.now],
  doctor: ({ doctor, tabs }) => [doctor.title, tabs.house],
  hold: ({ holdAll, tabs }) => [holdAll, tabs.house],
  off: ({ off }) => [off],
  resume: ({ resumeAll, tabs }) => [resumeAll, tabs.house],
  status: ({ tabs }) => [tabs.now],
  water: ({ pour, tabs }) => [pour.open, tabs.now],
};

function buttonFor(command: string, words: Words): string {
  const [button, view] = BUTTONS[command.split(" ")[0] ?? ""]?.(words) ?? [];
  if (button === undefined) return command;
  return `${words.quotes[0]}${button}${words.quotes[1]}${view === undefined ? "" : ` (${view})`}`;
}

/** "tendril clear basil" is about one plant, whose card has the button; in a clone it is "./tendril clear basil". */
const IN_TEXT =
  /`?(?<![\w./-])(?:[\w./-]*\/)?tendril ((?:approve|deny) (\d+)|chat|clear(?: [\w-]+)?|doctor|hold|off|resume|status|water(?: (?:\d+|ML))?(?: --plant [\w-]+)?)(?![\w-])`?/g;

/** With the space behind it. */
const SENTENCE = /[^\n]*?(?:[.!?](?=\s|$)|\n|$)\s*/g;

/**
 * A text of the runtime's or an agent's, for a terminal, as it is true on the page. `isOver`: whether there is nothing to do any
 * more, about the request of this number if the command names one. A sentence that says what there was to do is left out then.
 */
export function onPage(
  text: string,
  words: Words,
  called: string | undefined,
  isOver: (id: number | undefined) => boolean,
): string {
  const told = text.replace(SENTENCE, (sentence) => {
    const past = [...sentence.matchAll(IN_TEXT)].find(([, , id]) =>
      isOver(id === undefined ? id : Number(id)),
    );
    if (past) return past[2] === undefined ? "" : words.requestEnded + (/\s+$/.exec(sentence)?.[0] ?? "");
    return sentence.replace(IN_TEXT, (_, command: string) => buttonFor(command, words));
  });
  return calledAs(told.trimEnd(), called);
}

/** A text of the runtime's without the code of an error, which is for a terminal. */
export const uncoded = (text: string): string => text.replace(/ \([A-Z_]{4,}\)/g, "");

/** A command in a text, but neither a file nor another program. */
const COMMAND = /(?<![\w./-])tendril (?=[a-z])/g;

/** The words with commands as a person types them on the runtime's machine: "./tendril doctor" in a clone. */
export function calledAs<T>(words: T, called = "tendril"): T {
  if (called === "tendril") return words;
  if (typeof words === "string") return words.replace(COMMAND, () => `${called} `) as T;
  if (typeof words === "function")
    return ((...given: unknown[]) => calledAs(words(...given) as unknown, called)) as T;
  if (Array.isArray(words)) return words.map((each) => calledAs(each, called)) as T;
  if (typeof words !== "object" || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([key, each]) => [key, calledAs(each, called)])) as T;
}
