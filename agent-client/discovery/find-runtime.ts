import type { Found } from "../../runtime/wire/mdns-record.js";
import type { Place } from "../../runtime/wire/multicast.js";
import { ProofQuestion, pinOf } from "../../runtime/wire/proof.js";
import { secureSocket } from "../../runtime/wire/secure-socket.js";
import { abortAfter, type Clock, type Millis, seconds } from "../clock.js";
import { failure, LinkError } from "../errors.js";
import type { Where } from "../link/link.js";
import { type Paired, pair, pinned } from "../link/trust.js";
import { isCalled, LOOKING, type Looked, listOf, lookAndAsk, notFound, urlsOf } from "./look.js";

/** Once one runtime has proved that it knows the token, others get this time to prove it too. A choice. */
const SECOND_LOOK: Millis = seconds(0.5);

interface FinderOptions {
  /** Name, host or address of the runtime; undefined: any that knows the token. */
  readonly wanted: string | undefined;
  readonly token: string;
  /** The only key to trust, if given. Runtimes without TLS are then not used. */
  readonly pin: string | undefined;
  readonly place: Place;
  readonly clock: Clock;
  /** Called with what the finder does, in words. */
  readonly say: (label: string, text: string) => void;
}

/** A runtime that has proved at this address that it knows the token. */
interface Own extends Proven {
  readonly found: Found;
  readonly url: string;
}

/** Finds the runtime that knows the token, also again after its address has changed. */
export class Finder {
  private last: Own | undefined;
  private looking = false;

  constructor(private readonly options: FinderOptions) {}

  /**
   * Where to connect: the runtime there has just proved that it knows the token, over TLS with its key. Rejects with a
   * LinkError (NOT_FOUND_NEAR, NOT_OURS, SEVERAL), or with the signal's reason.
   */
  async address(signal: AbortSignal): Promise<Where> {
    const again = this.last && (await this.ownAt(this.last.url, this.last.found, signal));
    if (again) return whereOf(again);
    this.tellOnce();
    const [own, looked] = await this.search(signal);
    signal.throwIfAborted();
    this.last = this.theOne(own) ?? this.giveUp(own, looked);
    const { found, url } = this.last;
    this.looking = false;
    this.options.say("found", `${found.name} at ${url}, which knows this token`);
    return whereOf(this.last);
  }

  private async search(signal: AbortSignal): Promise<[readonly Own[], Looked]> {
    const { place, clock } = this.options;
    const enough = new AbortController();
    const ends = AbortSignal.any([signal, enough.signal]);
    const { answers, looked } = await lookAndAsk(
      { place, clock, signal: ends },
      (found) => this.isMeant(found),
      (found) => this.ask(found, signal, enough),
    );
    enough.abort();
    return [answers.flatMap((each) => each ?? []), looked];
  }

  private async ask(found: Found, signal: AbortSignal, enough: AbortController): Promise<Own | undefined> {
    for (const url of urlsOf(found)) {
      const own = await this.ownAt(url, found, signal);
      if (!own) continue;
      abortAfter(SECOND_LOOK, enough, this.options.clock, enough.signal);
      return own;
    }
    return undefined;
  }

  /** After TLS once, only TLS: somebody who changes the traffic must not bring the agent back to plain text. */
  private async ownAt(url: string, found: Found, signal: AbortSignal): Promise<Own | undefined> {
    const { token, pin, clock } = this.options;
    if (!found.tls && (pin !== undefined || this.last?.found.tls)) return undefined;
    const proven = await provenAt(url, token, { clock, signal });
    if (!proven || (pin !== undefined && proven.pin !== pin)) return undefined;
    return { ...proven, found, url };
  }

  private isMeant(found: Found): boolean {
    return isCalled(found, this.options.wanted);
  }

  /** Of several runtimes with this token, the one of last time: a copied SD card contains the same tokens. */
  private theOne(own: readonly Own[]): Own | undefined {
    const asLast = own.find(({ found }) => found.name === this.last?.found.name);
    const runtimes = new Set(own.map(({ runtime }) => runtime));
    const secure = own.find(({ found }) => found.tls);
    return asLast ?? (runtimes.size === 1 ? (secure ?? own[0]) : undefined);
  }

  private giveUp(own: readonly Own[], looked: Looked): never {
    const several = own.map((each) => each.found);
    if (several.length > 0) throw new LinkError("SEVERAL", `${listOf(several)} know this token`);
    const meant = looked.found.filter((each) => this.isMeant(each));
    if (meant.length > 0) throw new LinkError("NOT_OURS", `${listOf(meant)}: none knows this token`);
    throw notFound(this.meantInWords, looked);
  }

