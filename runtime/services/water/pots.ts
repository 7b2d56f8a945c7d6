import { probeInput } from "../../config/devices.js";
import type { PlantConfig } from "../../config/schema.js";
import type { DoseRecord, Former, KnownPlants, Wiring } from "./declarations.js";

/** A configured plant, with all that identifies its pot. */
export interface WiredPlant extends Wiring {
  readonly id: string;
  /** Its earlier ids, from the configuration. */
  readonly formerly: readonly string[];
}

/** How each configured plant is wired. On the bench, a pump or light without a pin belongs to its plant only. */
export const wiredPlants = (plants: readonly PlantConfig[]): WiredPlant[] =>
  plants.map(({ id, formerly, pump, light, probe }) => ({
    id,
    formerly,
    pump: pump.output ? `gpio ${pump.output.gpio}` : null,
    light: light?.output ? `gpio ${light.output.gpio}` : null,
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
 * Decides which doses count for which plant. The limit belongs to the pot, and an id is only a name for it. When the
 * configuration changes, a plant takes over all that counted for each former plant with the same id, pump or probe, or
 * with an id in its `formerly`; with a new pump, also for former plants whose pump is gone. A plant without any such
 * link is new: it takes over all that counted for each former plant whose pot cannot be found. So a dose counts for
 * every plant that may have got it. One case cannot be detected: wires swapped between two pots at the same start at
 * which both plants were renamed, or got each other's ids.
 */
export class Pots {
  /** Written to the ledger, for the next start to compare with. */
  readonly known: KnownPlants;
  /** Whether a plant came, went or was wired differently since the last start. */
  readonly changed: boolean;
  private readonly before: KnownPlants;
  private readonly saidLate: ReadonlyMap<string, readonly Former[]>;

  /**
   * @param before how the plants were wired at the last start; undefined if no start has written it yet
   * @param lines the ledger's lines of the last day
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
   * Earlier ids that a plant names only now, after a start has guessed differently: their water counts for it too.
   * Plants that got it by the guess keep it. A plant that has the id now is a different one.
   */
  private toldLate({ plants }: KnownPlants, lines: readonly Line[]): ReadonlyMap<string, readonly Former[]> {
    const late = ({ id, formerly }: WiredPlant): Former[] =>
      formerly.flatMap((former) => {
        const isKnown = plants[id]?.formers.some((each) => each.id === former);
        const last = lines.findLast(({ record }) => record.plant === former);
        const isThere = this.plants.some((each) => each.id === former);
        return isKnown || isThere || !last ? [] : [{ id: former, until: last.id }];
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

  /** Former plants whose pot this plant may have; it gets their locks and holds. */
  predecessors(id: string): string[] {
    const plant = this.plants.find((each) => each.id === id);
    const late = (this.saidLate.get(id) ?? []).map((former) => former.id);
    return plant ? [...new Set([...this.formersOf(plant), ...late])].filter((former) => former !== id) : [];
  }

  /** Whether the last start had no plant with this id. */
  isNewId(id: string): boolean {
    return this.before.plants[id] === undefined;
  }

  /** Plants whose light may have been another plant's. */
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

  /** A pot may stay when its plant's id moves: a later plant at its pump or probe takes over what counted there. */
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

  /** Former plants that may have stood in this one's pot. The same id alone does not prove that. */
  private formersOf(plant: WiredPlant): string[] {
    const formers = Object.entries(this.before.plants);
    const mayBe = (id: string, was: Wiring): boolean =>
      plant.formerly.includes(id) || sharesPot(plant, was) || this.mayHaveRewired(plant, id, was);
    return formers.filter(([id, was]) => mayBe(id, was)).map(([id]) => id);
  }

  /** A new pump may replace any pump that is gone, unless another plant names that former plant as its own. */
  private mayHaveRewired({ pump }: WiredPlant, former: string, was: Wiring): boolean {
    if (pump === null || was.pump === null) return false;
    const isKnown = Object.values(this.before.plants).some((each) => each.pump === pump);
    const isStillThere = this.plants.some((each) => each.pump === was.pump);
    return !isKnown && !isStillThere && !this.plants.some(({ formerly }) => formerly.includes(former));
  }

  /**
   * Whether a former plant's pot cannot be found: no plant may have it, or only plants that kept their ids. Those may
   * have got its wires, while its pot has another id and other wires.
   */
  private isLost(former: string): boolean {
    const finders = this.plants.filter((plant) => this.formersOf(plant).includes(former));
    if (finders.length === 0) return true;
    return !this.isConfigured(former) && !finders.some(({ id }) => this.isNewId(id));
  }

  /** Whether nothing links the plant to a former pot: its wires are new, or those of a plant that is still there. */
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

/** For a journal of a version that did not write the wiring: plants that got water count as wired like now. */
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

/** One entry for each id, without those that end before the oldest line that counts. */
function newest(formers: readonly Former[], oldest: number): Former[] {
  const byId = new Map<string, number>();
  for (const { id, until } of formers) byId.set(id, Math.max(until, byId.get(id) ?? 0));
  return [...byId].filter(([, until]) => until >= oldest).map(([id, until]) => ({ id, until }));
}
