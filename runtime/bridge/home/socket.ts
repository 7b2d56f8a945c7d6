import { WebSocket } from "ws";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import { VERSION } from "../../wire/program.js";
import { notReached } from "../http/fetch.js";

/** Where Home Assistant's WebSocket API is, and whose token opens it. */
export interface SocketOptions {
  /** ws://HOST:PORT/api/websocket */
  readonly url: string;
  readonly token: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Home Assistant does not answer, or what answers is not Home Assistant. `message` has no address. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Home Assistant does not know the token. To ask again would ring in the owner's home. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

/** Home Assistant's answer to one command: no. */
export class HomeRefusal extends Error {
  override readonly name = "HomeRefusal";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The connection ended, or the time was over, before the answer. The command was sent. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

/** A frame from Home Assistant [developers.home-assistant.io, WebSocket API]. */
interface Message {
  readonly id?: number;
  readonly type?: string;
  readonly success?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
  readonly event?: unknown;
  readonly ha_version?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A choice: Home Assistant on a busy Pi answers within a second or two; a service may take longer, see call.ts. */
const PATIENCE: Millis = seconds(20);
/** A choice: a connection that was cut without a word is noticed within this time twice. */
const HEARTBEAT: Millis = seconds(20);
/** Bytes. A choice: the states of 2,000 entities are 1 MB, a day of a sensor that changes each second is 4 MB. */
const LARGEST_FRAME = 16_000_000;

/** One connection to Home Assistant, from the log-in to its end. It does not reconnect. */
export class HomeSocket {
  /** Resolves when the connection has ended. Never rejects. */
  readonly closed: Promise<void>;
  version = "";
  private lastId = 0;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Map<number, (event: unknown) => void>();
  private isAlive = true;
  private onLogin: Waiting | undefined;

  /** Resolves when Home Assistant has taken the token. Rejects with Unreachable or TokenRefused. */
  static async open(options: SocketOptions): Promise<HomeSocket> {
    const socket = new HomeSocket(options);
    await socket.loggedIn();
    socket.beat();
    return socket;
  }

  private readonly ws: WebSocket;

  private constructor(private readonly options: SocketOptions) {
    this.ws = new WebSocket(options.url, {
      perMessageDeflate: false,
      maxPayload: LARGEST_FRAME,
      handshakeTimeout: PATIENCE,
      headers: { "user-agent": `Tendril/${VERSION}` },
    });
    this.closed = new Promise((resolve) => this.ws.once("close", () => resolve()));
    this.ws.on("message", (data) => this.understand(String(data)));
    this.ws.on("pong", () => {
      this.isAlive = true;
    });
    this.ws.on("error", (error) => this.onLogin?.reject(unreachable(error)));
    void this.closed.then(() => this.ended());
    const stop = () => this.close();
    options.signal.addEventListener("abort", stop, { once: true });
    void this.closed.then(() => options.signal.removeEventListener("abort", stop));
  }

  get isOpen(): boolean {
    return this.ws.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a command and returns its result. Throws Unreachable if it cannot be sent. Rejects with HomeRefusal, or with
   * CutOff when the connection, the time or the signal ends before the answer.
   */
  async ask(
    type: string,
    fields: Fields = {},
    { within = PATIENCE, signal }: { within?: Millis; signal?: AbortSignal } = {},
  ): Promise<unknown> {
    if (!this.isOpen) throw new Unreachable("the connection to Home Assistant has ended");
    const id = this.send(type, fields);
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    const give = (why: string) => this.waiting.get(id)?.reject(new CutOff(why));
    const disarm = this.options.clock.after(within, () => give("Home Assistant took too long"));
    const stop = () => give("the time was over");
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await answer;
    } finally {
      disarm();
      signal?.removeEventListener("abort", stop);
      this.waiting.delete(id);
    }
  }

  /** Calls `onEvent` for each event of a subscription, until the connection ends. Rejects as `ask` does. */
  async subscribe(type: string, fields: Fields, onEvent: (event: unknown) => void): Promise<void> {
    // the first event can come in one frame with the answer
    this.listeners.set(this.lastId + 1, onEvent);
    await this.ask(type, fields);
  }

  close(): void {
    this.ws.terminate();
  }

  /** Ids must rise [WebSocket API, "id_reuse"]. */
  private send(type: string, fields: Fields): number {
    this.lastId += 1;
    this.ws.send(JSON.stringify({ ...fields, id: this.lastId, type }));
    return this.lastId;
  }

  private async loggedIn(): Promise<void> {
    const late = () => this.onLogin?.reject(new Unreachable("Home Assistant does not answer the log-in"));
    const disarm = this.options.clock.after(PATIENCE, late);
    try {
      await new Promise<unknown>((resolve, reject) => {
        this.onLogin = { resolve, reject };
        if (this.options.signal.aborted) reject(new Unreachable("the bridge stops"));
      });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      disarm();
      this.onLogin = undefined;
    }
  }

  /** What cannot be understood ends the connection, and not the bridge. */
  private understand(text: string): void {
    try {
      this.take(text);
    } catch {
      this.fail("what answers is not Home Assistant");
    }
  }

  /** A frame is a message, or several in an array. */
  private take(text: string): void {
    const frame: unknown = JSON.parse(text);
    for (const message of Array.isArray(frame) ? frame : [frame]) this.receive(message as Message);
  }

  private receive(message: Message): void {
    const { id, type, event } = message;
    if (this.onLogin) this.logIn(message);
    else if (id !== undefined && type === "event") this.listeners.get(id)?.(event);
    else if (id !== undefined && type === "result") this.answer(id, message);
  }

  private logIn({ type, ha_version }: Message): void {
    const token = this.options.token;
    if (type === "auth_required") this.ws.send(JSON.stringify({ type: "auth", access_token: token }));
    else if (type === "auth_ok") {
      this.version = String(ha_version ?? "unknown").slice(0, 32);
      this.onLogin?.resolve(undefined);
      this.onLogin = undefined; // the next message can be in the same frame
    } else if (type === "auth_invalid") this.onLogin?.reject(new TokenRefused());
    else throw new Error(`a message ${type} before the log-in`);
  }

  private answer(id: number, { success, result, error }: Message): void {
    const waiting = this.waiting.get(id);
    if (success) waiting?.resolve(result);
    else waiting?.reject(new HomeRefusal(String(error?.code ?? "unknown"), String(error?.message ?? "")));
  }

  private fail(why: string): void {
    this.onLogin?.reject(new Unreachable(why));
    this.close();
  }

  private beat(): void {
    const { clock } = this.options;
    const next = () => {
      if (!this.isAlive) return this.close();
      this.isAlive = false;
      this.ws.ping();
      cancel = clock.after(HEARTBEAT, next);
    };
    let cancel = clock.after(HEARTBEAT, next);
    void this.closed.then(() => cancel());
  }

  private ended(): void {
    this.onLogin?.reject(new Unreachable("Home Assistant closed the connection"));
    for (const { reject } of this.waiting.values()) reject(new CutOff("the connection ended"));
  }
}

function unreachable(error: Error): Unreachable {
  if (/Unexpected server response/.test(error.message))
    return new Unreachable("what answers there is not Home Assistant: check the url in bridge.yaml");
  return new Unreachable(notReached("code" in error ? String(error.code) : "", "Home Assistant").message);
}
