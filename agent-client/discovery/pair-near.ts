import type { Found } from "../../runtime/wire/mdns-record.js";
import type { Place } from "../../runtime/wire/multicast.js";
import type { Clock } from "../clock.js";
import { abortAfter } from "../clock.js";
import { failure, LinkError } from "../errors.js";
import { type Paired, pair } from "../link/pair.js";
import { seconds } from "../units.js";
import { isCalled, type Looked, listOf, lookAndAsk, notFound, urlsOf } from "./look.js";

/** Time for the look and all questions, so that a slow computer does not delay the right one. A choice. */
const PATIENCE = seconds(12);

interface NearOptions {
  /** Name, host or address of the runtime; undefined: any that accepts the code. */
  readonly wanted: string | undefined;
  /** The only key to send the code to, if given. */
  readonly pin: string | undefined;
  readonly place: Place;
  readonly clock: Clock;
}

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
  throw reasonFor(
    answers.filter((answer) => answer instanceof LinkError),
    looked,
    wanted,
  );
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
