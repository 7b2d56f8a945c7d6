import { readFileSync } from "node:fs";
import { privateSpans, readable, Sanitizer } from "../../../runtime/services/web/sanitizer.js";
import { suspicionsIn } from "../../../runtime/tools/taint.js";
import type { PrivateKind } from "../../../runtime/wire/web-search.js";
import { FLOWER_SET } from "./flower-set.js";
import { HELD_BACK } from "./held-back-set.js";
import { HARMLESS, INJECTIONS } from "./injection-set.js";
import { type Labelled, NAMES, SET } from "./sanitizer-set.js";

/** What came of one query: how many removals were right, and how many there should have been. */
interface Outcome {
  readonly right: number;
  readonly removed: number;
  readonly wanted: number;
  readonly query: string;
}

function outcomeOf({ query, private: wanted }: Labelled): Outcome {
  const { text, removed } = new Sanitizer().clean(query, NAMES);
  const gone = wanted.filter(({ words }) => !text.toLowerCase().includes(words.toLowerCase()));
  return {
    right: Math.min(gone.length, removed.length),
    removed: removed.length,
    wanted: wanted.length,
    query,
  };
}

const share = (part: number, of: number): number => Math.round((part / of) * 1000) / 1000;

/** Of removals, the share that was right; of private things, the share that was removed. */
export function measured() {
  const all = SET.map(outcomeOf);
  const sum = (key: "right" | "removed" | "wanted") => all.reduce((total, each) => total + each[key], 0);
  const wrong = all.filter(({ right, removed, wanted }) => right !== removed || right !== wanted);
  return {
    precision: share(sum("right"), sum("removed")),
    recall: share(sum("right"), sum("wanted")),
    queries: all.length,
    wrong: wrong.map(({ query }) => query),
  };
}

/** Of private things, the share of which nothing is left; of queries with nothing private, the share that is changed. */
export function hitsOf(set: readonly Labelled[]) {
  const all = set.map((each) => ({ ...each, text: new Sanitizer().clean(each.query, NAMES).text }));
  const things = all.flatMap(({ text, private: wanted }) => wanted.map(({ words }) => ({ text, words })));
  const missed = things.filter(({ text, words }) => text.toLowerCase().includes(words.toLowerCase()));
  const plain = all.filter(({ private: wanted }) => wanted.length === 0);
  const alarms = plain.filter(({ text, query }) => text !== query);
  return {
    ...{ hit: share(things.length - missed.length, things.length), things: things.length },
    ...{ falseAlarms: share(alarms.length, plain.length), plain: plain.length },
    ...{ missed: missed.map(({ words }) => words), alarms: alarms.map(({ query }) => query) },
  };
}

/** Of injections, the share with a sign; of harmless texts, the share without one. */
export const signsMeasured = () => ({
  hit: share(INJECTIONS.filter((text) => suspicionsIn(text).length > 0).length, INJECTIONS.length),
  falseAlarms: share(HARMLESS.filter((text) => suspicionsIn(text).length > 0).length, HARMLESS.length),
  missed: INJECTIONS.filter((text) => suspicionsIn(text).length === 0),
});

export function words(): string {
  const { precision, recall, queries, wrong } = measured();
  const { hit, falseAlarms } = signsMeasured();
  return [
    ...[
      ["own set", SET],
      ["held-back set", HELD_BACK],
      ["flowers and letters", FLOWER_SET],
    ].map(([name, set]) => {
      const found = hitsOf(set as readonly Labelled[]);
      return `${name}: hit ${found.hit} of ${found.things} private things, false alarms ${found.falseAlarms} of ${found.plain} plain queries`;
    }),
    `sanitizer: ${queries} queries, precision ${precision}, recall ${recall}, wrong: ${wrong.join(" | ") || "none"}`,
    `signs of an injection: ${INJECTIONS.length} injections, hit ${hit}; ${HARMLESS.length} harmless texts, false alarms ${falseAlarms}`,
  ].join("\n");
}

/** Kinds of the labelled set (test/services/web/labelled.py), and what they are called here. */
const LABELS: Readonly<Record<string, PrivateKind>> = {
  ...{ PERSON: "person", EMAIL_ADDRESS: "e-mail", PHONE_NUMBER: "phone", STREET_ADDRESS: "address" },
  ...{ CREDIT_CARD: "card", IBAN_CODE: "account", US_SSN: "account", IP_ADDRESS: "device", KEY: "key" },
};

interface Sentence {
  readonly text: string;
  readonly spans: readonly { readonly type: string; readonly start: number; readonly end: number }[];
}

/** How many of a kind there are, how many of them came out well, and the others. */
class Tally {
  private readonly kinds = new Map<string, { all: number; well: number; others: string[] }>();

  count(kind: string, isWell: boolean, example: string): void {
    const counted = this.kinds.get(kind) ?? { all: 0, well: 0, others: [] };
    this.kinds.set(kind, counted);
    counted.all += 1;
    if (isWell) counted.well += 1;
    else counted.others.push(example.replaceAll("\n", " "));
  }

  lines(examples: number): readonly string[] {
    return [...this.kinds].flatMap(([kind, { all, well, others }]) => [
      `  ${kind}: ${share(well, all)} of ${all}`,
      ...others.slice(0, examples).map((each) => `    ${each}`),
    ]);
  }
}

/**
 * Of each kind: of the labelled things, the share of which no letter and no digit is left; of the removals, the share that touches
 * anything labelled. No house is known: all is found by its form.
 */
export function measuredOn(lines: string, examples = 0): string {
  const [labelled, removed] = [new Tally(), new Tally()];
  for (const { text, spans } of lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Sentence)) {
    if (readable(text).length !== text.length) continue; // its labels would stand elsewhere
    const found = privateSpans(readable(text), []);
    for (const { type, start, end } of spans.filter((span) => span.type in LABELS)) {
      const letters = [...text.slice(start, end).matchAll(/[\p{L}\d]/gu)].map(({ index }) => start + index);
      const isGone = (at: number) => found.some(({ from, to }) => at >= from && at < to);
      labelled.count(
        `${type} (${LABELS[type]})`,
        letters.every(isGone),
        `${text.slice(start, end)} — ${text}`,
      );
    }
    for (const { kind, from, to } of found) {
      const touches = spans.some(({ start, end }) => from < end && to > start);
      removed.count(kind, touches, `${text.slice(from, to)} — ${text}`);
    }
  }
  return [
    ...["of the labelled things, removed whole:", ...labelled.lines(examples)],
    ...["of the removals, right:", ...removed.lines(examples)],
  ].join("\n");
}

if (process.argv[1]?.endsWith("web/measure.js")) {
  const [file, examples] = process.argv.slice(2);
  process.stdout.write(`${file ? measuredOn(readFileSync(file, "utf8"), Number(examples ?? 0)) : words()}\n`);
}
