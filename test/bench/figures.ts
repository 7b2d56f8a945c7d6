/** One line of the table. `show` gives the figures their unit. */
export interface Figure {
  readonly what: string;
  readonly ours: number;
  /** The same done by bare Node, `ws` or the disk, in the same run. */
  readonly bare?: number;
  /** The most that `ours`, or its ratio to `bare`, should be. */
  readonly aim?: { readonly atMost: number; readonly of: "ours" | "ratio" };
  readonly show: (value: number) => string;
}

/** Three digits at least: `--against` compares what is shown. */
export const milliseconds = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
export const microseconds = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`;
export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString("en-US")} /s`;
export const bytes = (n: number): string => `${Math.round(n).toLocaleString("en-US")} B`;
export const megabytes = (n: number): string => `${(n / 1e6).toFixed(1)} MB`;
export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;

/** The value that a share of all values does not exceed: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

const HEADER = ["", "Tendril", "bare", "ratio", "aim", ""];

export const table = (figures: readonly Figure[]): string => columns(HEADER, figures.map(cells));

/** A Markdown table with its columns in line, to be read on a terminal too; the first is text, the others are figures. */
export function columns(header: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [header, ...body];
  const widths = header.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(header), line(rule), ...body.map(line)].join("\n");
}

function cells({ what, ours, bare, aim, show }: Figure): string[] {
  const ratio = bare === undefined ? undefined : ours / bare;
  const measured = aim?.of === "ratio" ? ratio : ours;
  return [
    what,
    show(ours),
    bare === undefined ? "" : show(bare),
    ratio === undefined ? "" : times(ratio),
    aim ? `≤ ${(aim.of === "ratio" ? times : show)(aim.atMost)}` : "",
    aim && measured !== undefined ? (measured <= aim.atMost ? "met" : "MISSED") : "",
  ];
}
