import { AGENDA_URI, META } from "../../wire/names.js";
import type { RefusalBody } from "../../wire/refusal.js";
import { after, type Cancel } from "./browser-clock.js";

/** MCP over one WebSocket, as little of it as the page needs: calls of tools, and news of the agenda. */

/** A refusal of a tool, or a failure of the way to it. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** For a family of tools that the configuration leaves out, where the page says nothing of it: undefined. Throws all else. */
export function unlessOff(error: unknown): undefined {
  if (!isOff(error)) throw error;
}

export const isOff = (error: unknown): boolean => error instanceof Refusal && error.code === "UNKNOWN_TOOL";

/** What a call has beside its arguments. */
export interface CallOptions {
  /** The code of a refusal that the person overrides. */
  readonly confirm?: string | undefined;
  /** A call that is repeated with its key is carried out once. */
  readonly key?: string;
  /** Milliseconds that its answer may take. */
  readonly patience?: number;
}

/** What the link tells its owner. */
interface LinkEvents {
  /** Calls may leave. */
  ready(): void;
  /** The runtime has answered. `version`: of the runtime. */
  opened(version: string): void;
  /** It is gone; it tries again by itself. */
  lost(): void;
  /** Something in the agenda has changed. */
  changed(): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Refusal): void;
  readonly cancel: Cancel;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } };
}

const PROTOCOL = "2025-11-25";
/** Milliseconds. A choice: a busy Pi answers within a second or two. */
const PATIENCE = 15_000;
/** A browser does not say that a socket is dead: a ping each so many milliseconds, and the time for its answer. */
const PING_EVERY = 10_000;
const PING_PATIENCE = 5000;
/** Milliseconds before each new try; the last one repeats. */
const TRIES = [500, 1000, 2000];

export class Link {
  private socket: WebSocket | undefined;
  private isReady = false;
  private isOver = false;
  private tries = 0;
  private nextId = 1;
  private readonly waiting = new Map<number, Waiting>();
  private cancelNext: Cancel = () => undefined;

  constructor(
    private readonly url: string,
    private readonly events: LinkEvents,
  ) {}

  get ready(): boolean {
    return this.isReady;
  }

  begin(): void {
    if (this.isOver) return;
    this.cancelNext();
    const socket = new WebSocket(this.url, ["mcp"]);
    this.socket = socket;
    socket.onopen = () => void this.greet().catch(() => this.drop());
    socket.onmessage = ({ data }) => this.receive(JSON.parse(String(data)) as Message);
    socket.onclose = () => this.drop();
    this.cancelNext = after(PATIENCE, () => this.drop()); // an address that swallows everything
  }

  /** Does not try again. */
  end(): void {
    this.isOver = true;
    this.drop();
  }

  /** Looks at once whether it is alive, or tries again at once: the device woke up, or has a network again. */
  look(): void {
    if (this.isReady) void this.ping();
    else if (!this.isOver && this.socket === undefined) this.begin();
  }

  /** Rejects with a Refusal. */
  async call<T>(tool: string, args: object = {}, { confirm, key, patience }: CallOptions = {}): Promise<T> {
    if (!this.isReady) throw new Refusal("NO_LINK", "there is no connection to the runtime");
    const meta = {
      ...(confirm !== undefined && { [META.confirm]: confirm }),
      ...(key !== undefined && { [META.idempotencyKey]: key }),
    };
    return answerIn(
      await this.ask("tools/call", { name: tool, arguments: args, _meta: meta }, patience),
    ) as T;
  }

  /**
   * All at once, and the first calls behind it: the runtime takes messages in their order, and each answer that is waited for is
   * one more way there and back before a plant is seen.
   */
  private async greet(): Promise<void> {
    const clientInfo = { name: "tendril-page", version: "1" };
    const hello = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
    const greeted = this.ask("initialize", hello);
    this.send({ method: "notifications/initialized" });
    const subscribed = this.ask("resources/subscribe", { uri: AGENDA_URI });
    this.isReady = true;
    this.events.ready();
    const [answer] = await Promise.all([greeted, subscribed]);
    const { serverInfo } = answer as { serverInfo: { version: string } };
    this.tries = 0;
    this.pingLater();
    this.events.opened(serverInfo.version);
  }

  private pingLater(): void {
    this.cancelNext();
    this.cancelNext = after(PING_EVERY, () => void this.ping());
  }

  private async ping(): Promise<void> {
    const socket = this.socket;
    try {
      await this.ask("ping", {}, PING_PATIENCE);
      if (socket === this.socket) this.pingLater();
    } catch {
      if (socket === this.socket) this.drop();
    }
  }

  private ask(method: string, params: object, patience = PATIENCE): Promise<unknown> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const cancel = after(patience, () => {
        this.waiting.delete(id);
        reject(new Refusal("NO_ANSWER", "the runtime did not answer in time"));
      });
      this.waiting.set(id, { resolve, reject, cancel });
      this.send({ id, method, params });
    });
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  private receive({ id, method, result, error }: Message): void {
    if (method === "notifications/resources/updated") this.events.changed();
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    if (id === undefined || !waiting) return;
    this.waiting.delete(id);
    waiting.cancel();
    if (error) waiting.reject(new Refusal(error.data?.code ?? "INTERNAL", error.message));
    else waiting.resolve(result);
  }

  /** A dead socket's closing handshake takes minutes, so nobody waits for it. */
  private drop(): void {
    const { socket } = this;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    this.socket = undefined;
    this.isReady = false;
    this.cancelNext();
    for (const [id, { reject, cancel }] of this.waiting) {
      this.waiting.delete(id);
      cancel();
      reject(new Refusal("NO_LINK", "the connection to the runtime was lost"));
    }
    if (this.isOver) return;
    this.cancelNext = after(TRIES[Math.min(this.tries++, TRIES.length - 1)] ?? 0, () => this.begin());
    this.events.lost();
  }
}

/** A tool's result as data. Throws the refusal. */
export function answerIn(result: unknown): unknown {
  const { isError, structuredContent, content } = result as {
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly content: readonly { readonly text?: string }[];
  };
  if (!isError && structuredContent !== undefined) return structuredContent;
  const said: unknown = JSON.parse(content[0]?.text ?? "{}");
  if (!isError) return said;
  const { code, message, details } = (said as { error: RefusalBody }).error;
  throw new Refusal(code, message, details);
}
