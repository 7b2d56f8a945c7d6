import { type CANCEL_SYMBOL, confirm, isCancel, log, select, text } from "@clack/prompts";
import { folded } from "../cli/print.js";
import { type Asker, Cancelled, type Choice } from "./asker.js";

/** Before each line of a menu: a bar and two blanks. */
const MARGIN = "│  ";

/** Menus and fields in a terminal. Ctrl-C and Escape cancel. */
export const terminalAsker: Asker = {
  say: (words) => log.message(folded(words, (process.stdout.columns ?? 80) - MARGIN.length)),

  async choose<T extends string | number>(message: string, choices: readonly Choice<T>[]): Promise<T> {
    // by their place: the package's type of an option depends on T in a way that no generic function can meet
    const options = choices.map(({ label }, value) => ({ value, label }));
    const at = orCancelled(await select({ message, options }));
    const chosen = choices[at];
    if (!chosen) throw new RangeError(`there is no choice ${at}`);
    return chosen.value;
  },

  async text(message, initial, check) {
    const validate = (answer: string | undefined) => check(answer || initial);
    return orCancelled(await text({ message, placeholder: initial, defaultValue: initial, validate }));
  },

  confirm: async (message, initialValue) => orCancelled(await confirm({ message, initialValue })),
};

function orCancelled<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (isCancel(answer)) throw new Cancelled();
  return answer;
}
