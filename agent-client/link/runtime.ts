import { type Client, ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { messageOf } from "../../drivers/system-error.js";
import type { Agenda } from "../../runtime/wire/agenda.js";
import { META } from "../../runtime/wire/names.js";
import { type Millis, seconds } from "../clock.js";
import { type AgendaNews, addedAsDue, type Cancel, readAgenda, watchAgenda } from "./agenda.js";
import { Link, type LinkOptions } from "./link.js";
import type { ToolInfo } from "./tools.js";
import { readResult, refused, type ToolResult, toolInfo } from "./tools.js";

export interface Progress {
  readonly done: number;
  readonly total: number | undefined;
}

export interface CallOptions {
  /** Allows to repeat the call after the link broke, without acting twice. */
  readonly idempotencyKey?: string;
  /** The turn that the call belongs to, from begin_turn. */
  readonly turn?: string;
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting cancels the call: the runtime then stops the pump. */
  readonly signal?: AbortSignal;
}

/** The runtime as an agent sees it. Every method rejects with a LinkError when the runtime stays away. */
export interface Runtime {
  instructions(): Promise<string>;
  /** The tools of these toolsets; all if none are named. */
  tools(toolsets?: readonly string[]): Promise<readonly ToolInfo[]>;
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolResult>;
  /** What needs care now; undefined if the runtime has no agenda. */
  agenda(): Promise<Agenda | undefined>;
  /**
   * Reports everything that needs care, each once: what is new since `agenda` was first read (everything, if it was not),
   * and what comes later, also while the link was broken. Not reported: a task that was due when this client added it. One
   * watch at a time; it ends with `Cancel` or `close`.
   */
  watchAgenda(onNews: (news: AgendaNews) => void): Cancel;
  close(): Promise<void>;
}

/** Connects. Rejects with a LinkError that says what to do, or with the signal's reason. */
export async function connect(options: LinkOptions): Promise<Runtime> {
  const link = new Link(options);
  await link.ready();
  return new LinkedRuntime(link, options);
}

/** The longest call, a dose of 26 s after the interlock's rest, ends well within this time. */
const CALL_TIMEOUT: Millis = seconds(120);
/** If the link breaks this often during a call, the call is the likely cause: a frame too large, or a defect. */
const MAX_ATTEMPTS = 3;

class LinkedRuntime implements Runtime {
  private readonly readOnly = new Set<string>();
  private unwatch: Cancel = () => undefined;
  private firstRead: Agenda | undefined;
  private readonly ownTasks = new Set<number>();

  constructor(
    private readonly link: Link,
    private readonly options: LinkOptions,
  ) {}

  async instructions(): Promise<string> {
    return (await this.link.ready()).getInstructions() ?? "";
  }

  async tools(toolsets?: readonly string[]): Promise<readonly ToolInfo[]> {
    const { tools } = await this.withRetry((client) => listTools(client, toolsets));
    const listed = tools.map(toolInfo);
    for (const { name, readOnly } of listed) if (readOnly) this.readOnly.add(name);
    return listed;
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<ToolResult> {
    const attempts = options.idempotencyKey !== undefined || this.readOnly.has(name) ? MAX_ATTEMPTS : 1;
    const meta = metaOf(options, this.options.instance);
    try {
      const call = (client: Client) => callTool(client, name, args, meta, options);
      const result = readResult(await this.withRetry(call, attempts));
      const own = addedAsDue(name, result);
      if (own !== undefined) this.ownTasks.add(own);
      return result;
    } catch (error) {
      options.signal?.throwIfAborted();
      return failedCall(name, error);
    }
  }

  async agenda(): Promise<Agenda | undefined> {
    const agenda = await this.withRetry(readAgenda);
    this.firstRead ??= agenda;
    return agenda;
  }

  watchAgenda(onNews: (news: AgendaNews) => void): Cancel {
    const { clock, random } = this.options;
    this.unwatch();
    const [seen, own] = [this.firstRead, this.ownTasks];
    this.unwatch = watchAgenda({ link: this.link, clock, random, onNews, seen, own });
    return this.unwatch;
  }

  close(): Promise<void> {
    this.unwatch();
    return this.link.close();
  }

  /** Runs `ask`, and repeats it on a new connection if the old one broke. */
  private async withRetry<T>(ask: (client: Client) => Promise<T>, attempts = MAX_ATTEMPTS): Promise<T> {
    for (let left = attempts - 1; ; left -= 1) {
      const client = await this.link.ready();
      try {
        return await ask(client);
      } catch (error) {
        if (left === 0 || !linkBroke(error)) throw error;
        await this.link.discard(client);
      }
    }
  }
}

const listTools = (client: Client, toolsets: readonly string[] | undefined) =>
  client.listTools(toolsets && { _meta: { [META.toolsets]: [...toolsets] } });

function callTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, string>>,
  { onProgress, signal }: CallOptions,
) {
  return client.callTool(
    { name, arguments: { ...args }, _meta: { ...meta } },
    {
      timeout: CALL_TIMEOUT,
      ...(signal && { signal }),
      ...(onProgress && {
        onprogress: ({ progress, total }) => onProgress({ done: progress, total }),
      }),
    },
  );
}

const metaOf = (
  { idempotencyKey: key, turn }: CallOptions,
  instance: string | undefined,
): Record<string, string> => ({
  ...(key !== undefined && { [META.idempotencyKey]: key }),
  ...(turn !== undefined && { [META.turn]: turn }),
  ...(instance !== undefined && { [META.agent]: instance }),
});

const BROKEN: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
]);

const linkBroke = (error: unknown): boolean => error instanceof SdkError && BROKEN.has(error.code);

/** The refusal for a call without a result. Rethrows a LinkError, since it concerns all further calls too. */
function failedCall(name: string, error: unknown): ToolResult {
  const happened = messageOf(error);
  if (linkBroke(error))
    return refused("LINK_BROKEN", `${name}: the link broke; whether it was carried out is in the history`);
  if (error instanceof ProtocolError) return refused("PROTOCOL", `${name}: ${happened}`);
  if (!(error instanceof SdkError)) throw error;
  if (error.code === SdkErrorCode.RequestTimeout) {
    return refused(
      "TIMEOUT",
      `${name}: no answer within ${CALL_TIMEOUT / 1000} s; whether it was carried out is in the history`,
    );
  }
  return refused("PROTOCOL", `${name}: ${happened}`);
}
