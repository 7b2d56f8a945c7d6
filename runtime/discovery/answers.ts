import {
  type HeardRecord,
  keyOf,
  type Message,
  type Question,
  type ResourceRecord,
  rdataOf,
} from "./message.js";
import { sameName } from "./names.js";

/** Which of `records` answer the query (RFC 6762, section 6), without those that it knows already (section 7.1). */
export const answersTo = (
  { questions, answers: known }: Message,
  records: readonly ResourceRecord[],
): readonly ResourceRecord[] =>
  records.filter(
    (record) =>
      questions.some((question) => asksFor(question, record)) && !known.some((one) => knows(one, record)),
  );

const asksFor = ({ name, type }: Question, record: ResourceRecord): boolean =>
  (type === record.type || type === "ANY") && sameName(name, record.name);

/** With at least half of its time left. */
const knows = (heard: HeardRecord, record: ResourceRecord): boolean =>
  heard.type === record.type &&
  heard.ttl * 2 >= record.ttl &&
  sameName(heard.name, record.name) &&
  heard.rdata.equals(rdataOf(record));

/** What saves the asker the next questions (RFC 6763, section 12). */
export function additionalsTo(
  answers: readonly ResourceRecord[],
  records: readonly ResourceRecord[],
): readonly ResourceRecord[] {
  const named = (name: string) => records.filter((record) => sameName(record.name, name));
  const next = (record: ResourceRecord): readonly ResourceRecord[] => {
    if (record.type === "SRV") return named(record.data.target);
    if (record.type !== "PTR") return [];
    return named(record.data).flatMap((found) => [found, ...next(found)]);
  };
  const found = new Map(answers.flatMap(next).map((record) => [keyOf(record), record] as const));
  for (const answer of answers) found.delete(keyOf(answer));
  return [...found.values()];
}
