import { type HomeReport, homeReport, homeSuggestion } from "../wire/home-tools.js";
import { harmless, inLine } from "./print.js";
import { houseTimeBy, type Remote, understood } from "./remote.js";

/** Entities in one answer of `show_home`. */
const PAGE = 200;

/** What is listed, and what each service of it needs now. */
export async function home(remote: Remote, { json = false }: { readonly json?: boolean }): Promise<string> {
  const report = await wholeReport(remote);
  if (json) return harmless(JSON.stringify(report, null, 2));
  const time = await houseTimeBy(remote);
  const lines = report.entities.flatMap(linesOf);
  const none = "No entity is listed yet. A list to begin with: tendril home suggest";
  return [
    `Home Assistant ${inLine(report.version)}, connected since ${time.minute(report.connected_since)}`,
    "",
    ...(lines.length > 0 ? lines : [none]),
    ...unreadLine(report.unread),
  ].join("\n");
}

/** Lines for tendril.yaml. */
export async function suggestHome(
  remote: Remote,
  { area, label }: { readonly area?: string; readonly label?: string } = {},
): Promise<string> {
  const answer = await remote.call("suggest_home", { area, label });
  const { yaml, suggested, left_out } = understood("suggestion", homeSuggestion, answer);
  const head = [
    `# ${suggested} entities; ${left_out} others were left out. Read each line before you take it over.`,
    "# What is not listed is not there for agents. docs/home.md",
  ];
  return harmless([...head, yaml].join("\n"));
}

async function wholeReport(remote: Remote): Promise<HomeReport> {
  const page = async (offset: number) =>
    understood("report of the home", homeReport, await remote.call("show_home", { limit: PAGE, offset }));
  const report = await page(0);
  const entities = [...report.entities];
  while (entities.length < report.count) {
    const next = await page(entities.length);
    if (next.entities.length === 0) break;
    entities.push(...next.entities);
  }
  return { ...report, entities };
}

const NEEDS = {
  allowed: "allowed",
  confirm: "with your yes",
  opt_in: "with your yes (you opted in)",
  blocked: "blocked: it needs opt_in",
} as const;

function linesOf(entity: HomeReport["entities"][number]): string[] {
  const { entity_id, name, may, state, exists, opaque, services } = entity;
  const now = exists ? (state ?? "no state") : "! Home Assistant does not have it";
  return [
    `${entity_id}  ${inLine(name)}: ${inLine(now)}${may === "see" ? ", only to be seen" : ""}`,
    ...services.map((each) => `    ${NEEDS[each.verdict]}: ${each.services.join(", ")}`),
    ...(opaque === null || may === "see" ? [] : [`    may do more than its name says: ${inLine(opaque)}`]),
  ];
}

const unreadLine = (unread: readonly string[]): string[] =>
  unread.length === 0
    ? []
    : ["", `! Nobody can read what these would do, so everything asks you: ${unread.slice(0, 5).join(", ")}`];
