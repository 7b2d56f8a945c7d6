import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { PAGES, pageRoutes } from "../../../runtime/server/static-files.js";
import { ask, codeOf } from "./fixture-http.js";
import { type Rig, serverRig } from "./fixture-rig.js";

const SCRIPT = "export const answer = 42;\n";
const HASH = createHash("sha256").update(SCRIPT).digest("hex").slice(0, 12);
const HASHED = `/web/app.${HASH}.js`;

const FILES = {
  "index.html": "<!doctype html><title>a page</title>",
  [`app.${HASH}.js`]: SCRIPT,
  [`app.${HASH}.js.br`]: "as brotli",
  [`app.${HASH}.js.gz`]: "as gzip",
  "liar.0123456789ab.css": "body { margin: 0 }",
  "plain.css": "body { margin: 1em }",
  deeper: { "leaf.svg": "<svg/>" },
};

/** Pages, and beside them what must never be reached. The rig has a test's own folder for its tokens. */
const FOLDER = t.testdir({ pages: FILES, secret: "s3cret" });

const served = (t: Test): Promise<Rig> => serverRig(t, { pages: `${FOLDER}/pages` });

t.test("each file is served with its content type, the index at /", async (t) => {
  const rig = await served(t);
  for (const [path, type, body] of [
    ["/", "text/html; charset=utf-8", FILES["index.html"]],
    ["/?utm=1", "text/html; charset=utf-8", FILES["index.html"]],
    [HASHED, "text/javascript; charset=utf-8", SCRIPT],
    ["/web/plain.css", "text/css; charset=utf-8", FILES["plain.css"]],
    ["/web/deeper/leaf.svg", "image/svg+xml", "<svg/>"],
  ] as const)
    t.match(await ask(rig, "GET", path), { status: 200, body, headers: { "content-type": type } }, path);
});

t.test(
  "a name that is true to its content is kept for a year, a page never, all else is asked for again",
  async (t) => {
    const rig = await served(t);
    const cacheOf = async (path: string) => (await ask(rig, "GET", path)).headers["cache-control"];
    t.equal(await cacheOf(HASHED), "public, max-age=31536000, immutable");
    t.equal(await cacheOf("/"), "no-store");
    t.equal(await cacheOf("/web/plain.css"), "no-cache");
    t.equal(await cacheOf("/web/liar.0123456789ab.css"), "no-cache", "a hash that is not its own");
  },
);

t.test("who has a file already gets a 304 without a body", async (t) => {
  const rig = await served(t);
  const { headers } = await ask(rig, "GET", "/web/plain.css");
  const etag = String(headers.etag);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const answer = await ask(rig, "GET", "/web/plain.css", { "If-None-Match": known });
    t.match(answer, { status: 304, body: "", headers: { etag, "cache-control": "no-cache" } }, known);
  }
  t.match(await ask(rig, "GET", "/web/plain.css", { "If-None-Match": '"other"' }), { status: 200 });
});

t.test("a compressed form goes to those who accept it, with an ETag of its own", async (t) => {
  const rig = await served(t);
  const etags = new Set<unknown>();
  for (const [accepted, encoding, body] of [
    ["gzip, deflate, br", "br", "as brotli"],
    ["gzip;q=1.0, br;q=0", "gzip", "as gzip"],
    ["GZIP", "gzip", "as gzip"],
    ["identity", undefined, SCRIPT],
    ["br;q=0.0, gzip ; q=0", undefined, SCRIPT],
  ] as const) {
    const answer = await ask(rig, "GET", HASHED, { "Accept-Encoding": accepted });
    t.match(answer, { status: 200, body, headers: { vary: "Accept-Encoding" } }, accepted);
    t.equal(answer.headers["content-encoding"], encoding, accepted);
    t.match(answer.headers["content-type"], /javascript/, "the type is the file's own");
    etags.add(answer.headers.etag);
  }
  t.equal(etags.size, 3);
  t.equal((await ask(rig, "GET", `${HASHED}.br`)).status, 404, "it has no address of its own");
});

