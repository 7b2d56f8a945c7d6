import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import { uncoded } from "./called-as.js";
import { useDraft, useShared } from "./context.tsx";
import { age, at } from "./figures.js";
import { alarmsIn } from "./names.js";

/** Small parts that several views use. */

/** Milliseconds that a note stays which nobody has to answer. A choice: read twice. */
export const NOTE = 60_000;

/** How old a figure is; grey and named so when it is older than `stale` milliseconds. Without a connection: of when it is. */
export function Freshness({ of, stale }: { readonly of: string; readonly stale: number }) {
  const { words, now, nowMs, clock, view } = useShared();
  const old = age(of, now);
  return (
    <time class={old > stale ? "fresh stale" : "fresh"} dateTime={of}>
      {view.state === "lost" ? clock.near(at(of), nowMs) : words.ago(old)}
    </time>
  );
}

/** In place of what could not be asked for: without a connection it is not there yet, and may well exist. */
export function Missing({ answer }: { readonly answer: unknown }) {
  const { view, words } = useShared();
  if (answer !== undefined || view.state !== "lost") return null;
  return <p class="quiet wide">{words.needsConnection}</p>;
}

/** The plant that a view is about, to choose where there are several. */
export function ChoosePlant(of: {
  readonly plants: readonly PlantNow[];
  readonly plant: PlantNow;
  readonly choose: (plant: string) => void;
}) {
  const { words } = useShared();
  if (of.plants.length < 2) return <h2>{of.plant.name}</h2>;
  const options = of.plants.map(({ plant, name }) => [plant, name] as const);
  return <Select label={words.plant} value={of.plant.plant} options={options} choose={of.choose} />;
}

/** A value and what is shown for it. */
type Options<T> = readonly (readonly [value: T, shown: string])[];

export function Select<T extends string>(of: {
  readonly label: string;
  readonly value: T | undefined;
  readonly options: Options<T>;
  readonly choose: (value: T) => void;
}) {
  return (
    <select
      aria-label={of.label}
      value={of.value}
      onChange={({ currentTarget }) => of.choose(currentTarget.value as T)}
    >
      {of.options.map(([value, shown]) => (
        <option key={value} value={value}>
          {shown}
        </option>
      ))}
    </select>
  );
}

/** Buttons of which one is pressed. */
export function Ranges<T>(of: {
  readonly label: string;
  readonly value: T;
  readonly options: Options<T>;
  readonly choose: (value: T) => void;
}) {
  return (
    <fieldset class="ranges">
      <legend class="unseen">{of.label}</legend>
      {of.options.map(([value, shown]) => (
        <button key={shown} type="button" aria-pressed={value === of.value} onClick={() => of.choose(value)}>
          {shown}
        </button>
      ))}
    </fieldset>
  );
}

/** A bar from 0 to 100 with a mark, and its figure in words beside it. */
export function Gauge(of: {
  readonly label: string;
  readonly percent: number | undefined;
  readonly text: string;
  readonly tone: "soil" | "water" | "warn";
  readonly mark?: number | undefined;
}) {
  const value = Math.min(100, Math.max(0, of.percent ?? 0));
  return (
    <>
      <meter class="unseen" aria-label={of.label} min={0} max={100} value={value}>
        {of.text}
      </meter>
      <div class={`gauge ${of.tone}`} aria-hidden="true">
        <div class="gauge-fill" style={{ width: `${value}%` }} />
        {of.mark !== undefined && <div class="gauge-mark" style={{ left: `${of.mark}%` }} />}
      </div>
    </>
  );
}

