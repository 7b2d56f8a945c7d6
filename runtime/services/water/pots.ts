import { probeInput } from "../../config/devices.js";
import type { PlantConfig } from "../../config/schema.js";
import type { DoseRecord, Former, KnownPlants, Wiring } from "./declarations.js";

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

/** Charged to every plant that was not configured when the line was written. */
export const ANY_NEW_PLANT = "*";

/**
 * Which doses count for which plant. The limit belongs to what is watered, and an id is only a name for it. When the
 * configuration changes, a plant takes over what counted until then for every former plant with the same id, pump or
 * probe, or with an id that it names in `formerly`; with a new pump, also for those whose pump is gone. A plant of which
 * none of that can be said is new: it takes over what counted for every former plant whose pot nobody can find now. So
 * a dose can count for several plants, and it counts for each that may have got it. One thing nobody can tell: wires that
 * were swapped between two pots at the same start at which both plants were renamed, or got each other's ids.
 */
export class Pots {
  /** To be written to the ledger, for the next start to compare with. */
  readonly known: KnownPlants;
  /** Whether a plant came, went or was wired anew since the last start. */
  readonly changed: boolean;
  private readonly before: KnownPlants;
  private readonly saidLate: ReadonlyMap<string, readonly Former[]>;

  /**
   * @param before how the plants were wired at the last start; undefined where no start has said so yet
   * @param lines what the ledger holds of the last day
   */
  constructor(
    private readonly plants: readonly WiredPlant[],
    before: KnownPlants | undefined,
    lines: readonly Line[],
  ) {
    this.before = before ?? guessed(plants, lines);
    const isRewired = !before || !sameWiring(plants, before);
    const known = isRewired ? this.takeOver(lines) : this.before;
    this.saidLate = this.toldLate(known, lines);
    this.changed = isRewired || this.saidLate.size > 0;
    this.known = this.saidLate.size > 0 ? withFormers(known, this.saidLate) : known;
  }

  /**
   * Ids that a plant says it had, and that a start before guessed otherwise: their water counts for it too. Nothing is taken
   * from whom the guess had given it to. A plant that has the id now is another one.
   */
  private toldLate({ plants }: KnownPlants, lines: readonly Line[]): ReadonlyMap<string, readonly Former[]> {
    const late = ({ id, formerly }: WiredPlant): Former[] =>
      formerly.flatMap((former) => {
        const isHeeded = plants[id]?.formers.some((each) => each.id === former);
        const last = lines.findLast(({ record }) => record.plant === former);
        const isThere = this.plants.some((each) => each.id === former);
        return isHeeded || isThere || !last ? [] : [{ id: former, until: last.id }];
      });
    return new Map(
      this.plants
        .map((plant) => [plant.id, late(plant)] as const)
        .filter(([, formers]) => formers.length > 0),
    );
  }

  /** Whether the dose may be in the pot of this plant. */
  counts(id: string, { id: line, record }: Line): boolean {
    if (record.plant === undefined) return false;
    const formers = this.known.plants[id]?.formers ?? [];
    return (
      record.plant === id || formers.some((former) => former.id === record.plant && line <= former.until)
    );
  }

  /** Former plants whose pot a configured plant may have: what was locked or held then is so now. */
  predecessors(id: string): string[] {
    const plant = this.plants.find((each) => each.id === id);
    const late = (this.saidLate.get(id) ?? []).map((former) => former.id);
    return plant ? [...new Set([...this.formersOf(plant), ...late])].filter((former) => former !== id) : [];
  }

  /** Whether the last start did not know a plant of this id. */
  isNewId(id: string): boolean {
    return this.before.plants[id] === undefined;
  }

  /** Plants whose light may be one that was lit for another plant. */
  get lightsOfOthers(): string[] {
    const { plants } = this.before;
    return this.plants.filter(({ id, light }) => plants[id]?.light !== light).map(({ id }) => id);
  }

  /** What each plant, and each that is gone, takes over at this change: up to the ledger's newest line. */
  private takeOver(lines: readonly Line[]): KnownPlants {
    const until = lines.at(-1)?.id ?? 0;
    const oldest = lines[0]?.id ?? 0;
    const places = this.placesUntil(until, oldest);
    const gone = Object.keys(this.before.plants).filter((id) => this.isLost(id));
    const lost = newest([...this.before.lost, ...this.inheritance(gone, until)], oldest);
    const formers = (plant: WiredPlant): Former[] => {
      const own = this.inheritance([...this.formersOf(plant), plant.id], until);
      const there = placesOf(plant).flatMap((place) => places[place] ?? []);
      const ofNobody = this.isNew(plant) ? [...lost, { id: ANY_NEW_PLANT, until }] : [];
      return newest([...own, ...there, ...ofNobody], oldest);
    };
    const entries = this.plants.map((plant) => {
      const { id, pump, light, probe } = plant;
      return [id, { pump, light, probe, formers: formers(plant) }] as const;
    });
    return { plants: Object.fromEntries(entries), lost, places };
  }

