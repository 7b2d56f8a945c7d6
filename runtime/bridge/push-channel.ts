import { createHash } from "node:crypto";
import { z } from "zod";
import { within } from "../../drivers/clock/waiting.js";
import { messageOf } from "../../drivers/system-error.js";
import { hours, type Millis, millis, minutes } from "../../drivers/units.js";
import { LONGEST_FAILURE } from "../wire/bridge.js";
import { type AccountTrouble, type LetterToSend, letterToSend, pairedAccounts } from "../wire/channels.js";
import { parseJson } from "../wire/refusal.js";
import {
  type Adapter,
  defineAdapter,
  JobFailure,
  type JobHandler,
  notConfigured,
  readArguments,
} from "./adapter.js";
import {
  ChannelReports,
  REPORT_EVERY,
  type ReportContext,
  reportMissing,
  SentLetters,
} from "./channel-reports.js";
import { type OutsideAddress, urlBelow } from "./http/address.js";
import { fetchText, type KeyHeaders } from "./http/fetch.js";

/** Choices: a provider is not asked in vain all day; what was broken is noticed again soon. */
const CHECK_EVERY: Millis = hours(1);
const CHECK_AGAIN: Millis = minutes(5);
/** A check that hangs must not keep the reports. A choice: as long as a letter may take. */
const CHECK_WITHIN: Millis = minutes(0.5);
/**
 * Names a letter outside of the house: the same when it is sent again after a crash, so that a server or a program can show
 * the two as one. 32 hexadecimal digits.
 */
export const outsideIdOf = ({ letter, to }: LetterToSend): string =>
  createHash("sha256")
    .update(JSON.stringify([letter, to]))
    .digest("hex")
    .slice(0, 32);

/** Whole characters, and a mark where something is cut off. `sizeOf` counts as the server does: bytes, for example. */
export function cutTo(
  most: number,
  text: string,
  sizeOf: (text: string) => number,
  mark = "… (the rest is on the page)",
): string {
  if (sizeOf(text) <= most) return text;
  let left = most - sizeOf(mark);
  let kept = "";
  for (const sign of text) {
    left -= sizeOf(sign);
    if (left < 0) break;
    kept += sign;
  }
  return `${kept}${mark}`;
}

/** What a channel does that only sends. All that it calls throws JobFailure. */
interface Push {
  /** Whether its server is there and lets us in; of an account of its own, where the server can say that. Sends nothing. */
  readonly checks: readonly { readonly account?: string; run(signal: AbortSignal): Promise<void> }[];
  send(letter: LetterToSend, signal: AbortSignal): Promise<void>;
  /** What bridge.yaml lacks of an account of tendril.yaml, where both have something of it. */
  lacks?(account: string): JobFailure | undefined;
  /** Codes of failures that say nothing of other accounts, and last until a person mends them. */
  readonly ofAccount: readonly string[];
  /** What a report calls an account, which may be an address. */
  nameOf(account: string): string;
}

/** Stands for the channel as a whole beside its accounts. */
const ALL = "";
/** The server refuses a request: a letter alone may be too long; a check of an account is refused for what the account is. */
const REFUSED = "REFUSED";

/** A channel on which nobody answers: it takes letters, and is as its last letters and checks say. */
export class PushChannel {
  /** By account. */
  private readonly troubles = new Map<string, JobFailure>();
  private readonly sent = new SentLetters<void>();
  private readonly reports: ChannelReports;
  private isKnown = false;

  /** It looks at its server from now on, and reports, until the bridge ends. */
  constructor(
    private readonly name: string,
    private readonly context: ReportContext,
    private readonly push: Push,
  ) {
    this.reports = new ChannelReports(name, context);
    if (push.lacks) context.onConnected(() => void this.compare());
    void this.watch();
  }

  readonly deliver: JobHandler = async (args, signal) => {
    const letter = readArguments(letterToSend, args);
    await this.sent.once(letter, () => this.tried(letter.to, () => this.push.send(letter, signal)));
    return { ref: null };
  };

  /** Tells what the files do not both have, before a letter fails. Never rejects. */
  private async compare(): Promise<void> {
    const { call, isAsked, say } = this.context;
    if (!isAsked(this.name, "deliver")) return;
    try {
      const { accounts } = pairedAccounts.parse(await call("list_accounts", { channel: this.name }));
      for (const account of this.troubles.keys())
        if (account !== ALL && !accounts.includes(account)) this.troubles.delete(account);
      for (const account of accounts) {
        const lacking = this.push.lacks?.(account);
        if (lacking) this.note(account, lacking);
      }
    } catch (error) {
      say(`${this.name}: the accounts of tendril.yaml are not known: ${messageOf(error)}`);
    }
  }

