import { Sanitizer } from "../../../runtime/services/web/sanitizer.js";
import { suspicionsIn } from "../../../runtime/tools/suspicions.js";
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
    `sanitizer: ${queries} queries, precision ${precision}, recall ${recall}, wrong: ${wrong.join(" | ") || "none"}`,
    `signs of an injection: ${INJECTIONS.length} injections, hit ${hit}; ${HARMLESS.length} harmless texts, false alarms ${falseAlarms}`,
  ].join("\n");
}

if (process.argv[1]?.endsWith("web/measure.js")) process.stdout.write(`${words()}\n`);
