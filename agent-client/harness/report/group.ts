import { instant } from "./time-axis.js";

/** Records that have something in common; times of the earliest and the latest. */
export interface Group<T> {
  readonly key: string;
  readonly members: readonly T[];
  readonly first: string;
  readonly last: string;
}

/** In the order in which the keys first occur. */
export function grouped<T extends { readonly at: string }>(
  records: readonly T[],
  keyOf: (record: T) => string,
): readonly Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const members = groups.get(keyOf(record));
    if (members) members.push(record);
    else groups.set(keyOf(record), [record]);
  }
  return [...groups].map(([key, members]) => ({ key, members, ...span(members.map(({ at }) => at)) }));
}

function span(times: readonly string[]): { readonly first: string; readonly last: string } {
  const ordered = [...times].sort((a, b) => instant(a, "a record's time") - instant(b, "a record's time"));
  return { first: ordered[0] ?? "", last: ordered.at(-1) ?? "" };
}

/** The most frequent first; equally frequent ones by name, so that the order is always the same. */
export const byCount = <T>(groups: readonly Group<T>[]): readonly Group<T>[] =>
  [...groups].sort((a, b) => b.members.length - a.members.length || (a.key < b.key ? -1 : 1));
