import { counted, inLine } from "../harmless.js";
import { HouseTime } from "../wire/house-time.js";
import type { SearchAudit } from "../wire/web-search.js";
import { overviewOf, type Remote } from "./remote.js";

type LoggedSearch = SearchAudit["searches"][number];

interface AuditOptions {
  readonly limit?: number;
  readonly json?: boolean;
}

/** What agents searched the web for, the newest first: what was sent, what was removed, what was blocked. */
export async function audit(remote: Remote, { limit, json = false }: AuditOptions): Promise<string> {
  const found = await remote.call<SearchAudit>("list_web_searches", { limit });
  if (json) return JSON.stringify(found, null, 2);
  if (found.count === 0) return "nothing was searched for yet";
  const time = new HouseTime((await overviewOf(remote)).zone);
  const lines = found.searches.map((each) => lineOf(each, time));
  const hidden = found.count - found.searches.length;
  return [...lines, ...(hidden > 0 ? [`${hidden} older: --limit shows more`] : [])].join("\n");
}

function lineOf(search: LoggedSearch, time: HouseTime): string {
  const { timestamp, by, query, outcome, removed, suspicious, after_reading: read } = search;
  const kinds = removed.map(({ kind }) => kind).join(", ");
  const parts = [
    query === null ? "blocked" : `${inLine(query)}: ${endOf(search)}`,
    ...(kinds === "" ? [] : [`removed: ${kinds}`]),
    ...(read.length === 0 ? [] : [`after reading ${read.join(", ")}`]),
    ...(suspicious.length === 0 ? [] : [`in the results: ${suspicious.join(", ")}`]),
  ];
  const mark = outcome === "blocked" || suspicious.length > 0 ? "! " : "";
  return `${mark}${time.minute(timestamp)}  ${by}  ${parts.join("; ")}`;
}

function endOf({ outcome, results, code }: LoggedSearch): string {
  if (outcome === "failed") return `failed (${code})`;
  return outcome === "answered" ? counted(results ?? 0, "result") : "sent, its end is not known";
}
