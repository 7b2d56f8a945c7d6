import type { Clock } from "../clock.js";
import { LinkError } from "../link-error.js";
import { type Paired, pair } from "../trust/pair.js";
import { type Found, isCalled, listOf, urlsOf } from "./findings.js";
import type { Place } from "./interfaces.js";
import { type Looked, look } from "./look.js";

export interface NearOptions {
  /** Name, host or address of the one that is meant; undefined: whichever takes the code. */
  readonly wanted: string | undefined;
  readonly place: Place;
  readonly clock: Clock;
}

export type PairedNear = Paired & { readonly url: string };

/**
 * Pairs with the runtime on this network that knows the code. The others learn nothing of it: what they are told can be made
 * from any code. Rejects with a LinkError (NOT_FOUND_NEAR, PAIRING_REFUSED), or with the signal's reason.
 */
export async function pairNear(code: string, options: NearOptions, signal: AbortSignal): Promise<PairedNear> {
  const { place, clock, wanted } = options;
  const enough = new AbortController();
  const asked = new Map<Found, Promise<PairedNear | undefined>>();
  const ask = async (found: Found) => {
    const paired = await pairWith(found, code, signal);
    if (paired) enough.abort();
    return paired;
  };
  const onFound = (all: readonly Found[]) => {
    for (const found of all.filter((each) => each.tls && isCalled(each, wanted) && !asked.has(each)))
      asked.set(found, ask(found));
  };
  const looked = await look({ place, clock, signal: AbortSignal.any([signal, enough.signal]), onFound });
  const [paired] = (await Promise.all(asked.values())).flatMap((each) => each ?? []);
  signal.throwIfAborted();
  return paired ?? giveUp([...asked.keys()], looked, options);
}

/** Undefined where it does not take the code, or answers at none of its addresses. */
async function pairWith(found: Found, code: string, signal: AbortSignal): Promise<PairedNear | undefined> {
  for (const url of urlsOf(found)) {
    try {
      return { ...(await pair(url, code, signal)), url };
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (error.code === "PAIRING_REFUSED") return undefined;
    }
  }
  return undefined;
}

function giveUp(asked: readonly Found[], { found, troubles }: Looked, { wanted }: NearOptions): never {
  if (asked.length > 0) throw new LinkError("PAIRING_REFUSED", `${listOf(asked)}: none takes this code`);
  const meant = wanted === undefined ? "a runtime with TLS" : `"${wanted}" with TLS`;
  const others = found.length === 0 ? "" : `, only ${listOf(found)}`;
  const why = troubles.map((trouble) => ` (${trouble})`).join("");
  throw new LinkError("NOT_FOUND_NEAR", `${meant} was not found on this network${others}${why}`);
}