  private tellOnce(): void {
    if (!this.looking)
      this.options.say("looking", `for ${this.meantInWords} on this network, ${LOOKING / 1000} s at most`);
    this.looking = true;
  }

  private get meantInWords(): string {
    const { wanted } = this.options;
    return wanted === undefined ? "a runtime" : `"${wanted}"`;
  }
}

const whereOf = ({ url, pin }: Own): Where => ({ url, ...(pin !== undefined && { trust: pinned(pin) }) });

/** Time to connect and answer. A choice: a runtime on the same network needs some milliseconds. */
const PROOF_WITHIN: Millis = seconds(2);

/** The proof of a runtime that knows the token. */
interface Proven {
  /** The runtime's id, the same at each of its addresses. */
  readonly runtime: string;
  /** The key to trust there; undefined without TLS. */
  readonly pin: string | undefined;
}

/**
 * Asks the runtime at `url` (ws://ADDRESS:PORT/…, wss://…) to prove that it knows the token; undefined if it cannot, or not
 * in time. Never rejects.
 */
export async function provenAt(
  url: string,
  token: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Proven | undefined> {
  const enough = new AbortController();
  const ended = AbortSignal.any([signal, enough.signal]);
  abortAfter(PROOF_WITHIN, enough, clock, ended);
  try {
    return await proofAt(url, token, ended);
  } catch {
    return undefined;
  } finally {
    enough.abort();
  }
}

async function proofAt(url: string, token: string, signal: AbortSignal): Promise<Proven | undefined> {
  const connection = url.startsWith("wss:") ? await secureSocket(url, signal) : undefined;
  const secured = connection && { socket: connection.socket, pin: pinOf(connection.peer.certificate) };
  try {
    const runtime = await new ProofQuestion(token).ask(url.replace(/^wss?/, "http"), { secured, signal });
    return runtime === undefined ? undefined : { runtime, pin: secured?.pin };
  } finally {
    secured?.socket.destroy();
  }
}

/** Time for the look and all questions, so that a slow computer does not delay the right one. A choice. */
const PATIENCE = seconds(12);

/** `wanted` is undefined for any that accepts the code; the code is sent to no other key than `pin`. */
type NearOptions = Omit<FinderOptions, "token" | "say">;

type PairedNear = Paired & { readonly url: string };

/**
 * Pairs with the runtime on this network that knows the code. Others learn nothing about the code from what they receive.
 * Rejects with a LinkError (NOT_FOUND_NEAR, PAIRING_REFUSED, or why it could not ask), or with the signal's reason.
 */
export async function pairNear(code: string, options: NearOptions, signal: AbortSignal): Promise<PairedNear> {
  const { wanted, pin, place, clock } = options;
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  abortAfter(PATIENCE, over, clock, ends);
  const ask = async (found: Found) => {
    const answer = await offer(found, { code, pin }, ends);
    if (!(answer instanceof LinkError)) over.abort();
    return answer;
  };
  const isMeant = (found: Found) => found.tls && isCalled(found, wanted);
  const { answers, looked } = await lookAndAsk({ place, clock, signal: ends }, isMeant, ask);
  over.abort();
  const paired = answers.find((answer): answer is PairedNear => !(answer instanceof LinkError));
  if (paired) return paired;
  signal.throwIfAborted();
  const failed = answers.filter((answer) => answer instanceof LinkError);
  throw reasonFor(failed, looked, wanted);
}

interface Offer {
  readonly code: string;
  readonly pin: string | undefined;
}

/** Tries each address until one answers. Never rejects: anything may answer there. */
async function offer(
  found: Found,
  { code, pin }: Offer,
  signal: AbortSignal,
): Promise<PairedNear | LinkError> {
  let failed = new LinkError("UNREACHABLE", `${listOf([found])} has no address`);
  for (const url of urlsOf(found)) {
    try {
      return { ...(await pair(url, code, signal, pin)), url };
    } catch (error) {
      if (signal.aborted) return new LinkError("UNREACHABLE", `${url} did not answer in time`);
      failed = error instanceof LinkError ? error : failure(url, error);
      if (failed.code === "PAIRING_REFUSED") break;
    }
  }
  return failed;
}

/** If any refused, the code may be wrong; else why the first did not answer. */
function reasonFor(failed: readonly LinkError[], looked: Looked, wanted: string | undefined): LinkError {
  if (failed.some(({ code }) => code === "PAIRING_REFUSED"))
    return new LinkError("PAIRING_REFUSED", failed.map(({ what }) => what).join("; "));
  const [first] = failed;
  if (first) return first;
  return notFound(wanted === undefined ? "a runtime with TLS" : `"${wanted}" with TLS`, looked);
}
