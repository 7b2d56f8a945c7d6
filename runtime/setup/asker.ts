import { CommandError } from "../cli/failure.js";

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

/** Whoever asks a person: with a terminal's menus, or line by line. Every question rejects with a Cancelled when the person goes. */
export interface Asker {
  say(text: string): void;
  choose<T extends string | number>(question: string, choices: readonly Choice<T>[]): Promise<T>;
  /** `check`: what is wrong with an answer. An empty answer is `initial`. */
  text(question: string, initial: string, check: (answer: string) => string | undefined): Promise<string>;
  confirm(question: string, initial: boolean): Promise<boolean>;
}

/** Ctrl-C as shells count it: 128 and the signal's number. */
const INTERRUPTED = 130;

/** The person has gone, before anything was written. */
export class Cancelled extends CommandError {
  constructor() {
    super("cancelled: nothing was changed", INTERRUPTED);
  }
}
