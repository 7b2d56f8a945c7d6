import type { X509Certificate } from "node:crypto";
import { pinOf } from "../../runtime/wire/identity.js";
import { LinkError } from "../link-error.js";
import { type KnownRuntimes, placeOf } from "./known-runtimes.js";

/** Who answered, as the TLS handshake has shown it: that the key is really there, not yet that it is the right one. */
export interface Peer {
  readonly url: string;
  readonly certificate: X509Certificate;
  /** What keeps this computer's authorities from vouching for it: OpenSSL's or Node's code; undefined where they do. */
  readonly problem: string | undefined;
}

/** Decides whether a peer may be sent a token. */
export interface Trust {
  /** Throws PEER_CHANGED or PEER_UNTRUSTED. */
  admit(peer: Peer): void;
}

/** Nobody but whom this computer's authorities vouch for. */
export const authoritiesAlone: Trust = {
  admit: (peer) => {
    if (peer.problem !== undefined) throw untrusted(peer);
  },
};

/** One key, whatever the certificate around it says. */
export const pinned = (pin: string): Trust => ({
  admit: (peer) => {
    if (pinOf(peer.certificate) !== pin) throw changed(peer, pin, "--pin says");
  },
});

/** OpenSSL's words for a certificate that nobody whom it knows has signed. Any other problem is one of a known authority's. */
const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Trust on first use: a runtime that an authority vouches for needs one from then on too; any other is known by the key
 * that it first showed. So what an attacker shows later, with whatever certificate, is another than before.
 */
export class FirstUse implements Trust {
  /** `tell`: of a key that is now trusted. `anew`: what was known of the first runtime that is met counts no more. */
  constructor(
    private readonly known: KnownRuntimes,
    private readonly tell: (text: string) => void,
    private anew = false,
  ) {}

  admit(peer: Peer): void {
    const trust = this.anew ? undefined : this.known.find(placeOf(peer.url))?.trust;
    if (trust === undefined) this.meet(peer);
    else if (trust === "authorities") authoritiesAlone.admit(peer);
    else if (trust !== pinOf(peer.certificate)) throw changed(peer, trust, "before it was");
    this.anew = false;
  }

  private meet(peer: Peer): void {
    const at = placeOf(peer.url);
    const pin = pinOf(peer.certificate);
    if (peer.problem !== undefined && !isUnvouchedFor(peer)) throw untrusted(peer);
    this.known.trust(at, peer.problem === undefined ? "authorities" : pin);
    if (peer.problem === undefined) return;
    this.tell(
      `${at} is known by its key ${pin} from now on; \`tendril tls\` on its machine says the same, or it is not yours`,
    );
  }
}

/** A certificate that signs itself is nobody else's, whichever of several problems OpenSSL names. */
const isUnvouchedFor = ({ certificate, problem }: Peer): boolean =>
  UNKNOWN_ISSUER.has(problem ?? "") ||
  (certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey));

const untrusted = ({ url, problem }: Peer): LinkError =>
  new LinkError("PEER_UNTRUSTED", `${url} shows a certificate that is not to be trusted (${problem})`);

const changed = ({ url, certificate }: Peer, expected: string, why: string): LinkError =>
  new LinkError("PEER_CHANGED", `${url} shows the key ${pinOf(certificate)}, but ${why} ${expected}`);
