/** A log of which old lines may go: each is a record of its own. */
export interface NumberEntry {
  readonly timestamp: string;
  readonly n?: number;
  /** Erasing needs room in the line. */
  readonly why?: string;
}

export interface NumberRecord {
  readonly n: number;
}

export const NUMBER_LOG = {
  name: "numbers",
  erasable: true,
  standAlone: true,
  fold: (_: NumberRecord | undefined, { n = -1 }: NumberEntry): NumberRecord => ({ n }),
};
