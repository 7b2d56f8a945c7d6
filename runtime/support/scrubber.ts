/** The last line of defence: whatever a part of the bundle holds goes through here before it is written. */

export const REMOVED = "[removed]";
/** A shorter one would take half of every text with it; nobody's token is. A choice. */
const SHORTEST = 6;
/** base64 packs 8 bits into characters of 6 (RFC 4648, section 4). */
const [BITS, PER_CHARACTER] = [8, 6];

/**
 * What looks like a secret wherever it stands, most telling first. Names end with what they are about: a line that says
 * what was removed is of more use than one that is gone.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-\n]+-----[\s\S]*?(?:-----END [^-\n]+-----|$)/g, REMOVED],
  // a link's query signs it
  [/\b((?:https?|wss?):\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@/gi, `$1${REMOVED}@`],
  [/\b(bearer|basic|digest)(\s+|%20|\+)(?!\[)[^\s"',;]+/gi, `$1 ${REMOVED}`],
  [
    /((?:key|token|secret|passw(?:or)?d|passphrase|passcode|psk|credential|cookie|signature|authorization|ssid)[\w.-]{0,64})(\\?["']?\s*(?:=|:|%3[Dd]|%3[Aa])\s*)(?!\s*\[removed\])("[^"\n]*"?|'[^'\n]*'?|[^\s,;&}\]]+)/gi,
    `$1$2${REMOVED}`,
  ],
  [/\b(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|hf|AKIA|AIza|eyJ)[-_]?[A-Za-z0-9._-]{8,}/g, REMOVED],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g, REMOVED],
  [/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/gi, REMOVED],
  [/\b[0-9a-f]{32,}\b/gi, REMOVED],
];
/** Chance, not words: base64 and its like, percent signs included. */
const RUN = /(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){20,}={0,2}/g;

/** Takes secrets out of texts: those it was told of, however they are written, and whatever has the shape of one. */
export class Scrubber {
  private readonly known: readonly RegExp[];

  constructor(secrets: Iterable<string | Buffer>) {
    const forms = [...secrets].flatMap((secret) => formsOf(Buffer.from(secret)));
    const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.known = longestFirst.map((form) => new RegExp(form, "g"));
  }

  scrub(text: string): string {
    const told = this.known.reduce((rest, secret) => rest.replace(secret, REMOVED), text);
    const shaped = SHAPES.reduce((rest, [shape, instead]) => rest.replace(shape, instead), told);
    return shaped.replace(RUN, (run) => (isChance(run) ? REMOVED : run));
  }
}

/** In a path each folder is looked at alone. */
const isChance = (run: string): boolean =>
  run
    .replaceAll(STAMP, "")
    .split("/")
    .some((part) => part.length >= 8 && MIXED.every((kind) => kind.test(part)));

/** Names and words of this machine have two of them at most. */
const MIXED = [/[A-Z]/, /[a-z]/, /[0-9]/];
/** As in the names of backups. */
const STAMP = /\d{8}T\d{6}Z/g;

/** Regular expressions for a secret as it is, hexadecimal, and within base64 of whatever else; each also percent-encoded. */
function formsOf(secret: Buffer): string[] {
  if (secret.length < SHORTEST) return [];
  const plain = [...secret].map((byte) => percent(byte, literal(byte))).join("");
  const hex = [...secret].map((byte) => caseless(byte.toString(16).padStart(2, "0"))).join("");
  const quoted = JSON.stringify(secret.toString("utf8")).slice(1, -1);
  return [plain, hex, escaped(quoted), ...[0, 1, 2].map((before) => withinBase64(secret, before))];
}

/** The characters that do not depend on what stands around, after so many bytes of something else. */
function withinBase64(secret: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
  const first = Math.ceil((before * BITS) / PER_CHARACTER);
  const last = Math.floor(((before + secret.length) * BITS) / PER_CHARACTER);
  return [...encoded.slice(first, last)].map(inBase64).join("");
}

/** Both alphabets, RFC 4648, sections 4 and 5. */
function inBase64(character: string): string {
  if (character === "+") return "(?:[+-]|%2[Bb])";
  if (character === "/") return "(?:[/_]|%2[Ff])";
  return percent(character.charCodeAt(0), character);
}

/** Bytes of several make one character: these can only be met in percent signs or whole. */
const literal = (byte: number): string => (byte < 0x80 ? escaped(String.fromCharCode(byte)) : "\\ufffd");

const percent = (byte: number, plain: string): string =>
  `(?:${plain}|%${caseless(byte.toString(16).padStart(2, "0"))})`;

const caseless = (text: string): string =>
  [...text].map((c) => (/[a-f]/.test(c) ? `[${c}${c.toUpperCase()}]` : c)).join("");

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