t.test("no path leads out of the folder", async (t) => {
  const rig = await served(t);
  for (const path of [
    "/web/../secret",
    "/web/..%2fsecret",
    "/web/%2e%2e/secret",
    "/web/..%5csecret",
    "/web/deeper/../../secret",
    "/web//etc/passwd",
    "/web/%00plain.css",
    "/web/",
    "/web/index.html",
    "/web/deeper",
    "/web/constructor",
  ]) {
    const answer = await ask(rig, "GET", path);
    t.equal(answer.status, 404, path);
    t.notMatch(answer.body, /s3cret/);
  }
  // a client that sends the path as it is
  const raw = connect(rig.server.port, "127.0.0.1");
  raw.write("GET /web/../../secret HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const answer = await text(raw);
  t.match(answer, /^HTTP\/1\.1 404 /);
  t.notMatch(answer, /s3cret/);
});

t.test("a file is read, and nothing else", async (t) => {
  const rig = await served(t);
  t.match(await ask(rig, "POST", "/"), { status: 405, headers: { allow: "GET, HEAD" } });
  t.equal(codeOf(await ask(rig, "GET", "/", { Host: "evil.example" })), "ORIGIN_REFUSED");
});

t.test(
  "files that cannot be served are a mistake of the build; the runtime runs without its pages",
  async (t) => {
    for (const [file, why] of [
      [".htaccess", /name that is not served/],
      ["a b.css", /name that is not served/],
      ["app.exe", /no content type/],
    ] as const)
      await t.rejects(pageRoutes(t.testdir({ [file]: "" })), why, file);
    const folder = t.testdir({ pages: { to: t.fixture("symlink", "/etc") } });
    await t.rejects(pageRoutes(`${folder}/pages`), /neither a file nor a folder/);
    const rig = await serverRig(t, { pages: "/nowhere" });
    t.equal(codeOf(await ask(rig, "GET", "/")), "NO_ROUTE");
    t.ok(rig.lines.some(({ level, message }) => level === "warn" && /pages are not served/.test(message)));
  },
);

t.test(
  "the page names hashed files that are there, and nothing that the content policy refuses",
  async (t) => {
    const rig = await serverRig(t);
    const { body } = await ask(rig, "GET", "/");
    t.match(body, /This is a Tendril runtime/, "also without scripts");
    const named = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = ""]) => path);
    t.equal(named.length, 5, named.join(" "));
    for (const path of named) {
      t.match(path, /^\/web\/\w+\.[0-9a-f]{16}\.(js|css|svg)$/);
      t.match(await ask(rig, "GET", path), { status: 200, headers: { "cache-control": /immutable/ } }, path);
    }
    const later = /<meta name="later" content="([^"]+)"/.exec(body)?.[1]?.split(" ") ?? [];
    for (const path of later)
      t.match(await ask(rig, "GET", path), { status: 200, headers: { "cache-control": /immutable/ } }, path);
    t.ok(later.length >= 2, "the views behind the first one, and the other languages");
    t.notMatch(body, /<style|<script(?![^>]* src=)|style="|onclick|https?:/);
  },
);

const AIM = "docs/performance.md";

t.test("the whole page in any one language weighs at most 100 kB gzipped", async (t) => {
  const zipped = readdirSync(PAGES).filter((name) => name.endsWith(".gz"));
  const weightOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(PAGES, name)).size, 0);
  const languages = zipped.filter((name) => name.startsWith("words-"));
  t.equal(languages.length, 3, "English is in the page");
  const shared = zipped.filter((name) => !languages.includes(name));
  for (const language of languages) {
    const weight = weightOf([...shared, language]);
    t.ok(
      weight <= 100_000,
      `${language}: ${weight} bytes; take words that are there, or raise it here and in ${AIM}`,
    );
  }
  const index = readFileSync(join(PAGES, "index.html"), "utf8");
  const first = zipped.filter((name) => index.includes(`="/web/${name.replace(/\.gz$/, "")}"`));
  t.ok(weightOf(first) <= 45_000, `the first view needs ${weightOf(first)} bytes of them; ${AIM}`);
});
