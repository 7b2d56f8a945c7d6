import { unlessAborted } from "../../drivers/mutex.js";
import type { Clock } from "../../drivers/ports.js";
import { type Millis, millis, plus, seconds } from "../../drivers/units.js";
import { harmless } from "../log.js";
import type { ChatMessages, SentChatMessage } from "../wire/chats.js";
import type { HouseTime } from "../wire/house-time.js";
import { wantsOff } from "../wire/stop-words.js";
import { waitingLine } from "./approvals.js";
import { CommandError, INTERRUPTED } from "./failure.js";
import { wordsFor } from "./messages.js";
import { personId } from "./person.js";
import { asCalledHere, folded } from "./print.js";
import { overviewOf, Refused, type Remote } from "./remote.js";

/** A chat with the agent, for one command: sends messages, and waits for the answers. */

export interface ChatOptions {
  /** The person who writes; by default the one whose token it is, or the household. */
  readonly as?: string;
  /** Seconds. */
  readonly wait: number;
  readonly json?: boolean;
}

export interface Surroundings {
  readonly remote: Pick<Remote, "call">;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  /** What the agent does, in words; "" once it is done. */
  readonly show: (doing: string) => void;
  /** Something to know that is no answer. */
  readonly note: (text: string) => void;
}

export type ChatLine = ChatMessages["messages"][number];

/** Columns of a chat. A choice: every terminal has this many, and longer lines read badly. */
const COLUMNS = 80;
const EARLIER = 10;
/** Seconds of one look. A choice: a look that nobody waits for any more ends soon. */
const LOOK_S = 5;
/** A runtime that answers at once, since too many wait, is not asked faster than this. */
const LEAST_PAUSE: Millis = seconds(1);
/** A choice: an agent that is there begins within a second or two. */
const BEGINS_WITHIN: Millis = seconds(8);

export class Chat {
  private writer: Promise<string | undefined> | undefined;

  constructor(
    private readonly around: Surroundings,
    private readonly options: ChatOptions,
  ) {}

  /** The newest messages, and when the chat has none yet. */
  earlier(): Promise<ChatMessages> {
    return this.look({ limit: EARLIER });
  }

  /**
   * Sends the words and waits for the answers. Words that say stop switch everything off first. `signal` ends the agent's
   * turn. Throws a CommandError if nobody answers in time, if the agent could not, or if the turn was ended.
   */
  async ask(text: string, signal: AbortSignal): Promise<readonly ChatLine[]> {
    const { remote, note, show } = this.around;
    if (wantsOff(text)) {
      await remote.call("stop_all");
      note("All pumps and lights are off. To keep them off: tendril off");
    }
    const sent = await remote.call<SentChatMessage>("send_chat_message", { text, ...(await this.who()) });
    try {
      return await this.answersTo(sent, signal);
    } finally {
      show("");
    }
  }

  /** Asked once, and after a stop: a name that is wrong must not keep anything on. */
  private async who(): Promise<{ user_id?: string }> {
    this.writer ??= personId(this.around.remote, this.options.as);
    const user_id = await this.writer;
    return user_id === undefined ? {} : { user_id };
  }

  private async look(page: Readonly<Record<string, unknown>>): Promise<ChatMessages> {
    const who = await this.who();
    return this.around.remote.call<ChatMessages>("list_chat_messages", { ...who, ...page });
  }

  private async answersTo(
    { message_id, chat_id }: SentChatMessage,
    signal: AbortSignal,
  ): Promise<readonly ChatLine[]> {
    const { clock } = this.around;
    const began = clock.monotonic();
    const until = plus(began, seconds(this.options.wait));
    const waiting = new Waiting(this.around);
    for (let version: string | undefined; ; ) {
      const page = { chat_id, after: message_id, limit: 100 };
      const asked = this.look({ ...page, ...(version !== undefined && { version, wait_s: LOOK_S }) });
      const seen = await unlessAborted(asked, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!seen) throw await this.stopped(chat_id);
      const answers = seen.messages.filter(({ from }) => from === "agent");
      if (seen.unanswered === 0) return answersOf(answers, seen);
      const isAsked = await waiting.show(seen, millis(clock.monotonic() - began));
      if (clock.monotonic() > until) throw nobody(this.options.wait, seen, isAsked);
      if (seen.version === version) await clock.sleep(LEAST_PAUSE, signal).catch(() => undefined);
      version = seen.version;
    }
  }

