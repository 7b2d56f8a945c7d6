import { extname } from "node:path";

/** What a file truly is. Neither its name nor the word of the browser is believed. */

export interface MediaType {
  readonly type: string;
  /** With its dot. */
  readonly ending: string;
}

const text = (ending: string, type: string) => ({ ending, type: `${type}; charset=utf-8` });

/** What is taken. No SVG and no HTML: both can have scripts. */
const TYPES = {
  jpeg: { ending: ".jpg", type: "image/jpeg" },
  png: { ending: ".png", type: "image/png" },
  gif: { ending: ".gif", type: "image/gif" },
  webp: { ending: ".webp", type: "image/webp" },
  heic: { ending: ".heic", type: "image/heic" },
  pdf: { ending: ".pdf", type: "application/pdf" },
  txt: text(".txt", "text/plain"),
  md: text(".md", "text/markdown"),
  csv: text(".csv", "text/csv"),
} as const satisfies Record<string, MediaType>;

/** How files begin, in hexadecimal digits. Sources: each format's specification, as the WHATWG's MIME Sniffing has them. */
const BEGINNINGS: readonly (readonly [keyof typeof TYPES, RegExp])[] = [
  ["jpeg", /^ffd8ff/],
  ["png", /^89504e470d0a1a0a/],
  ["gif", /^47494638(?:37|39)61/], // GIF87a, GIF89a
  ["webp", /^52494646.{8}57454250/], // RIFF….WEBP
  ["heic", /^.{8}66747970(?:68656963|68656978|6d696631|6d736631)/], // ….ftyp, then heic, heix, mif1 or msf1
  ["pdf", /^255044462d/], // %PDF-
];

/** What a file is by its bytes; text needs an ending that says so, since any text could be a script. Undefined: nothing that is taken. */
export function typeOfBytes(bytes: Uint8Array, name: string): MediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const [known] = BEGINNINGS.find(([, beginning]) => beginning.test(head)) ?? [];
  if (known) return TYPES[known];
  const named = typeOfName(name);
  return named?.type.startsWith("text/") && isText(bytes) ? named : undefined;
}

/** By the ending alone: for files that have their ending from `typeOfBytes`, or that the owner put there. */
export const typeOfName = (name: string): MediaType | undefined =>
  Object.values(TYPES).find(({ ending }) => ending === extname(name).toLowerCase());

export const isPicture = ({ type }: MediaType): boolean => type.startsWith("image/");

/** UTF-8 without control characters, as people write it. */
function isText(bytes: Uint8Array): boolean {
  try {
    const words = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return !/[^\P{Cc}\t\n\r\f]/u.test(words);
  } catch {
    return false; // no UTF-8
  }
}

/** A choice: what a list of files has room for. */
const LONGEST_STEM = 60;

/** The name without folders, ending and all that is not plain ASCII: a backup takes no other names. */
export function stemOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .slice(0, last.length - extname(last).length)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, LONGEST_STEM)
    .replaceAll(/^-+|-+$/g, "");
  return plain === "" ? "file" : plain;
}
