import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

/** Limits of the Bot API, from core.telegram.org/bots/api. */
const LONGEST = { text: 4096, caption: 1024, data: 64, notice: 200, updates: 100 } as const;
const LARGEST_PHOTO = 10_000_000;
/** Bytes that getFile hands over. */
const LARGEST_FILE = 20_000_000;

interface Button {
  readonly text: string;
  readonly callback_data: string;
}

/** A message of the bot as it stands in the chat now. */
export interface Shown {
  readonly chat: number;
  readonly message_id: number;
  text: string;
  buttons: readonly Button[];
  readonly photo: Buffer | undefined;
  readonly reply_to: number | undefined;
  edits: number;
}

/** Waits until `is` gives something, for 25 seconds of real time at most. */
export async function soon<T>(is: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let at = 0; at < 1250; at += 1) {
    const found = await is();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain: ${is}`);
}

type Json = Readonly<Record<string, unknown>>;

/** An answer of Telegram that says no. */
class No extends Error {
  constructor(
    readonly status: number,
    readonly description: string,
    readonly parameters: Json = {},
  ) {
    super(description);
  }
}

/** What a method shall answer instead, for so many calls. */
interface Trouble {
  readonly method: string;
  readonly answer: No | "hang up";
  left: number;
}

/** A Bot API of our own over real HTTP, written from its documentation, with its limits. */
export class FakeTelegram {
  readonly token = "123456789:AAH-this-is-a-secret-of-the-bot-0001";
  readonly shown: Shown[] = [];
  readonly notices: { readonly id: string; readonly text: string }[] = [];
  readonly calls: string[] = [];
  /** Updates are given again and again, as after a crash of Telegram's own confirmation. */
  redelivers = false;
  readonly blocked = new Set<number>();
  /** What people have sent, by the file's id. */
  readonly files = new Map<string, Buffer>();
  /** Questions for updates that have waited for one. */
  longPolls = 0;
  private readonly asking = new Set<ServerResponse>();
  private readonly forgotten = new WeakSet<ServerResponse>();
  /** Methods that are not answered until these resolve. */
  private readonly held = new Map<string, Promise<void>>();
  private readonly troubles: Trouble[] = [];
  private updates: Json[] = [];
  private nextId = 100;
  private waiting: ((value: unknown) => void) | undefined;
  private cutOff: ((error: No) => void) | undefined;

  private constructor(private readonly server: Server) {}

  static async start(t: Test): Promise<FakeTelegram> {
    const server = createServer((request, response) => void fake.serve(request, response));
    const fake = new FakeTelegram(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return fake;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A line of bridge.yaml. */
  get yaml(): string {
    return `telegram: { token: "${this.token}", api_root: "${this.root}" }\n`;
  }

  /** The next `times` calls of the method go wrong. */
  troubled(method: string, status: number | "hang up", parameters: Json = {}, times = 1): void {
    const answer = status === "hang up" ? status : new No(status, "trouble of the test", parameters);
    this.troubles.push({ method, answer, left: times });
  }

  /** Calls of the method hang until what this returns is called. */
  holdBack(method: string): () => void {
    let answer = (): void => undefined;
    this.held.set(
      method,
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    return () => {
      this.held.delete(method);
      answer();
    };
  }

  /** As a router that has forgotten a connection: what was asked over those there are is never answered. */
  forgetConnections(): void {
    for (const response of this.asking) this.forgotten.add(response);
  }

  /** Somebody writes to the bot. */
  write(from: number, text: string, changes: Json = {}, ago_s = 0): void {
    const user = { id: from, is_bot: false, first_name: `User ${from}` };
    const message = {
      ...{ message_id: this.id(), date: Math.floor(Date.now() / 1000) - ago_s, from: user },
      ...{ chat: { id: from, type: "private", first_name: user.first_name }, text, ...changes },
    };
    this.add({ message });
  }

  /** Somebody sends a photo: Telegram has it in several sizes. */
  sendsPhoto(from: number, bytes: Buffer, changes: Json = {}): void {
    const size = (name: string, side: number, content: Buffer) => ({
      ...{ file_id: this.hold(name, content), file_unique_id: name, width: side, height: side },
      file_size: content.length,
    });
    const photo = [size("small", 90, bytes.subarray(0, 3)), size("large", 1280, bytes)];
    this.write(from, "", { text: undefined, photo, ...changes });
  }

  /** Somebody sends a document; `file` is what Telegram says of it. */
  sendsDocument(from: number, bytes: Buffer, file: Json, changes: Json = {}): void {
    const document = { file_id: this.hold("document", bytes), file_unique_id: "d", ...file };
    this.write(from, "", { text: undefined, document, ...changes });
  }

  private hold(name: string, bytes: Buffer): string {
    const id = `${name}-${this.id()}`;
    this.files.set(id, bytes);
    return id;
  }

  /** Somebody presses a button: the n-th of that message. Returns the id of the press. */
  press(from: number, { message_id, chat, buttons }: Shown, at: number, changes: Json = {}): string {
    const id = String(this.id());
    const message = { message_id, date: 1, chat: { id: chat, type: "private" } };
    const user = { id: from, is_bot: false, first_name: `User ${from}` };
    const data = buttons[at]?.callback_data;
    this.add({ callback_query: { id, from: user, message, chat_instance: "1", data, ...changes } });
    return id;
  }

  /** The message of the bot that matches, as soon as there is one. */
  says(chat: number, pattern: RegExp): Promise<Shown> {
    return soon(() => this.shown.find((each) => each.chat === chat && pattern.test(each.text)));
  }

  /** What was shown over the chat after this press. */
  async notice(press: string): Promise<string> {
    return (await soon(() => this.notices.find(({ id }) => id === press))).text;
  }

  private id(): number {
    this.nextId += 1;
    return this.nextId;
  }

  private add(update: Json): void {
    this.updates.push({ update_id: this.id(), ...update });
    this.waiting?.(undefined);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith("/file/")) return this.serveFile(request.url, response);
    const [, token = "", method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    this.calls.push(method);
    if (method === "getUpdates") this.asking.add(response);
    const send = (status: number, body: Json) => {
      this.asking.delete(response);
      if (this.forgotten.has(response)) return;
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    try {
      const fields = await fieldsOf(request);
      this.fail(method);
      await this.held.get(method);
      if (token !== this.token) throw new No(401, "Unauthorized");
      send(200, { ok: true, result: await this.answer(method, fields) });
    } catch (error) {
      if (!(error instanceof No)) return void response.destroy();
      const { status, description, parameters } = error;
      send(status, { ok: false, error_code: status, description, parameters });
    }
  }

  private serveFile(path: string, response: ServerResponse): void {
    this.calls.push("file");
    const [, token, id = ""] = /^\/file\/bot([^/]+)\/files\/(.+)$/.exec(path) ?? [];
    const bytes = token === this.token ? this.files.get(id) : undefined;
    response.writeHead(bytes ? 200 : 404).end(bytes);
  }

  private getFile({ file_id }: Fields): Json {
    const bytes = this.files.get(String(file_id));
    if (!bytes) throw new No(400, "Bad Request: invalid file_id");
    if (bytes.length > LARGEST_FILE) throw new No(400, "Bad Request: file is too big");
    return { file_id, file_unique_id: "f", file_path: `files/${file_id}` };
  }

  /** Throws what the test has arranged for the method. */
  private fail(method: string): void {
    const trouble = this.troubles.find((each) => each.method === method && each.left > 0);
    if (!trouble) return;
    trouble.left -= 1;
    throw trouble.answer === "hang up" ? new Error("hang up") : trouble.answer;
  }

  private answer(method: string, fields: Fields): unknown {
    if (method === "getUpdates") return this.getUpdates(fields);
    if (method === "getFile") return this.getFile(fields);
    if (method === "sendMessage") return this.sendMessage(fields);
    if (method === "sendPhoto") return this.sendPhoto(fields);
    if (method === "editMessageText") return this.edit(fields, { text: String(fields.text) });
    if (method === "editMessageReplyMarkup") return this.edit(fields, {});
    if (method === "answerCallbackQuery") return this.notify(fields);
    throw new No(404, "Not Found");
  }

  /** Only one program may ask: the one that asked before is cut off. */
  private async getUpdates({ offset = 0, timeout = 0 }: Fields): Promise<readonly Json[]> {
    this.cutOff?.(new No(409, "Conflict: terminated by other getUpdates request"));
    if (!this.redelivers)
      this.updates = this.updates.filter((each) => Number(each.update_id) >= Number(offset));
    if (this.updates.length === 0 && Number(timeout) > 0)
      await new Promise((resolve, reject) => {
        this.longPolls += 1;
        const timer = setTimeout(resolve, Number(timeout) * 1000);
        timer.unref();
        this.waiting = resolve;
        this.cutOff = reject;
      });
    this.cutOff = undefined;
    return this.updates.slice(0, LONGEST.updates);
  }

  private sendMessage(fields: Fields): Json {
    return this.show(fields, String(fields.text ?? ""), undefined);
  }

  private sendPhoto(fields: Fields): Json {
    const { photo } = fields;
    if (!(photo instanceof Buffer)) throw new No(400, "Bad Request: there is no photo in the request");
    if (photo.byteLength > LARGEST_PHOTO) throw new No(413, "Request Entity Too Large");
    const caption = String(fields.caption ?? "");
    if (caption.length > LONGEST.caption) throw new No(400, "Bad Request: message caption is too long");
    return this.show(fields, caption, photo);
  }

  private show(fields: Fields, text: string, photo: Buffer | undefined): Json {
    const chat = Number(fields.chat_id);
    if (this.blocked.has(chat)) throw new No(403, "Forbidden: bot was blocked by the user");
    if (text === "" && !photo) throw new No(400, "Bad Request: message text is empty");
    if (text.length > LONGEST.text) throw new No(400, "Bad Request: message is too long");
    const reply_to = Number(parsed(fields.reply_parameters).message_id) || undefined;
    const buttons = buttonsOf(fields);
    const message_id = this.id();
    this.shown.push({ ...{ chat, message_id, text, buttons, photo, reply_to }, edits: 0 });
    return { message_id, date: 1, chat: { id: chat, type: "private" }, text };
  }

  private edit(fields: Fields, { text }: { text?: string }): Json {
    const { chat_id, message_id } = fields;
    const found = this.shown.find(
      (each) => each.chat === Number(chat_id) && each.message_id === Number(message_id),
    );
    if (!found) throw new No(400, "Bad Request: message to edit not found");
    const buttons = buttonsOf(fields);
    if ((text === undefined || text === found.text) && buttons.length === found.buttons.length)
      throw new No(400, "Bad Request: message is not modified: specified new message content is the same");
    if (text !== undefined && text.length > LONGEST.text)
      throw new No(400, "Bad Request: message is too long");
    if (text !== undefined) found.text = text;
    found.buttons = buttons;
    found.edits += 1;
    return { message_id: found.message_id };
  }

  private notify({ callback_query_id, text = "" }: Fields): true {
    if (String(text).length > LONGEST.notice) throw new No(400, "Bad Request: MESSAGE_TOO_LONG");
    this.notices.push({ id: String(callback_query_id), text: String(text) });
    return true;
  }
}

type Fields = Record<string, unknown>;

const parsed = (value: unknown): Json =>
  (typeof value === "string" ? JSON.parse(value) : (value ?? {})) as Json;

function buttonsOf({ reply_markup }: Fields): readonly Button[] {
  const { inline_keyboard = [] } = parsed(reply_markup) as {
    inline_keyboard?: readonly (readonly Button[])[];
  };
  const buttons = inline_keyboard.flat();
  for (const { callback_data = "" } of buttons) {
    const bytes = Buffer.byteLength(callback_data);
    if (bytes < 1 || bytes > LONGEST.data) throw new No(400, "Bad Request: BUTTON_DATA_INVALID");
  }
  return buttons;
}

/** JSON, or a form with a file. */
async function fieldsOf(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/")) return body.length === 0 ? {} : (JSON.parse(body.toString()) as Fields);
  const fields = partsOf(body, /boundary=(.+)$/.exec(type)?.[1] ?? "");
  // grammY names the file in the field, and attaches it under another name
  const attached = String(fields.photo ?? "").replace(/^attach:\/\//, "");
  if (attached in fields) fields.photo = fields[attached];
  return fields;
}

/** The parts of a form: texts, and files as bytes. Node's own reader refuses a file name without quotes. */
function partsOf(body: Buffer, boundary: string): Fields {
  const fields: Fields = {};
  const all = body.toString("latin1").split(`--${boundary}`);
  for (const part of all.slice(1, -1)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const bytes = Buffer.from(rest.join("\r\n\r\n").replace(/\r\n$/, ""), "latin1");
    const name = /name="([^"]+)"/.exec(head)?.[1] ?? "";
    fields[name] = head.includes("filename=") ? bytes : bytes.toString();
  }
  return fields;
}
