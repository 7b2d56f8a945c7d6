import { Command, Option } from "commander";
import type { Found } from "../../runtime/wire/mdns-record.js";
import type { Millis } from "../clock.js";
import { checked, lookTime } from "../options/values.js";
import { asCalledHere } from "../program.js";
import { LOOKING, urlsOf } from "./look.js";

export interface Given {
  readonly json?: boolean;
  readonly for: Millis;
}

const AFTERWORD = `
Anybody on the network can use any name. An agent asks for a proof of identity:
tendril agent --discover.
Exit codes: 0 something was found; 1 nothing was; 2 wrong use.`;

export const discoverCommand = (): Command =>
  new Command("tendril discover")
    .description("List the runtimes on this network.")
    .option("--json", "as JSON")
    .addOption(
      new Option("--for <time>", "how long to look: 1s to 1m")
        .argParser(checked(lookTime))
        .default(LOOKING, "3s"),
    )
    .addHelpText("after", asCalledHere(AFTERWORD));

/** What is printed with --json. */
export const jsonOf = (all: readonly Found[]): string => `${JSON.stringify(all.map(asJson), null, 2)}\n`;

function asJson(found: Found) {
  const { name, host, addresses, port, tls } = found;
  return { name, host, addresses, port, tls, urls: urlsOf(found) };
}

/** One address a line, with the runtime's name before its first; empty if nothing was found. */
export function tableOf(all: readonly Found[]): string {
  const rows = [...all].sort(byName).flatMap(rowsOf);
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return rows.map((row) => `${padded(row).join("   ").trimEnd()}\n`).join("");
}

const byName = (one: Found, other: Found): number => one.name.localeCompare(other.name, "en");

const rowsOf = (found: Found): string[][] =>
  urlsOf(found).map((url, index) => [index === 0 ? found.name : "", url]);
