import type { HouseTime } from "../../../../runtime/wire/house-time.js";
import type { Arguments } from "../../../cycle/arguments.js";
import type { Exchange } from "../facts.js";

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