  /** Never rejects. */
  private async watch(): Promise<void> {
    const { clock, signal } = this.context;
    let nextCheck = clock.monotonic();
    while (!signal.aborted) {
      if (clock.monotonic() >= nextCheck) {
        const wait = (await this.isWell()) ? CHECK_EVERY : CHECK_AGAIN;
        nextCheck = millis(clock.monotonic() + wait);
      } else this.report();
      await clock.sleep(REPORT_EVERY, signal).catch(() => undefined);
    }
  }

  private async isWell(): Promise<boolean> {
    const { clock, signal } = this.context;
    let isWell = true;
    const { checks, ofAccount } = this.push;
    for (const { account = ALL, run } of checks) {
      const check = () => within({ clock, longest: CHECK_WITHIN, signal }, run);
      await this.tried(account, check, [...ofAccount, REFUSED]).catch(() => {
        isWell = false;
      });
    }
    return isWell;
  }

  /** `ofAccount`: codes of failures of this account alone. */
  private async tried(
    account: string,
    work: () => Promise<void>,
    ofAccount: readonly string[] = this.push.ofAccount,
  ): Promise<void> {
    try {
      await work();
      this.note(account, undefined);
    } catch (error) {
      if (error instanceof JobFailure) this.note(ofAccount.includes(error.code) ? account : ALL, error);
      throw error;
    }
  }

  /** What goes well for one account shows that the server is there, and nothing of another account. */
  private note(account: string, trouble: JobFailure | undefined): void {
    if (trouble) this.troubles.set(account, trouble);
    else for (const each of [account, ALL]) this.troubles.delete(each);
    this.isKnown = true;
    this.report();
  }

  private report(): void {
    if (!this.isKnown) return;
    const all = [...this.troubles].map(([account, trouble]) => this.told(account, trouble));
    const [first] = all;
    if (!first) this.reports.ok();
    else
      this.reports.down({
        ...{ code: first.code, of: [...this.troubles.keys()].join() },
        message: short(all.map(({ message }) => message).join("; ")),
        ...(!this.troubles.has(ALL) && { accounts: all }),
      });
  }

  private told(account: string, { code, message }: JobFailure): AccountTrouble {
    const words = account === ALL ? message : `${this.push.nameOf(account)}: ${message}`;
    return { account, code, message: short(words) };
  }
}

const short = (words: string): string => cutTo(LONGEST_FAILURE, words, ({ length }) => length, "…");

/** What the server is asked. */
interface PushRequest {
  /** Below its address: "v1/health". */
  readonly path: string;
  /** Posted as JSON; without it the path is only read. */
  readonly body?: object;
  /** Headers with a key: the same for all accounts, or the account's own. */
  readonly key?: KeyHeaders | undefined;
  /**
   * What its answer has to be: JSON, another text ("ok"), or `undefined` where it has none. Something else may have the address,
   * and would lose each letter.
   */
  readonly answer: z.ZodType;
}

/** What stands in bridge.yaml for an account and cannot be its address. It is not kept: it may be a mistyped secret. */
class WrongAddress {
  constructor(readonly why: string) {}
}

/** The address of each account. A wrong one keeps letters from its account alone. */
export const accountAddresses = (address: z.ZodType<string>) =>
  z.record(
    z.string(),
    z.unknown().transform((written): string | WrongAddress => {
      const read = address.safeParse(written);
      return read.success ? read.data : new WrongAddress(read.error.issues[0]?.message ?? "");
    }),
  );

const isAddress = (each: string | WrongAddress | undefined): each is string => typeof each === "string";

/** A channel on which nobody answers, and whose server is asked by HTTP. `Server` is what stands in bridge.yaml. */
interface PushService<Accounts extends string, Server> {
  /** Of the channel in tendril.yaml, of its key in bridge.yaml, and of its page, docs/NAME.md. */
  readonly name: string;
  /** For messages, as people write it: "Pushover". */
  readonly called: string;
  readonly config: z.ZodType<Server>;
  /** The key in `config` with the `accountAddresses`: "topics". They are secrets. */
  readonly accounts: Accounts;
  /** What else is never seen in a log, an error or an answer; left out if nothing. */
  secrets?(server: Server): readonly string[];
  /** With which statuses the server refuses a key or an account, and where in bridge.yaml its owner looks then. */
  readonly wrongKey: { readonly statuses: readonly number[]; readonly lookAt: string };
  /** What is asked now and then, and sends nothing: of the server, or of each of `accounts`, which have an address. */
  checks(
    server: Server,
    accounts: readonly { readonly account: string; readonly address: string }[],
  ): readonly (PushRequest & { readonly account?: string })[];
  /** `address`: the account's own. */
  send(letter: LetterToSend, address: string, server: Server): PushRequest;
}

