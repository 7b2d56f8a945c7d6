import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { bridgeFolder } from "../places.js";

interface SecretPlaces {
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** / on a real machine. */
  readonly root: string;
}

/** Folders in the state folder whose files are secrets. */
const SECRET_FOLDERS = /^(?:tokens|tls|pairing)/;
const SECRET_FILES = /\.key$|\.pem$|\/(?:joined|sessions)\.json$/;
/** A token within a line: 192 bits or more, as in token files. */
const TOKEN = /[\w-]{32,}/g;
/** Files with NAME=VALUE lines in /etc; then folders with names and passwords of networks. */
const SETTINGS = ["agent.env", "backup.env", "agent.token", "bridge.token"].map(
  (name) => `etc/tendril/${name}`,
);
const BRIDGE = "etc/tendril/bridge.yaml";
const NETWORKS = ["etc/NetworkManager/system-connections", "etc/wpa_supplicant"];
const NETWORK_SETTING = /^\s*(?:ssid|psk|password|id|identity|wep-key\d)\s*=\s*"?([^"\n]+?)"?\s*$/gim;
const SECRET_VARIABLE = /key|token|secret|passw|credential/i;
/** In the bridge's file beside those. Whoever knows a topic of ntfy reads along. */
const SECRET_OF_BRIDGE = /user|topic/i;
/** Larger files, such as pictures and recordings, contain no secrets. */
const LONGEST = 65_536;

/** Every secret that can be read on this machine. Unreadable ones cannot get into the bundle either. */
export async function secretsOf({ state, env, root }: SecretPlaces): Promise<Set<string | Buffer>> {
  const secrets = new Set<string | Buffer>();
  for (const file of await filesBelow(state)) await addFile(file, state, secrets);
  const settings = await Promise.all(SETTINGS.map((file) => textOf(join(root, file))));
  const named = Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_VARIABLE.test(name) ? [value] : [],
  );
  const bridge = [join(root, BRIDGE), join(bridgeFolder(state), "bridge.yaml")];
  const ofBridge = (await Promise.all(bridge.map(textOf))).flatMap(valuesInYaml);
  for (const value of [...settings.flatMap(valuesIn), ...ofBridge, ...(await networks(root)), ...named])
    secrets.add(value);
  return secrets;
}

async function networks(root: string): Promise<string[]> {
  const files = await Promise.all(NETWORKS.map((folder) => filesBelow(join(root, folder))));
  const texts = await Promise.all(files.flat().map(textOf));
  return texts.flatMap((text) => [...text.matchAll(NETWORK_SETTING)].map(([, value = ""]) => value));
}

/** Also for files from before a restore. */
async function addFile(file: string, state: string, secrets: Set<string | Buffer>): Promise<void> {
  const [first = "", second = ""] = file.slice(state.length + 1).split("/");
  const folder = first.startsWith("before-restore-") ? second : first;
  if (!SECRET_FOLDERS.test(folder) && !SECRET_FILES.test(file)) return;
  if ((await stat(file)).size > LONGEST) return;
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  secrets.add(bytes);
  const text = bytes.toString("utf8");
  for (const line of text.split("\n")) secrets.add(line.trim());
  for (const [token] of text.matchAll(TOKEN)) secrets.add(token);
}

/** The text after each "=", else the whole line. */
function valuesIn(text: string): string[] {
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  return lines.map((line) =>
    line
      .slice(line.indexOf("=") + 1)
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2"),
  );
}

/** What is secret by its key or stands below such a one, and addresses: the path of a calendar's is a password. */
function valuesInYaml(text: string): string[] {
  const found: string[] = [];
  const gather = (value: unknown, isSecret: boolean): void => {
    if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) gather(inner, isSecret || isSecretKey(key));
    else if (isSecret) found.push(String(value));
    if (typeof value === "string" && URL.canParse(value)) found.push(value, new URL(value).pathname);
  };
  gather(parseDocument(text).toJS(), false);
  return found;
}

const isSecretKey = (key: string): boolean =>
  [SECRET_VARIABLE, SECRET_OF_BRIDGE].some((names) => names.test(key));

const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The last step: every part of the bundle goes through here before it is written. */

export const REMOVED = "[removed]";
/** A choice: shorter secrets would match parts of words, and no token is that short. */
const SHORTEST = 6;
/** base64 packs 8 bits into characters of 6 (RFC 4648, section 4). */
const [BITS, PER_CHARACTER] = [8, 6];

/**
 * Patterns of secrets, the most specific first. The names before the values stay, since a line that says what was removed is
 * more useful than no line.
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
/** Long runs that may be random, such as base64, also percent-encoded. */
const RANDOM_RUN = /(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){20,}={0,2}/g;

/** Removes secrets from texts: known ones in every encoding, and everything that looks like one. */
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
    return shaped.replace(RANDOM_RUN, (run) => (looksRandom(run) ? REMOVED : run));
  }
}

/** Checks each part of a path separately. */
const looksRandom = (run: string): boolean =>
  run
    .replaceAll(STAMP, "")
    .split("/")
    .some((part) => part.length >= 8 && MIXED.every((kind) => kind.test(part)));

/** Names and words have at most two of these kinds. */
const MIXED = [/[A-Z]/, /[a-z]/, /[0-9]/];
/** As in the names of backups. */
const STAMP = /\d{8}T\d{6}Z/g;

/** Patterns for a secret: plain, hexadecimal, and within base64 of any text; also percent-encoded. */
function formsOf(secret: Buffer): string[] {
  if (secret.length < SHORTEST) return [];
  const plain = [...secret].map((byte) => percent(byte, literal(byte))).join("");
  const hex = [...secret].map((byte) => caseless(byte.toString(16).padStart(2, "0"))).join("");
  const quoted = JSON.stringify(secret.toString("utf8")).slice(1, -1);
  return [plain, hex, escaped(quoted), ...[0, 1, 2].map((before) => withinBase64(secret, before))];
}

/** The base64 characters that depend only on the secret, `before` bytes after the start of a text. */
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

/** Bytes above 0x7f are parts of longer characters: they match only percent-encoded or as a replacement character. */
const literal = (byte: number): string => (byte < 0x80 ? escaped(String.fromCharCode(byte)) : "\\ufffd");

const percent = (byte: number, plain: string): string =>
  `(?:${plain}|%${caseless(byte.toString(16).padStart(2, "0"))})`;

const caseless = (text: string): string =>
  [...text].map((c) => (/[a-f]/.test(c) ? `[${c}${c.toUpperCase()}]` : c)).join("");

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
