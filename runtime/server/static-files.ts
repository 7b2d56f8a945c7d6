import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notFound } from "../errors.js";
import { type Exchange, forAnybody, type OpenEntry } from "./router.js";

/** The page that comes with the runtime, as systemd/programs/page.ts builds it. */
export const PAGES = fileURLToPath(new URL("../../web/", import.meta.url));

/** The file that is served at "/". */
const INDEX = "index.html";
/** Where all other files are served. */
const FILES_PATH = "/web/";
/** No hidden file, no path to elsewhere, no character that a URL would have to escape. */
const FILE_NAME = /^\w[\w.-]*$/;
/** "app.0123abcd.js": how the file's SHA-256 begins. A choice: at least 8 hexadecimal digits, as bundlers write. */
const HASHED = /\.([0-9a-f]{8,64})\.[a-z0-9]+$/;

/** RFC 9110, section 8.3; names from the IANA registry of media types. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".ico": "image/vnd.microsoft.icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** Endings of compressed files that the build made, with HTTP's name for each; the smallest first. */
const ENCODINGS = [
  { ending: ".br", name: "br" },
  { ending: ".gz", name: "gzip" },
] as const;
type Encoding = (typeof ENCODINGS)[number]["name"];

interface Form {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface StaticFile {
  readonly type: string;
  readonly cache: string;
  readonly plain: Form;
  readonly compressed: ReadonlyMap<Encoding, Form>;
}

/**
 * Serves the files of a folder. It reads all of them at the start (about 560 kB), since the page has a button that switches
 * off and must not wait for a disk that hangs. It looks requests up by name, so no path leads out. Rejects if a file's name or
 * type is not one to serve: a mistake of the build.
 */
export async function pageRoutes(folder: string): Promise<OpenEntry[]> {
  const names = await namesIn(folder, "");
  const contents = new Map<string, Buffer>();
  for (const name of names) contents.set(name, await readFile(join(folder, name)));
  const plain = names.filter((name) => !ENCODINGS.some(({ ending }) => name.endsWith(ending)));
  const files = new Map(plain.map((name) => [pathOf(name), fileOf(name, contents)]));
  return ["/", FILES_PATH].map((path) => forAnybody("GET", path, (exchange) => answer(exchange, files)));
}

function answer(
  { request, response, url: { pathname } }: Exchange,
  files: ReadonlyMap<string, StaticFile>,
): void {
  const file = files.get(pathname);
  if (!file) throw notFound(`there is no file at ${pathname}`);
  const [encoding, { bytes, etag }] = formFor(request, file);
  const headers: OutgoingHttpHeaders = { "Cache-Control": file.cache, ETag: etag };
  if (file.compressed.size > 0) headers.Vary = "Accept-Encoding";
  // the page's service worker is of the whole page, not of the folder of files alone
  if (request.headers["service-worker"] === "script") headers["Service-Worker-Allowed"] = "/";
  if (isKnown(request, etag)) return void response.writeHead(304, headers).end();
  if (encoding) headers["Content-Encoding"] = encoding;
  response.writeHead(200, { ...headers, "Content-Type": file.type, "Content-Length": bytes.byteLength });
  response.end(bytes);
}

async function namesIn(root: string, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!FILE_NAME.test(entry.name)) throw new Error(`${join(root, name)} has a name that is not served`);
    if (entry.isDirectory()) names.push(...(await namesIn(root, name)));
    else if (entry.isFile()) names.push(name);
    else throw new Error(`${join(root, name)} is neither a file nor a folder`);
  }
  return names;
}

const pathOf = (name: string): string => (name === INDEX ? "/" : `${FILES_PATH}${name}`);

function fileOf(name: string, contents: ReadonlyMap<string, Buffer>): StaticFile {
  const type = TYPES[extname(name)];
  if (type === undefined) throw new Error(`${name} has an ending with no content type known`);
  const bytes = contents.get(name) ?? Buffer.alloc(0);
  const compressed = ENCODINGS.flatMap(({ ending, name: encoding }) => {
    const smaller = contents.get(`${name}${ending}`);
    return smaller ? [[encoding, formOf(smaller)] as const] : [];
  });
  return { type, cache: cacheOf(name, bytes), plain: formOf(bytes), compressed: new Map(compressed) };
}

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Each form has an ETag of its own (RFC 9110, section 8.8.3.3). */
const formOf = (bytes: Buffer): Form => ({ bytes, etag: `"${digest(bytes).slice(0, 32)}"` });

/**
 * A page names hashed files, so it must be fresh. A file whose name has its true hash never changes. Others
 * are asked for each time; most get 304.
 */
function cacheOf(name: string, bytes: Buffer): string {
  if (name.endsWith(".html")) return "no-store";
  const hash = HASHED.exec(name)?.[1];
  const isTrue = hash !== undefined && digest(bytes).startsWith(hash);
  return isTrue ? "public, max-age=31536000, immutable" : "no-cache"; // a year (RFC 8246)
}

function formFor({ headers }: IncomingMessage, file: StaticFile): [Encoding | undefined, Form] {
  const accepted = acceptedEncodings(headers["accept-encoding"]);
  for (const [encoding, form] of file.compressed) if (accepted.has(encoding)) return [encoding, form];
  return [undefined, file.plain];
}

/** RFC 9110, section 12.5.3: "br;q=0" means no. Order and other weights do not matter here. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const items = String(header ?? "")
    .toLowerCase()
    .split(",")
    .map((item) => item.trim().split(/\s*;\s*/));
  return new Set(items.flatMap(([name = "", q = ""]) => (/^q=0(\.0*)?$/.test(q) ? [] : [name])));
}

/** RFC 9110, section 13.1.2: a weak comparison. */
function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const given = (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return given.includes(etag) || given.includes("*");
}