  /** The person wants no answer any more. */
  private async stopped(chat_id: string): Promise<CommandError> {
    const { remote } = this.around;
    try {
      await remote.call("end_turn", { chat_id });
      return new CommandError("stopped: the agent ends its turn", INTERRUPTED);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "NOT_FOUND") throw error;
      return new CommandError("no agent had begun on it: your message stays in the chat", INTERRUPTED);
    }
  }
}

function answersOf(answers: readonly ChatLine[], { turn }: ChatMessages): readonly ChatLine[] {
  if (answers.length > 0) return answers;
  if (turn?.outcome === "stopped") throw new CommandError("the turn was ended: there is no answer");
  throw new CommandError("the agent could not answer: look at its log, and write again");
}

/** `isAsked`: the agent waits for a yes, in whatever it does. */
function nobody(wait: number, { turn }: ChatMessages, isAsked: boolean): CommandError {
  if (isAsked) return new CommandError(`no answer within ${wait} s: the agent waits for your yes`);
  return new CommandError(
    turn?.outcome === null
      ? `no answer within ${wait} s: the agent still works on it; tendril chat shows the answer later`
      : `nobody answered within ${wait} s: is an agent running? Start one with tendril agent; your message waits for it`,
  );
}

class Waiting {
  private readonly told = new Set<number | "none">();

  constructor(private readonly around: Surroundings) {}

  /** Whether an agent waits for a yes. One that does in its care has not begun on the message. */
  async show({ turn }: ChatMessages, waited: Millis): Promise<boolean> {
    if (turn?.outcome === null) this.around.show(doingInWords(turn));
    if (waited < BEGINS_WITHIN) return false;
    const overview = await overviewOf(this.around.remote);
    const { approvals, timestamp } = overview;
    for (const each of approvals) {
      const line = waitingLine(each, wordsFor(overview), timestamp);
      this.tellOnce(each.id, `The agent waits for your yes: ${line}`);
    }
    if (turn?.outcome !== null && approvals.length === 0)
      this.tellOnce("none", "No agent has begun on it yet. Is one running? tendril agent");
    return approvals.length > 0;
  }

  private tellOnce(what: number | "none", text: string): void {
    if (this.told.has(what)) return;
    this.told.add(what);
    this.around.note(text);
  }
}

/** A choice: the last things fit into a line. */
const SHOWN = 3;

function doingInWords({ calls }: NonNullable<ChatMessages["turn"]>): string {
  const doing = calls.map(({ title, outcome }) => {
    if (outcome === "running") return `${title}…`;
    return outcome === "done" ? title : `${title} (${outcome})`;
  });
  const last = doing.filter((each, at) => each !== doing[at - 1]).slice(-SHOWN);
  const before = calls.length > last.length ? ` (${calls.length} calls)` : "";
  return harmless(`the agent works${before}: ${last.join(", ") || "it thinks"}`);
}

export const shownLine = ({ timestamp, from, text }: ChatLine, time: HouseTime): string =>
  `${time.minute(timestamp)}  ${from === "agent" ? "agent" : "you"}\n${shownText(text)}`;

/** Harmless, in lines of COLUMNS. Commands are named as they are called here. */
export const shownText = (text: string): string => folded(harmless(asCalledHere(text)), COLUMNS);

export const answersAsJson = (answers: readonly ChatLine[]): string =>
  harmless(
    JSON.stringify({
      answers: answers.map(({ message_id, timestamp, text }) => ({ message_id, timestamp, text })),
    }),
  );
