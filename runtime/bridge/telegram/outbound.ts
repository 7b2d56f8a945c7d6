import type { InlineKeyboardMarkup, MessageEntity } from "grammy/types";
import {
  type LetterToSend,
  letterToSend,
  type Revision,
  revision,
  type SentLetter,
} from "../../wire/channels.js";
import { type BridgeContext, JobFailure, type JobHandler, readArguments } from "../adapter.js";
import { SentLetters } from "../channel-reports.js";
import {
  type Bot,
  type BotTrouble,
  botError,
  isUnchanged,
  LARGEST_PHOTO,
  LONGEST_CAPTION,
  LONGEST_TEXT,
  linesOf,
  QUIETLY,
  waitOf,
} from "./bot-api.js";

interface OutboundParts {
  readonly bot: Promise<Bot>;
  readonly context: Pick<BridgeContext, "clock" | "say">;
}

/** Sends the runtime's letters, and changes them when they are over. */
export class Outbound {
  private readonly sent = new SentLetters<SentLetter>();

  constructor(private readonly parts: OutboundParts) {}

  readonly handlers: Readonly<Record<string, JobHandler>> = {
    deliver: async (args, signal) => {
      const letter = readArguments(letterToSend, args);
      return { ...(await this.sent.once(letter, () => this.send(letter, signal))) };
    },
    revise: (args, signal) => this.revise(readArguments(revision, args), signal),
  };

  private async send(letter: LetterToSend, signal: AbortSignal): Promise<SentLetter> {
    if (letter.photo !== undefined) return this.sendPhoto(letter, letter.photo, signal);
    const { api } = await this.bot();
    const { text, entities } = headed(letter);
    const parts = linesOf(text);
    let ref = "";
    for (const [at, part] of parts.entries()) {
      const options = {
        ...QUIETLY,
        ...(at === 0 && { entities }),
        ...(at === parts.length - 1 && { reply_markup: keyboard(letter) }),
      };
      const message = await this.patiently(() => api.sendMessage(letter.to, part, options), signal);
      ref = String(message.message_id);
    }
    void this.showPictures(letter, Number(ref), signal);
    return { ref };
  }

  /** Below the text, without ringing again. Never rejects: the text counts, and does not wait for them. */
  private async showPictures(letter: LetterToSend, ref: number, signal: AbortSignal) {
    const { context } = this.parts;
    const { to, pictures = [], charts = [] } = letter;
    const shown = [
      ...charts.map(({ caption, png }) => ({ caption, content: png, name: "chart.png" })),
      ...pictures.map(({ caption, jpeg }) => ({ caption, content: jpeg, name: "photo.jpg" })),
    ];
    try {
      const { api, file } = await this.bot();
      for (const { caption, content, name } of shown) {
        const photo = () => file(Buffer.from(content, "base64"), name) as string;
        const options = { caption: caption.slice(0, LONGEST_CAPTION), ...below(ref) };
        await this.patiently(() => api.sendPhoto(to, photo(), options), signal);
      }
    } catch (error) {
      context.say(`telegram: a letter is without its picture: ${error}`);
    }
  }

  private async sendPhoto(
    { to, text }: LetterToSend,
    photo: string,
    signal: AbortSignal,
  ): Promise<SentLetter> {
    const bot = await this.bot();
    const bytes = Buffer.from(photo, "base64");
    if (bytes.byteLength > LARGEST_PHOTO)
      throw new JobFailure(
        "TOO_LARGE",
        `the photo has ${bytes.byteLength} bytes; Telegram takes ${LARGEST_PHOTO}`,
      );
    const caption = text.slice(0, LONGEST_CAPTION);
    const file = () => bot.file(bytes, "photo.jpg") as string;
    const message = await this.patiently(() => bot.api.sendPhoto(to, file(), { caption }), signal);
    for (const rest of text.length > LONGEST_CAPTION ? linesOf(text.slice(LONGEST_CAPTION)) : [])
      await this.patiently(() => bot.api.sendMessage(to, rest, QUIETLY), signal);
    return { ref: String(message.message_id) };
  }

  /** Without buttons from then on. */
  private async revise({ to, ref, text, ring }: Revision, signal: AbortSignal): Promise<{ revised: true }> {
    const { api } = await this.bot();
    const id = Number(ref);
    const shown = text.slice(-LONGEST_TEXT);
    const edit = async () => {
      try {
        await api.editMessageText(to, id, shown, QUIETLY);
      } catch (error) {
        if (!isUnchanged(error)) throw error;
      }
    };
    await this.patiently(edit, signal);
    const reply = { ...QUIETLY, reply_parameters: { message_id: id, allow_sending_without_reply: true } };
    if (ring) await this.patiently(() => api.sendMessage(to, shown, reply), signal);
    return { revised: true };
  }

  private bot(): Promise<Bot> {
    return this.parts.bot.catch((error: unknown) => {
      throw failure(botError(error));
    });
  }

  /** Waits as long as Telegram says, if that is within the time of the job. */
  private async patiently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;)
      try {
        return await call();
      } catch (cause) {
        const error = botError(cause);
        if (error.code !== "RATE_LIMITED") throw failure(error);
        await this.parts.context.clock.sleep(waitOf(error), signal).catch(() => {
          throw failure(error);
        });
      }
  }
}

const below = (message_id: number) => ({
  disable_notification: true,
  reply_parameters: { message_id, allow_sending_without_reply: true },
});

const failure = ({ code, message }: BotTrouble): JobFailure => new JobFailure(code, message);

/** The title in bold. Never markup: the text may be a model's. */
function headed({ title, text }: LetterToSend): { text: string; entities: MessageEntity[] } {
  if (title === "") return { text, entities: [] };
  return { text: `${title}\n${text}`, entities: [{ type: "bold", offset: 0, length: title.length }] };
}

const keyboard = ({ buttons }: LetterToSend): InlineKeyboardMarkup => ({
  inline_keyboard:
    buttons.length === 0 ? [] : [buttons.map(({ label, data }) => ({ text: label, callback_data: data }))],
});
