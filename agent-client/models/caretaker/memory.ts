import { type EpochMillis, hours } from "../../clock.js";

/** What the caretaker remembers between cycles, kept in the note below the text of others. */
export interface Memory {
  readonly others: string;
  readonly plants: ReadonlyMap<string, string>;
  /** One line about each plant's soil and probe, from the last survey. */
  readonly soils: ReadonlyMap<string, string>;
  /** Topics that the person was told of, and when. */
  readonly told: ReadonlyMap<string, string>;
  readonly answered: readonly string[];
}

const HEADING = "## The caretaker's own notes";
const LINE = /^- (plant|soil|told) ([^:\s]+): (.*)$/;
const ANSWERED = /^- answered: (.*)$/;
/** The person is reminded of a lasting problem after this time. */
const REMIND_AFTER = hours(24);

export function readMemory(note: string): Memory {
  const { own, others } = split(note.split("\n"));
  return {
    others: others.join("\n").trim(),
    plants: new Map(linesOf(own, "plant")),
    soils: new Map(linesOf(own, "soil")),
    told: new Map(linesOf(own, "told")),
    answered:
      own
        .map((line) => ANSWERED.exec(line)?.[1])
        .find((ids) => ids !== undefined)
        ?.split(", ") ?? [],
  };
}

/** Its own lines follow the heading; the text before and after them belongs to others. */
function split(lines: readonly string[]): { own: readonly string[]; others: readonly string[] } {
  const heading = lines.indexOf(HEADING);
  if (heading < 0) return { own: [], others: lines };
  const length = lines.slice(heading + 1).findIndex((line) => !LINE.test(line) && !ANSWERED.test(line));
  const end = length < 0 ? lines.length : heading + 1 + length;
  return { own: lines.slice(heading + 1, end), others: [...lines.slice(0, heading), ...lines.slice(end)] };
}

const linesOf = (lines: readonly string[], wanted: string): [string, string][] =>
  lines.flatMap((line): [string, string][] => {
    const [, kind, key, text] = LINE.exec(line) ?? [];
    return kind === wanted && key !== undefined && text !== undefined ? [[key, text]] : [];
  });

export function writeMemory({ others, plants, soils, told, answered }: Memory): string {
  const own = [
    HEADING,
    ...[...plants].map(([plant, line]) => `- plant ${plant}: ${line}`),
    ...[...soils].map(([plant, line]) => `- soil ${plant}: ${line}`),
    ...[...told].map(([topic, timestamp]) => `- told ${topic}: ${timestamp}`),
    ...(answered.length > 0 ? [`- answered: ${answered.join(", ")}`] : []),
  ].join("\n");
  return others === "" ? own : `${others}\n\n${own}`;
}

export function shouldTell({ told }: Memory, topic: string, now: EpochMillis): boolean {
  const last = told.get(topic);
  return last === undefined || now - Date.parse(last) >= REMIND_AFTER;
}