  /** A pot can stay behind when its plant's id moves on: whoever comes to its pump or probe later takes over what counted there. */
  private placesUntil(until: number, oldest: number): Record<string, Former[]> {
    const places = new Map(
      Object.entries(this.before.places).map(([place, formers]) => [place, [...formers]]),
    );
    for (const [id, wiring] of Object.entries(this.before.plants))
      for (const place of placesOf(wiring))
        places.set(place, [...(places.get(place) ?? []), ...this.inheritance([id], until)]);
    const current = [...places].map(([place, formers]) => [place, newest(formers, oldest)] as const);
    return Object.fromEntries(current.filter(([, formers]) => formers.length > 0));
  }

  private inheritance(ids: readonly string[], until: number): Former[] {
    return ids.flatMap((id) => [{ id, until }, ...(this.before.plants[id]?.formers ?? [])]);
  }

  /** Former plants that may stand in this one's pot. An id alone proves no pot. */
  private formersOf(plant: WiredPlant): string[] {
    const formers = Object.entries(this.before.plants);
    const mayBe = (id: string, was: Wiring): boolean =>
      plant.formerly.includes(id) || sharesPot(plant, was) || this.mayHaveRewired(plant, id, was);
    return formers.filter(([id, was]) => mayBe(id, was)).map(([id]) => id);
  }

  /** A pump that nobody had before may be any of those that nobody has now, but one that another plant says it had. */
  private mayHaveRewired({ pump }: WiredPlant, former: string, was: Wiring): boolean {
    if (pump === null || was.pump === null) return false;
    const isKnown = Object.values(this.before.plants).some((each) => each.pump === pump);
    const isStillThere = this.plants.some((each) => each.pump === was.pump);
    return !isKnown && !isStillThere && !this.plants.some(({ formerly }) => formerly.includes(former));
  }

  /**
   * Whether nobody can find a former plant's pot: no plant may stand in it, or only such as are still called what they were.
   * Then they may have got its wires, and its pot another id and other wires.
   */
  private isLost(former: string): boolean {
    const finders = this.plants.filter((plant) => this.formersOf(plant).includes(former));
    if (finders.length === 0) return true;
    return !this.isConfigured(former) && !finders.some(({ id }) => this.isNewId(id));
  }

  /** Whether nothing tells which former pot a plant stands in: its wires are new, or those of a plant that is still there. */
  private isNew(plant: WiredPlant): boolean {
    const formers = this.formersOf(plant);
    return formers.length === 0 || (this.isNewId(plant.id) && formers.every((id) => this.isConfigured(id)));
  }

  private isConfigured(id: string): boolean {
    return this.plants.some((plant) => plant.id === id);
  }
}

const withFormers = (known: KnownPlants, more: ReadonlyMap<string, readonly Former[]>): KnownPlants => ({
  ...known,
  plants: Object.fromEntries(
    Object.entries(known.plants).map(([id, plant]) => [
      id,
      { ...plant, formers: newest([...plant.formers, ...(more.get(id) ?? [])], 0) },
    ]),
  ),
});

/** What tells a pot: its pump and its probe. */
const placesOf = ({ pump, probe }: Wiring): string[] => [
  ...(pump === null ? [] : [`pump ${pump}`]),
  `probe ${probe}`,
];

const sharesPot = (a: Wiring, b: Wiring): boolean => placesOf(a).some((place) => placesOf(b).includes(place));

const sameWiring = (plants: readonly WiredPlant[], { plants: before }: KnownPlants): boolean =>
  plants.length === Object.keys(before).length &&
  plants.every(({ id, pump, light, probe }) => {
    const was = before[id];
    return was?.pump === pump && was.light === light && was.probe === probe;
  });

/** A journal of a version that did not write the wiring: whoever has had water is taken to be wired as now. */
function guessed(plants: readonly WiredPlant[], lines: readonly Line[]): KnownPlants {
  const watered = new Set(lines.flatMap(({ record }) => record.plant ?? []));
  const gone = [...watered].filter((id) => !plants.some((plant) => plant.id === id));
  const isSettled = ({ id }: WiredPlant) => watered.has(id) || gone.length === 0;
  const entries = plants
    .filter(isSettled)
    .map(({ id, pump, light, probe }) => [id, { pump, light, probe, formers: [] }] as const);
  const until = lines.at(-1)?.id ?? 0;
  return { plants: Object.fromEntries(entries), lost: gone.map((id) => ({ id, until })), places: {} };
}

/** One entry an id, and none that ends before the oldest line that counts. */
function newest(formers: readonly Former[], oldest: number): Former[] {
  const byId = new Map<string, number>();
  for (const { id, until } of formers) byId.set(id, Math.max(until, byId.get(id) ?? 0));
  return [...byId].filter(([, until]) => until >= oldest).map(([id, until]) => ({ id, until }));
}
