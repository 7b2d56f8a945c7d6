import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { HouseClock } from "./figures.js";
import type { House, View } from "./house.js";
import { wordsFor } from "./languages.js";
import { Names } from "./names.js";
import type { Words } from "./words.js";

/** What every view has: the model, the words, and the house's clock. */
export interface Shared {
  readonly house: House;
  readonly view: View;
  readonly words: Words;
  readonly names: Names;
  readonly clock: HouseClock;
  /** The runtime's time when the overview came, ISO 8601 and epoch milliseconds. */
  readonly now: string;
  readonly nowMs: number;
}

const Context = createContext<Shared | undefined>(undefined);
export const Provide = Context.Provider;

export function useShared(): Shared {
  const shared = useContext(Context);
  if (!shared) throw new Error("outside of the page");
  return shared;
}

/** The view of the model, drawn again whenever it changes. */
export function useView(house: House): Shared {
  const [view, setView] = useState(house.now);
  useEffect(() => {
    setView(house.now); // it may have changed between the first drawing and now
    return house.subscribe(() => setView(house.now));
  }, [house]);
  const { timestamp: now = "1970-01-01T00:00:00Z", zone = "UTC" } = view.overview ?? {};
  const table = wordsFor([view.language, ...navigator.languages]);
  const called = view.session?.called;
  const words = useMemo(() => calledAs(table, called), [table, called]);
  useEffect(() => {
    document.documentElement.lang = words.language;
  }, [words]);
  // what its formats are made of takes longer than all else that is drawn
  const clock = useMemo(() => new HouseClock(zone, words.language), [zone, words]);
  const names = useMemo(() => new Names(words, view.people ?? []), [words, view.people]);
  return { house, view, words, names, clock, now, nowMs: Date.parse(now) };
}

/** A command in a text, but neither a file nor another program. */
const COMMAND = /(?<![\w./-])tendril (?=[a-z])/g;

/** The words with commands as a person types them on the runtime's machine: "./tendril doctor" in a clone. */
function calledAs<T>(words: T, called = "tendril"): T {
  if (called === "tendril") return words;
  if (typeof words === "string") return words.replace(COMMAND, `${called} `) as T;
  if (typeof words === "function")
    return ((...given: unknown[]) => calledAs(words(...given) as unknown, called)) as T;
  if (Array.isArray(words)) return words.map((each) => calledAs(each, called)) as T;
  if (typeof words !== "object" || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([key, each]) => [key, calledAs(each, called)])) as T;
}

/**
 * What a tool answers, asked again when `keys` change. Undefined until it is there; the last answer stays meanwhile. A refusal is
 * told at the top of the view, until the next answer.
 */
export function useAnswer<T>(ask: () => Promise<T>, keys: readonly unknown[]): T | undefined {
  const { house } = useShared();
  const [answer, setAnswer] = useState<T>();
  const asker = useRef({}).current;
  useEffect(() => {
    let isWanted = true;
    ask().then(
      (value) => {
        if (!isWanted) return;
        house.refused(asker, undefined);
        setAnswer(() => value);
      },
      (error: unknown) => isWanted && house.refused(asker, error),
    );
    return () => {
      isWanted = false;
    };
  }, keys);
  useEffect(() => () => house.refused(asker, undefined), []);
  return answer;
}
