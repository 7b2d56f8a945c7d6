import { errorBody, TendrilError } from "../../errors.js";
import { textOf, wordsOfRefusal } from "../../tools/call-result.js";
import type { Identity } from "../../wire/identity.js";
import { parseJson } from "../../wire/refusal.js";
import type { House } from "../module.js";
import type { Account } from "./letters.js";

/** A call of a tool in a person's name. */
export interface PersonalCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The same call twice is carried out once. */
  readonly key?: string;
}

interface CallResult {
  readonly value: Readonly<Record<string, unknown>>;
  /** JPEG, base64. */
  readonly image: string | undefined;
}

/** A tool refused the call; `message` is for people. */
class CallRefused extends Error {
  override readonly name = "CallRefused";
}

/** What a person is told of an error: of a defect only that it is one. */
export const wordsOf = (error: unknown): string =>
  error instanceof CallRefused ? error.message : errorBody(error).message;

/** Whether the error is no refusal, so that the log must have it. */
export const isDefect = (error: unknown): boolean =>
  !(error instanceof CallRefused || error instanceof TendrilError);

/** Calls tools in the name of the person whose account it is: with the rights of that person, and every check of a tool. */
export class Caller {
  constructor(private readonly house: Pick<House, "callTool">) {}

  /** "anna@telegram": no token can have such a name. The household knows the person by it. */
  nameOf({ person, channel }: Account): string {
    return `${person}@${channel}`;
  }

  identityOf(account: Account): Identity {
    return { name: this.nameOf(account), role: "human" };
  }

  /** Rejects with what a person is told. */
  async call(account: Account, { name, arguments: args, key }: PersonalCall): Promise<CallResult> {
    const result = await this.house.callTool({
      ...{ name, arguments: args },
      identity: this.identityOf(account),
      signal: () => new AbortController().signal,
      progress: () => undefined,
      ...(key !== undefined && { idempotencyKey: key }),
    });
    if (result.isError) throw new CallRefused(wordsOfRefusal(result));
    const image = result.content.flatMap((part) => (part.type === "image" ? [part.data] : []))[0];
    return { value: (parseJson(textOf(result)) ?? {}) as CallResult["value"], image };
  }
}
