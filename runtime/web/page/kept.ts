import type { Overview } from "../../wire/overview.js";
import { monotonic } from "./browser-clock.js";

/** What the page keeps on the device: to be shown without a connection itself (offline.ts) and the last overview; a choice of language; and doses without an answer. */

const DATA = "tendril-data";
const LAST = "/last-overview";
/** Milliseconds. A choice: an older minute is old too, and a phone's memory wears. */
const KEEP_EVERY = 60_000;

let keptAt = Number.NEGATIVE_INFINITY;

/** Where the browser allows it: on the runtime's own machine, and over TLS that it trusts. */
export async function keepPage(): Promise<void> {
  const worker = document.querySelector<HTMLMetaElement>("meta[name=offline]")?.content;
  if (worker === undefined || !("serviceWorker" in navigator)) return;
  // without a trusted certificate the browser refuses: then there is no offline view
  await navigator.serviceWorker.register(worker, { scope: "/" }).catch(() => undefined);
}

/** At most once a minute. A device without room for it goes on without. */
export async function keepOverview(overview: Overview): Promise<void> {
  if (!("caches" in globalThis) || monotonic() - keptAt < KEEP_EVERY) return;
  keptAt = monotonic();
  await caches
    .open(DATA)
    .then((cache) => cache.put(LAST, new Response(JSON.stringify(overview))))
    .catch(() => undefined);
}

export async function keptOverview(): Promise<Overview | undefined> {
  if (!("caches" in globalThis)) return undefined;
  const kept = await caches.match(LAST).catch(() => undefined);
  return kept && ((await kept.json()) as Overview);
}

/** The session is over: nothing that it showed stays on the device. */
export async function forgetOverview(): Promise<void> {
  keptAt = Number.NEGATIVE_INFINITY;
  if ("caches" in globalThis) await caches.delete(DATA).catch(() => false);
}

/** The choice in this browser's store. */
const CHOICE = "tendril-language";

/** "" where none was chosen, or where this browser keeps nothing. */
export function chosenLanguage(): string {
  try {
    return localStorage.getItem(CHOICE) ?? "";
  } catch {
    return "";
  }
}

/** "": none any more. Throws where the browser keeps nothing. */
export const chooseLanguage = (language: string): void => localStorage.setItem(CHOICE, language);

/** What is to be spoken: the choice in this browser, then the language of the person, then the browser's. */
export const wanted = (person?: string | null): readonly (string | null | undefined)[] => [
  chosenLanguage(),
  person,
  ...navigator.languages,
];

/** A dose that a person asked for, and whose answer has not come. Repeated by the same person with its key it is still one dose. */
interface AskedDose {
  readonly key: string;
  readonly ml: number;
}

const DOSE = "tendril-dose-";
/** Where the browser keeps nothing it is known until the page is loaded again. */
const asked = new Map<string, AskedDose>();

/** `whose`: who asked, and for which plant. To the runtime the key of one token is unknown from another. */
export function askedDose(whose: string): AskedDose | undefined {
  const known = asked.get(whose);
  if (known) return known;
  try {
    const kept = localStorage.getItem(DOSE + whose);
    return kept === null ? undefined : (JSON.parse(kept) as AskedDose);
  } catch {
    return undefined;
  }
}

/** Undefined: it is answered. */
export function keepDose(whose: string, dose: AskedDose | undefined): void {
  if (dose) asked.set(whose, dose);
  else asked.delete(whose);
  try {
    if (dose) localStorage.setItem(DOSE + whose, JSON.stringify(dose));
    else localStorage.removeItem(DOSE + whose);
  } catch {
    // this browser keeps nothing
  }
}
