import { createHash } from "node:crypto";
import { within } from "../../drivers/clock/waiting.js";
import { hours, type Millis, millis, minutes } from "../../drivers/units.js";
import { type LetterToSend, letterToSend } from "../wire/channels.js";
import { JobFailure, type JobHandler, readArguments } from "./adapter.js";
import { ChannelReports, REPORT_EVERY, type ReportContext } from "./channel-reports.js";

/** Choices: a provider is not asked in vain all day; what was broken is noticed again soon. */
const CHECK_EVERY: Millis = hours(1);
const CHECK_AGAIN: Millis = minutes(5);
/** A check that hangs must not keep the reports. A choice: as long as a letter may take. */
const CHECK_WITHIN: Millis = minutes(0.5);
/** Letters that are known to be sent. A choice: more than the runtime has open at once. */
const REMEMBERED = 500;

/**
 * Names a letter outside of the house: the same when it is sent again after a crash, so that a server or a program can show
 * the two as one. 32 hexadecimal digits.
 */
export const outsideIdOf = ({ letter, to }: LetterToSend): string =>
  createHash("sha256")
    .update(JSON.stringify([letter, to]))
    .digest("hex")
    .slice(0, 32);

/** A server's status in words. `keys`: of the bridge's file, to look at where the server does not let us in. */
export function pushFailure(name: string, keys: string, error: JobFailure): JobFailure {
  const [, status] = /^HTTP_(\d+)$/.exec(error.code) ?? [];
  if (status === undefined) return error;
  if (status === "401" || status === "403")
    return new JobFailure(
      "LOGIN_REFUSED",
      `the ${name} server refused (${status}): look at ${keys} in bridge.yaml`,
    );
  if (status === "429" || Number(status) >= 500)
    return new JobFailure("TRY_LATER", `the ${name} server says to try again later (${status})`);
  return new JobFailure("REFUSED", `the ${name} server refused the message (${status})`);
}

/** What a channel does that only sends. Both throw JobFailure. */
interface Push {
  /** Where the channel is, and whether it lets us in. Sends nothing. */
  check(signal: AbortSignal): Promise<void>;
  send(letter: LetterToSend, signal: AbortSignal): Promise<void>;
}

/** A channel on which nobody answers: it takes letters, and is as the last letter or check says. */
export class PushChannel {
  private trouble: JobFailure | undefined;
  private readonly sent = new Set<string>();
  private readonly reports: ChannelReports;
  private isKnown = false;

  constructor(
    name: string,
    private readonly context: ReportContext,
    private readonly push: Push,
  ) {
    this.reports = new ChannelReports(name, context);
  }

  /** Never rejects; ends with the bridge. */
  async run(): Promise<void> {
    const { clock, signal } = this.context;
    let nextCheck = clock.monotonic();
    while (!signal.aborted) {
      if (clock.monotonic() >= nextCheck) {
        const check = () => within({ clock, longest: CHECK_WITHIN, signal }, (ends) => this.push.check(ends));
        await this.tried(check).catch(() => undefined);
        nextCheck = millis(clock.monotonic() + (this.trouble ? CHECK_AGAIN : CHECK_EVERY));
      } else this.report();
      await clock.sleep(REPORT_EVERY, signal).catch(() => undefined);
    }
  }

  /** The same letter twice is sent once, as long as this bridge runs. */
  readonly deliver: JobHandler = async (args, signal) => {
    const letter = readArguments(letterToSend, args);
    if (!this.sent.has(letter.letter)) await this.tried(() => this.push.send(letter, signal));
    this.remember(letter.letter);
    return { ref: null };
  };

  private remember(letter: string): void {
    this.sent.add(letter);
    const [oldest] = this.sent;
    if (this.sent.size > REMEMBERED && oldest !== undefined) this.sent.delete(oldest);
  }

  private async tried(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.note(undefined);
    } catch (error) {
      if (error instanceof JobFailure) this.note(error);
      throw error;
    }
  }

  private note(trouble: JobFailure | undefined): void {
    this.trouble = trouble;
    this.isKnown = true;
    this.report();
  }

  private report(): void {
    if (!this.isKnown) return;
    if (this.trouble) this.reports.down(this.trouble);
    else this.reports.ok();
  }
}
