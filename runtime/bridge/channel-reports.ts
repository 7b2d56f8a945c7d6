import { type Millis, minutes, seconds } from "../../drivers/units.js";
import { LONGEST_FAILURE } from "../wire/bridge.js";
import type { AccountTrouble, LetterToSend } from "../wire/channels.js";
import type { BridgeContext, JobResult } from "./adapter.js";
import { LinkDown } from "./link.js";

/** The runtime expects a report so often (runtime/services/channels/channels.ts). */
export const REPORT_EVERY: Millis = minutes(1);

/** The runtime is away. A choice. */
const AGAIN_AFTER = seconds(1);

interface Trouble {
  readonly code: string;
  /** For people, without an address or a secret. */
  readonly message: string;
  /** Of which accounts it is: others with the same code are news. */
  readonly of?: string;
  /** If it is the trouble of single accounts. */
  readonly accounts?: readonly AccountTrouble[];
}

export type ReportContext = Pick<
  BridgeContext,
  "call" | "clock" | "isAsked" | "onConnected" | "say" | "signal" | "tellProblem"
>;

type Wanting = Pick<ReportContext, "isAsked" | "tellProblem">;

/** Rejects while the runtime is away. That it has no such channel is a mistake in one of the files. */
async function bringReport(
  channel: string,
  report: JobResult,
  context: Wanting & Pick<ReportContext, "call">,
): Promise<void> {
  if (isUnwanted(channel, context)) return;
  await context.call("note_channel", { channel, ...report });
  context.tellProblem(channel, undefined);
}

/** Whether the runtime has said that it has no such channel, so that it need not be asked; if so, a person is told. */
export function isUnwanted(channel: string, { isAsked, tellProblem }: Wanting): boolean {
  const unwanted = isAsked(channel, "deliver") === false;
  if (unwanted)
    tellProblem(channel, `it has \`${channel}:\`, and \`channels:\` of tendril.yaml has no ${channel}`);
  return unwanted;
}

/**
 * Tells the runtime how a channel is: at once if that is new, else every minute. The channel's own loop calls it, at least
 * every minute: a channel that hangs says nothing, and counts as down.
 */
export class ChannelReports {
  private wanted = "";
  private told = "";
  private toldAt: Millis | undefined;
  private isTelling = false;
  private report: JobResult = {};

  constructor(
    private readonly channel: string,
    private readonly context: ReportContext,
  ) {
    // a runtime that was restarted knows nothing of the channel
    context.onConnected(() => {
      this.told = "";
      this.begin();
    });
  }

  ok(): void {
    this.tell("ok", undefined);
  }

  down(trouble: Trouble): void {
    this.tell("down", trouble);
  }

  /** At once if it is new, else every minute. */
  private tell(state: "ok" | "down", trouble: Trouble | undefined): void {
    const { clock, say } = this.context;
    const before = this.wanted;
    const { code, message, of = "", accounts } = trouble ?? {};
    this.wanted = `${state} ${code ?? ""} ${of}`;
    this.report = { state, ...(trouble && { code, message }), ...(accounts && { accounts }) };
    if (this.wanted !== before) say(`${this.channel}: ${message ?? "connected"}`);
    if (this.toldAt === undefined || clock.monotonic() - this.toldAt >= REPORT_EVERY) this.told = "";
    this.begin();
  }

  /** Not by the end of a promise: what is new in that moment would wait a minute. */
  private begin(): void {
    if (this.isTelling) return;
    this.isTelling = true;
    void this.send();
  }

  /** Until the runtime has the newest. Never rejects. Where the runtime has no such channel, nobody waits for it. */
  private async send(): Promise<void> {
    const { clock, isAsked, signal } = this.context;
    while (this.told !== this.wanted && !signal.aborted) {
      const [news, at] = [this.wanted, clock.monotonic()];
      try {
        if (isAsked(this.channel, "deliver") === undefined) throw new LinkDown("not connected yet");
        await bringReport(this.channel, this.report, this.context);
        this.told = news;
        this.toldAt = at;
      } catch {
        await clock.sleep(AGAIN_AFTER, signal).catch(() => undefined);
      }
    }
    this.isTelling = false;
  }
}

/** Reports the same trouble until the bridge ends. Never rejects. */
export async function stayDown(
  reports: ChannelReports,
  trouble: Trouble,
  { clock, signal }: Pick<ReportContext, "clock" | "signal">,
): Promise<void> {
  while (!signal.aborted) {
    reports.down(trouble);
    await clock.sleep(REPORT_EVERY, signal).catch(() => undefined);
  }
}

/** Tells a runtime with such a channel that bridge.yaml says nothing of it. Where there is none, nobody lacks it. */
export const reportMissing = (channel: string, context: ReportContext): void =>
  reportUseless(channel, `bridge.yaml has no \`${channel}:\` (docs/${channel}.md)`, context);

/** Tells a runtime with such a channel why bridge.yaml is of no use to it. */
export function reportUseless(channel: string, problem: string, context: ReportContext): void {
  // nothing that works is left over in bridge.yaml, and the log has the problem
  const quiet = { say: () => undefined, tellProblem: () => undefined };
  const reports = new ChannelReports(channel, { ...context, ...quiet });
  const message = problem.slice(0, LONGEST_FAILURE);
  let isTold = false;
  context.onConnected(() => {
    if (isTold || !context.isAsked(channel, "deliver")) return;
    isTold = true;
    void stayDown(reports, { code: "NOT_CONFIGURED", message }, context);
  });
}

/** Letters whose sending is remembered: the runtime repeats one whose answer was lost. A choice: more than it has open at once. */
const REMEMBERED = 500;

/** The same letter twice rings once, as long as this bridge runs. */
export class SentLetters<Sent> {
  private readonly sent = new Map<string, Promise<Sent>>();

  once({ letter }: Pick<LetterToSend, "letter">, send: () => Promise<Sent>): Promise<Sent> {
    const before = this.sent.get(letter);
    if (before) return before;
    const sending = send();
    this.sent.set(letter, sending);
    sending.catch(() => this.sent.delete(letter));
    const [oldest] = this.sent.keys();
    if (this.sent.size > REMEMBERED && oldest !== undefined) this.sent.delete(oldest);
    return sending;
  }
}
