import { extname } from "node:path";
import type { Message, User } from "grammy/types";
import { within } from "../../../drivers/clock/waiting.js";
import { Mutex } from "../../../drivers/mutex.js";
import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, millis, minutes } from "../../../drivers/units.js";
import { MAX_FILES } from "../../wire/channels.js";
import { LARGEST_UPLOAD, TAKEN } from "../../wire/media.js";
import { exponentialBackoff } from "../../wire/program.js";
import { LinkDown, Refused } from "../link.js";
import { at } from "./accounts.js";
import {
  type BotTrouble,
  botError,
  type ChannelParts,
  isForwarded,
  isPassing,
  say,
  textOf,
} from "./bot-api.js";

/** How often each of the two ways is tried. A choice: for three to six seconds; a runtime that is started again needs less. */
const TRIES = 6;
/** For all tries of one way. A choice: 10 MB over a slow line. */
const PATIENCE: Millis = minutes(1);

interface SentFile {
  readonly id: string;
  readonly name: string;
  /** Bytes, if Telegram says it. */
  readonly size: number | undefined;
}

/** The photo at its largest, or the document. */
export function fileOf({ photo = [], document, ...message }: Message): SentFile | undefined {
  const largest = photo.reduce<(typeof photo)[number] | undefined>(
    (most, each) => (most && most.width * most.height >= each.width * each.height ? most : each),
    undefined,
  );
  if (largest) return { id: largest.file_id, name: "photo.jpg", size: largest.file_size };
  if (!document) return undefined;
  const { file_id: id, file_name: given = "file", file_size: size } = document;
  // the agent sees the name: not one that a stranger chose
  const name = isForwarded(message as Message) ? `forwarded${extname(given)}` : given;
  return { id, name, size };
}

/** Brings to the runtime the files that paired people send. It keeps them whole or not at all, and the person is told which. */
export class IncomingFiles {
  /** One at a time: a whole file is in memory. */
  private readonly mutex = new Mutex();
  /** Paths of kept files that the agent was not told of, by account. */
  private readonly unnamed = new Map<number, readonly string[]>();

  constructor(private readonly parts: ChannelParts) {}

  /** Says in the chat what became of it. Rejects with Refused if the account is nobody's any more, or when the bridge stops. */
  async keep(from: User, message: Message): Promise<void> {
    const file = fileOf(message);
    if (!file) return;
    try {
      const path = await this.mutex.run(() => this.bring(from, file));
      const paths = [...(this.unnamed.get(from.id) ?? []), path];
      this.unnamed.set(from.id, paths.slice(-MAX_FILES));
      const more = takesFiles(message) ? "" : " Tell me what it is for.";
      await say(this.parts, from.id, `Kept as media/${path}.${more}`);
    } catch (error) {
      const { context } = this.parts;
      if (context.signal.aborted || (error instanceof Refused && error.code === "UNKNOWN_ACCOUNT"))
        throw error;
      context.say(`telegram: a file is not kept: ${messageOf(error)}`);
      await say(this.parts, from.id, `This file is not kept: ${wordsOf(error)}`);
    }
  }

  /** The files that belong to these words: what came with them, and what came before without any. */
  cameWith({ id }: User, message: Message): readonly string[] {
    return takesFiles(message) ? (this.unnamed.get(id) ?? []) : [];
  }

  /** The agent knows of them. */
  named({ id }: User, paths: readonly string[]): void {
    const left = (this.unnamed.get(id) ?? []).filter((path) => !paths.includes(path));
    if (left.length > 0) this.unnamed.set(id, left);
    else this.unnamed.delete(id);
  }

  private async bring(from: User, { id, name, size = 0 }: SentFile): Promise<string> {
    const { bot, context } = this.parts;
    if (size > LARGEST_UPLOAD) throw new Refused("REQUEST_TOO_LARGE", `the file has ${size} bytes`);
    const bytes = await this.tried(
      (ends) =>
        bot.fetch(id, LARGEST_UPLOAD, ends).catch((error: unknown) => {
          throw botError(error);
        }),
      (error) => ["UNREACHABLE", "RATE_LIMITED"].includes((error as BotTrouble).code),
    );
    return this.tried((ends) => context.upload({ ...at(from), name }, bytes, ends), isPassing);
  }

  /** Tries again what may pass, some times. */
  private tried<T>(work: (ends: AbortSignal) => Promise<T>, passes: (error: unknown) => boolean): Promise<T> {
    const { context, random } = this.parts;
    const { clock, signal } = context;
    const waits = exponentialBackoff(random);
    return within({ clock, longest: PATIENCE, signal }, async (ends) => {
      for (let left = TRIES - 1; ; left -= 1)
        try {
          return await work(ends);
        } catch (error) {
          if (left === 0 || ends.aborted || !passes(error)) throw error;
          await clock.sleep(millis(waits.next().value), signal);
        }
    });
  }
}

/** Words for the agent. A command has no place for files. */
const takesFiles = (message: Message): boolean => !/^\s*(\/|$)/.test(textOf(message) ?? "");

const TOO_LARGE = `it has more than ${LARGEST_UPLOAD / 1e6} MB.`;
const WORDS: Readonly<Record<string, string>> = {
  REQUEST_TOO_LARGE: TOO_LARGE,
  TOO_LARGE,
  MEDIA_REFUSED: `I take ${TAKEN}.`,
  MEDIA_FULL: "the place for uploads is full. Erase memories with files, or raise media.megabytes.",
  NO_ROOM: "the disk is full.",
  STORE_FAILED: "it could not be written to the disk.",
  NO_ROUTE: "this Tendril takes no files here: its memory is off.",
};

function wordsOf(error: unknown): string {
  if (error instanceof LinkDown) return "Tendril does not answer. Send it again later.";
  const { code = "" } = error as { readonly code?: string };
  return WORDS[code] ?? (error instanceof Refused ? `${error.message}.` : LATER);
}

const LATER = "Telegram did not hand it over. Send it again later.";
