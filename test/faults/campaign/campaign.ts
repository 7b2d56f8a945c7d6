import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "../../../runtime/store/database.js";
import { migrate } from "../../../runtime/store/open-database.js";
import { Life, type Lived } from "./life.js";

export interface Totals {
  lives: number;
  doses: number;
  stretches: number;
  kills: number;
  /** By code. */
  readonly refusals: Map<string, number>;
  /** Number of a life, and what it broke with its story. */
  readonly broken: Array<{
    readonly life: number;
    readonly problems: readonly string[];
    readonly story: readonly string[];
  }>;
}

/** Lives through the lives numbered from `first` on. Stops after `enough` that broke something. */
export async function campaign(first: number, lives: number, enough = 5): Promise<Totals> {
  const totals: Totals = { lives: 0, doses: 0, stretches: 0, kills: 0, refusals: new Map(), broken: [] };
  const folder = await mkdtemp(join(tmpdir(), "tendril-campaign-"));
  const database = await Database.open({ file: ":memory:", setup: [] });
  await migrate(database);
  try {
    for (let life = first; life < first + lives && totals.broken.length < enough; life += 1) {
      add(totals, life, await new Life(life, database, folder).live());
    }
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
  return totals;
}

function add(
  totals: Totals,
  life: number,
  { problems, story, doses, stretches, kills, refusals }: Lived,
): void {
  totals.lives += 1;
  totals.doses += doses;
  totals.stretches += stretches;
  totals.kills += kills;
  for (const [code, n] of refusals) totals.refusals.set(code, (totals.refusals.get(code) ?? 0) + n);
  if (problems.length > 0) totals.broken.push({ life, problems, story });
}
