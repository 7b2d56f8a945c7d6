import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { calledAs, onPage } from "./called-as.js";
import { HouseClock } from "./figures.js";
import type { House, View } from "./house.js";
import { wanted } from "./kept.js";
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
  /**
   * A text of the runtime's or an agent's: with times as people read them, and buttons of the page in place of commands, unless what
   * it tells is over.
   */
  readonly said: (text: string, isOver?: boolean) => string;
  /** The runtime's time when the overview came, ISO 8601 and epoch milliseconds. */
  readonly now: string;
  readonly nowMs: number;
  /** Whole minutes of that time: what has no news of its own is asked again with each. */
  readonly minute: number;
}

/** For the parts of a view whose changes concern one another. */
export interface Changing {
  /** Counts what was changed here. */
  readonly version: number;
  readonly changed: () => void;
}

export function useChanges(): Changing {
  const [version, setVersion] = useState(0);
  return { version, changed: () => setVersion(version + 1) };
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
  const table = wordsFor(wanted(view.language));
  const called = view.session?.called;
  const words = useMemo(() => calledAs(table, called), [table, called]);
  useEffect(() => {
    document.documentElement.lang = words.language;
  }, [words]);
  // what its formats are made of takes longer than all else that is drawn
  const clock = useMemo(() => new HouseClock(zone, words.language), [zone, words]);
  const names = useMemo(() => new Names(words, view.people ?? []), [words, view.people]);
  const nowMs = Date.parse(now);
  clock.now = nowMs;
  const said = (text: string, isOver = false) => {
    const isAsked = (id: number) => view.overview?.approvals.some((each) => each.id === id);
    const isPast = (id: number | undefined) => isOver || (id !== undefined && !isAsked(id));
    return clock.inText(onPage(text, words, called, isPast), nowMs);
  };
  return { house, view, words, names, clock, said, now, nowMs, minute: Math.floor(nowMs / 60_000) };
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

/** What was written and not sent yet, by the name of its field. In memory alone: the device keeps none of it. */
const drafts = new Map<string, string>();

/** The text of a field that outlives its view. Without a name it does not. */
export function useDraft(name: string | undefined, first = "") {
  const [text, setText] = useState((name === undefined ? undefined : drafts.get(name)) ?? first);
  const write = (next: string) => {
    if (name !== undefined) drafts.set(name, next);
    setText(next);
  };
  return [text, write] as const;
}
