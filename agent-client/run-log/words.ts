/** 12345.678 is "12 345.68". */
export const grouped = (n: number): string =>
  String(Math.round(n * 100) / 100).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, " ");

/** "1 call", "1 200 calls" */
export const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

interface Tokens {
  readonly input: number;
  readonly output: number;
  /** Of `input`. */
  readonly cached?: number | undefined;
}

/** With what they cost, where that is known: in the currency of the agent's price table. */
export const tokensInWords = ({ input, output, cached = 0 }: Tokens, cost: number): string =>
  `${grouped(input)} in${cached > 0 ? ` (${grouped(cached)} cached)` : ""}, ${grouped(output)} out${cost > 0 ? `, cost ${cost.toFixed(4)}` : ""}`;
