/** A log of numbers for the tests: `of` extends an earlier record, adding to its sum. */
export interface Count {
  readonly timestamp: string;
  readonly plant?: string;
  readonly n: number;
  readonly of?: number;
}

export interface Counted {
  readonly n: number;
  readonly sum: number;
  readonly text: string;
}

export const COUNT_LOG = {
  name: "counts",
  searchText: ({ text }: Counted) => text,
  fold: (previous: Counted | undefined, { n, of }: Count): Counted => {
    if (of === undefined) return { n, sum: n, text: `Nummer ${n} ÄPFEL 50%_` };
    if (!previous) throw new Error(`record ${of} is lost`);
    return { ...previous, sum: previous.sum + n };
  },
};
