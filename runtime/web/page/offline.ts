/**
 * The service worker: it keeps the page itself, so that a phone without a connection can still show what was known last. It
 * keeps no answer of the runtime, and answers nothing in its place. Browsers allow it on this machine and over trusted TLS.
 */

/** What TypeScript's types of a page leave out. */
interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  addEventListener(type: "install" | "activate", run: (event: Lasting) => void): void;
  addEventListener(type: "fetch", run: (event: Fetching) => void): void;
  skipWaiting(): Promise<void>;
}
const worker = self as unknown as Worker;

const PAGE = "tendril-page";
const INDEX = "/";
const FILES = "/web/";

/** The index names every file of its version. A file that is kept already is not fetched again. Rejects without a runtime. */
async function keepPage(): Promise<void> {
  const cache = await caches.open(PAGE);
  const index = await fetch(INDEX, { cache: "no-store" });
  const names: string[] = (await index.clone().text()).match(/\/web\/[\w.-]+/g) ?? [];
  const kept = (await cache.keys()).map(({ url }) => new URL(url).pathname);
  await cache.addAll(names.filter((name) => !kept.includes(name)));
  await cache.put(INDEX, index);
  for (const name of kept) if (name !== INDEX && !names.includes(name)) await cache.delete(name);
}

/** The runtime's own page if it answers: another version has other files. */
async function indexFor(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(INDEX);
    if (kept) return kept;
    throw error;
  }
}

/** A file's name has its hash, so what is kept is what the runtime has. */
const fileFor = async (request: Request): Promise<Response> =>
  (await caches.match(request)) ?? fetch(request);

worker.addEventListener("install", (event) =>
  event.waitUntil(Promise.all([keepPage(), worker.skipWaiting()])),
);

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === INDEX) {
    const index = indexFor(request);
    event.respondWith(index);
    // the runtime may have another version by now
    event.waitUntil(index.then(keepPage).catch(() => undefined));
  } else if (pathname.startsWith(FILES)) event.respondWith(fileFor(request));
});