/** What every such channel has under its key. */
type ServerWith<Accounts extends string> = { readonly server: OutsideAddress } & {
  readonly [key in Accounts]: Readonly<Record<string, string | WrongAddress>>;
};

export const definePushChannel = <Accounts extends string, Server extends ServerWith<Accounts>>(
  service: PushService<Accounts, Server>,
): Adapter =>
  defineAdapter({
    name: service.name,
    key: service.name,
    config: service.config.optional(),
    secrets: (server) =>
      server
        ? [...Object.values(server[service.accounts]).filter(isAddress), ...(service.secrets?.(server) ?? [])]
        : [],
    open: (server, context) => {
      if (server) {
        const { deliver } = new PushChannel(service.name, context, new PushByHttp(service, server));
        return { deliver };
      }
      reportMissing(service.name, context);
      return { deliver: notConfigured(`\`${service.name}:\``) };
    },
  });

/** Bytes of an answer. A choice: servers repeat the message, and say a few words more. */
const MAX_ANSWER = 100_000;

class PushByHttp<Accounts extends string, Server extends ServerWith<Accounts>> implements Push {
  readonly ofAccount = ["NOT_CONFIGURED", "LOGIN_REFUSED"];
  readonly nameOf = (account: string): string => account;

  constructor(
    private readonly service: PushService<Accounts, Server>,
    private readonly server: Server,
  ) {}

  private get called(): string {
    return `the ${this.service.called} server`;
  }

  get checks(): Push["checks"] {
    const refused = "to be checked: look at its address in bridge.yaml";
    const accounts = Object.entries(this.addresses).flatMap(([account, address]) =>
      isAddress(address) ? [{ account, address }] : [],
    );
    return this.service.checks(this.server, accounts).map(({ account, ...request }) => ({
      ...(account !== undefined && { account }),
      run: (signal) => this.ask(request, refused, signal),
    }));
  }

  lacks(account: string): JobFailure | undefined {
    const found = this.found(account);
    if (isAddress(found)) return undefined;
    const { name, accounts } = this.service;
    const [what, why] = found ? ["something wrong", `: ${found.why}`] : ["nothing", ""];
    const words = `the bridge's file has ${what} for this account under ${name}: ${accounts}${why}`;
    return new JobFailure("NOT_CONFIGURED", words);
  }

  private get addresses(): Readonly<Record<string, string | WrongAddress>> {
    return this.server[this.service.accounts];
  }

  private found(account: string): string | WrongAddress | undefined {
    return Object.hasOwn(this.addresses, account) ? this.addresses[account] : undefined;
  }

  async send(letter: LetterToSend, signal: AbortSignal): Promise<void> {
    const address = this.found(letter.to);
    if (!isAddress(address)) throw this.lacks(letter.to);
    await this.ask(this.service.send(letter, address, this.server), "the message", signal);
  }

  /** `refused`: what the server refuses, if it does. */
  private async ask(
    { path, body, key, answer }: PushRequest,
    refused: string,
    signal: AbortSignal,
  ): Promise<void> {
    const address = { ...this.server.server, url: urlBelow(this.server.server.url, path) };
    const request = {
      ...{ server: this.called, address, accept: "application/json", most: MAX_ANSWER },
      ...{ key, stays: true }, // a letter would not follow, so a check does not either
      ...(body && { body: JSON.stringify(body) }),
    };
    const { text } = await fetchText(request, signal).catch((error: unknown) => {
      throw error instanceof JobFailure ? this.inWords(error, refused) : error;
    });
    if (answer.safeParse(parseJson(text) ?? (text || undefined)).success) return;
    throw new JobFailure("NOT_UNDERSTOOD", `what answers at the address of ${this.called} is something else`);
  }

  private inWords(error: JobFailure, refused: string): JobFailure {
    const { wrongKey } = this.service;
    const status = Number(/^HTTP_(\d+)$/.exec(error.code)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) return error;
    const told = (code: string, words: string) => new JobFailure(code, `${this.called} ${words}`);
    if (wrongKey.statuses.includes(status))
      return told("LOGIN_REFUSED", `refused (${status}): look at ${wrongKey.lookAt} in bridge.yaml`);
    if (status === 429 || status >= 500) return told("TRY_LATER", `says to try again later (${status})`);
    return told(REFUSED, `refused ${refused} (${status})`);
  }
}