/** A button that does something at the runtime: busy meanwhile, and says what went wrong. */
export function Act(of: {
  readonly run: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly isMain?: boolean;
  readonly label?: string;
  /** Too early for a tap that can be meant. */
  readonly isEarly?: boolean;
}) {
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<unknown>();
  const press = async () => {
    setBusy(true);
    setTrouble(undefined);
    try {
      await of.run();
    } catch (error) {
      setTrouble(error);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        class={of.isMain ? "button main" : "button"}
        data-act
        disabled={isBusy || of.isEarly}
        aria-label={of.label}
        onClick={() => void press()}
      >
        {of.children}
      </button>
      <Trouble error={trouble} />
    </>
  );
}

/** A button's word with what it is about, for a screen reader. Who sees the page sees that from the line. */
export const named = (button: string, what: string): string => `${button}: ${what}`;

/** Opens and closes the form that changes a line. */
export function Edit(of: { readonly what: string; readonly isOpen: boolean; readonly toggle: () => void }) {
  const { words } = useShared();
  return (
    <button
      type="button"
      class="button"
      aria-label={named(words.edit, of.what)}
      data-act
      aria-expanded={of.isOpen}
      onClick={of.toggle}
    >
      {words.edit}
    </button>
  );
}

/** A button for what cannot be undone: it first says what that means. */
export function Careful(of: {
  readonly button: string;
  /** Of both buttons, for a screen reader and the second one. */
  readonly label: string;
  readonly warning: string;
  readonly isGrave?: boolean;
  readonly run: () => Promise<unknown>;
}) {
  const { words } = useShared();
  const [isAsked, ask] = useState(false);
  if (!isAsked)
    return (
      <button type="button" class="button" data-act aria-label={of.label} onClick={() => ask(true)}>
        {of.button}
      </button>
    );
  return (
    <fieldset class={`careful note ${of.isGrave ? "fault" : "hold"}`} aria-label={of.label}>
      <p>{of.warning}</p>
      <div class="buttons">
        <Act run={of.run} label={of.label}>
          {of.button}
        </Act>
        <button type="button" class="button" onClick={() => ask(false)}>
          {words.keep}
        </button>
      </div>
    </fieldset>
  );
}

/** Somebody else has changed what a form is to change. Who saves once more means it. */
export class ChangedMeanwhile extends Error {
  constructor(
    /** What it is now. */
    readonly theirs: string,
    readonly keepTheirs: () => void,
  ) {
    super();
  }
}

/** What went wrong: a refusal, or what the page says itself. */
export function Trouble({ error }: { /** Undefined: nothing. */ readonly error: unknown }) {
  const { words } = useShared();
  if (error === undefined) return null;
  if (error instanceof ChangedMeanwhile)
    return (
      <div class="note hold" role="alert">
        <p>{words.changedMeanwhile(error.theirs)}</p>
        <button type="button" class="button" onClick={error.keepTheirs}>
          {words.keepTheirs}
        </button>
      </div>
    );
  const { code, message = "" } = error as { code?: string; message?: string };
  return (
    <p class="trouble" role="alert">
      {code === undefined ? message : <RefusalText code={code} message={message} />}
    </p>
  );
}

const BY_INPUT = ["INPUT_ACTIVE", "PULSE_INHIBITED"];

/** A refusal, in the reader's language by its code; of a button or a sensor, with its name. One that the page has no words for is quoted as the runtime says it. */
export function RefusalText({ code, message }: { readonly code: string; readonly message: string }) {
  const { view, words, said } = useShared();
  const named = view.overview?.inputs.filter(({ name }) => message.includes(`"${name}"`)) ?? [];
  const [alarm] = BY_INPUT.includes(code) ? alarmsIn(named, words) : [];
  const own = alarm ?? words.refusals[code];
  if (own !== undefined) return <>{own}</>;
  const theirs = said(uncoded(message));
  return <Foreign text={`${words.failedAs[code] ?? words.failed} ${theirs}`} part={theirs} />;
}

/** A text with a part in the runtime's English, which a screen reader is told of. */
export function Foreign({ text, part }: { readonly text: string; readonly part: string }) {
  const begins = text.indexOf(part);
  if (part === "" || begins < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, begins)}
      <span lang="en">{part}</span>
      {text.slice(begins + part.length)}
    </>
  );
}

/** Brings into view what has opened. It glides only where motion is welcome. */
export function reveal(element: Element): void {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "nearest", behavior: isStill ? "instant" : "smooth" });
}

/** A part of a view that folds. What is in it begins to live when it is first opened, and lives on when it is folded. */
export function Fold(of: {
  readonly title: string;
  readonly name: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  const [wasOpened, setOpened] = useState(of.isOpen ?? false);
  return (
    <details
      class={`card wide ${of.name}`}
      open={of.isOpen ?? false}
      onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary>
        <h2>{of.title}</h2>
      </summary>
      {wasOpened && of.children}
    </details>
  );
}

/** Gives the person a file to keep. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** As a `ref` of a form's field that a button has opened: what is typed next belongs there. */
export const focus = (field: HTMLElement | null): void => field?.focus();

/** One line of text and a button; the text stays when it was refused. */
export function LineForm(of: {
  readonly label: string;
  readonly button: string;
  readonly send: (text: string) => Promise<unknown>;
  readonly rows?: number;
  /** The name by which the text is kept when the view changes. */
  readonly draft?: string;
  /** What stands in it first. */
  readonly text?: string;
  /** More to fill in, below the line. */
  readonly children?: ComponentChildren;
}) {
  const [text, setText] = useDraft(of.draft, of.text);
  const [trouble, setTrouble] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === "" || isBusy) return;
    setBusy(true); // twice Enter is one message
    try {
      await of.send(text.trim());
      setText("");
      setTrouble(undefined);
    } catch (error) {
      setTrouble(error);
    }
    setBusy(false);
  };
  const field = {
    ...(of.text !== undefined && { ref: focus }),
    value: text,
    "aria-label": of.label,
    placeholder: of.label,
    required: true,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
      setText(currentTarget.value);
      setTrouble(undefined);
    },
  };
  return (
    <form class="line-form" onSubmit={(event) => void submit(event)}>
      {of.rows ? <textarea {...field} rows={of.rows} /> : <input {...field} type="text" />}
      <button type="submit" class="button main" aria-disabled={isBusy}>
        {of.button}
      </button>
      {of.children}
      <Trouble error={trouble} />
    </form>
  );
}
