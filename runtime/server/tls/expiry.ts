import type { X509Certificate } from "node:crypto";
import type { Clock } from "../../../drivers/ports.js";
import { hours, type Millis } from "../../../drivers/units.js";

/** A choice: ACME clients renew thirty days before, so by then they have failed for a while. */
const WARNING: Millis = hours(14 * 24);

/** Why clients that check dates will not, or soon not, accept this certificate. Only a clock that was set can tell. */
export function expiryTrouble(
  { validFrom, validTo }: Pick<X509Certificate, "validFrom" | "validTo">,
  clock: Pick<Clock, "now" | "synchronised">,
): string | undefined {
  if (!clock.synchronised()) return undefined;
  const [from, until, now] = [Date.parse(validFrom), Date.parse(validTo), clock.now()];
  const day = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  if (now < from) return `the certificate is not valid before ${day(from)}`;
  if (now >= until)
    return `the certificate has expired on ${day(until)}: renew it; agents that know the key go on`;
  if (until - now < WARNING) return `the certificate expires on ${day(until)}: renew it`;
  return undefined;
}
