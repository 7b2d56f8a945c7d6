import type { HouseTime } from "../../../../runtime/wire/house-time.js";
import type { Arguments } from "../../../cycle/arguments.js";
import type { Exchange } from "../facts.js";

export type Wish =
  | { readonly kind: "remind"; readonly tries: readonly Reminder[]; readonly hasTime: boolean }
  | {
      readonly kind: "add";
      readonly items: readonly string[];
      readonly list: string;
      readonly mustExist: boolean;
    }
  | { readonly kind: "remove" | "complete"; readonly item: string; readonly list: string | undefined }
  | { readonly kind: "cancel"; readonly task: string }
  | { readonly kind: "list"; readonly list: string; readonly item: string | undefined }
  | { readonly kind: "status"; readonly about: string }
  | { readonly kind: "why"; readonly about: string }
  | { readonly kind: "watering"; readonly about: string }
  | { readonly kind: "remember" | "recall"; readonly text: string }
  | { readonly kind: "unknown"; readonly text: string }
  | { readonly kind: Plain };

/** Wishes without words of their own. */
type Plain =
  | "stop"
  | "lists"
  | "tasks"
  | "water"
  | "light_off"
  | "light_on"
  | "hello"
  | "thanks"
  | "help"
  | "nothing";

export interface Reminder {
  readonly title: string;
  /** Undefined: without a time. */
  readonly time: string | undefined;
}

export interface TalkCall {
  readonly name: string;
  readonly arguments: Arguments;
}

/** Work on a wish: it yields calls, gets their answers, and returns what to say. */
export type Steps<T = string> = Generator<TalkCall, T, Exchange>;

export interface TalkContext {
  /** Of the person. */
  readonly time: HouseTime;
}
