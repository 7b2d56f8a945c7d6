import { probeInput } from "../../config/probe.js";
import type { PlantConfig } from "../../config/schema.js";
import type { DoseRecord, KnownPlants, Wiring } from "./table.js";

/** A configured plant, with all that tells which pot it stands in. */
export interface WiredPlant extends Wiring {
  readonly id: string;
  /** Ids that it had before, as the configuration says. */
  readonly formerly: readonly string[];
}

/** How each configured plant is wired. On the bench a pump and a light without a pin are nobody else's. */
export const wiredPlants = (plants: readonly PlantConfig[]): WiredPlant[] =>
  plants.map(({ id, formerly, pump, light, probe }) => ({
    id,
    formerly,
    pump: pump.output ? `gpio ${pump.output.gpio}` : null,
    light: light ? `gpio ${light.output.gpio}` : null,
    probe: probeInput(probe),
  }));

/** A record of the ledger with its number. */
export interface Line {
  readonly id: number;
  readonly record: DoseRecord;
}

/** Charged to every plant that the ledger did not know when it was written. */
export const ANY_NEW_PLANT = "*";

/**
 * Which doses count for which plant. The limit belongs to what is watered, and an id is only a name for it: a dose counts
 * for every configured plant that shares an id, a pump or a probe with the plant it was poured on, and for one that names
 * that id in `formerly`. Where a plant has left the configuration and nothing tells where its pot is now, its doses count
 * for every plant that is new. So a dose can count for several plants, but never for none of those it may be in.
 */
export class Pots {
  /** To be written to the ledger, for the next start to compare with. */
  readonly known: KnownPlants;

  /**
   * @param before how the plants were wired at the last start; undefined where no start has said so yet
   * @param lines what the ledger holds of the last day
   * @param lastId the newest line's number: a plant that is new is known from there on
   */
  constructor(
    private readonly plants: readonly WiredPlant[],
    private readonly before: KnownPlants | undefined,
    lines: readonly Line[],
    lastId: number,
  ) {
    const knownSince = (id: string): number => {
      const known = before ? before[id]?.since : lines.find(({ record }) => record.plant === id) && 0;
      return known ?? lastId;
    };
    this.known = Object.fromEntries(
      plants.map(({ id, pump, light, probe }) => [id, { pump, light, probe, since: knownSince(id) }]),
    );
  }

  /** Whether the dose may be in the pot of this configured plant. A plant of no configuration has the doses of its id. */
  counts(id: string, line: Line): boolean {
    const { plant: poured } = line.record;
    if (poured === undefined) return false;
    if (poured === id) return true;
    const plant = this.plants.find((each) => each.id === id);
    if (!plant) return false;
    if (poured === ANY_NEW_PLANT) return this.isNewSince(id, line);
    return this.claims(plant, line.record) || (this.isLost(line.record) && this.isNewSince(id, line));
  }

  /** How the wiring a dose was poured with is known: by the dose itself, or for older journals by the last start. */
  private wiringOf({ plant, pump, probe }: DoseRecord): Partial<Wiring> | undefined {
    return probe !== undefined ? { pump: pump ?? null, probe } : this.before?.[plant ?? ""];
  }

  private claims(plant: WiredPlant, dose: DoseRecord): boolean {
    return plant.formerly.includes(dose.plant ?? "") || sharesPot(plant, this.wiringOf(dose));
  }

  /** Whether nobody can tell where the plant of a dose is now. */
  private isLost(dose: DoseRecord): boolean {
    return !this.plants.some((plant) => plant.id === dose.plant || this.claims(plant, dose));
  }

  private isNewSince(id: string, line: Line): boolean {
    return (this.known[id]?.since ?? 0) >= line.id;
  }

  /** Whether a plant came, went or was wired anew since the last start. */
  get changed(): boolean {
    return JSON.stringify(this.before) !== JSON.stringify(this.known);
  }

  /** Former plants whose pot a configured plant may have: what was locked or held then is so now. */
  predecessors(id: string): string[] {
    const plant = this.plants.find((each) => each.id === id);
    const others = Object.entries(this.before ?? {}).filter(([former]) => former !== id);
    return others
      .filter(([former, wiring]) => plant && (plant.formerly.includes(former) || sharesPot(plant, wiring)))
      .map(([former]) => former);
  }

  /** Plants whose light may be one that was lit for another plant, or for nobody that is known. */
  get lightsOfOthers(): string[] {
    const { before } = this;
    if (!before) return [];
    return this.plants
      .filter(({ id, light }) => !before[id] || before[id].light !== light)
      .map(({ id }) => id);
  }
}

const sharesPot = (a: Wiring, b: Partial<Wiring> | undefined): boolean =>
  (a.pump !== null && a.pump === b?.pump) || a.probe === b?.probe;
