import { type Found, urlsOf } from "./findings.js";

/** One runtime a line, each address that it has beneath the first; empty where there is none. */
export function tableOf(all: readonly Found[]): string {
  const rows = [...all].sort(byName).flatMap(rowsOf);
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return rows.map((row) => `${padded(row).join("   ").trimEnd()}\n`).join("");
}

const byName = (one: Found, other: Found): number => one.name.localeCompare(other.name, "en");

const rowsOf = (found: Found): string[][] =>
  urlsOf(found).map((url, index) => [index === 0 ? found.name : "", url]);
