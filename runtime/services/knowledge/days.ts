import { hours } from "../../../drivers/units.js";
import type { PassageIndex } from "../../store/passage-index.js";
import type { RecordLog } from "../../store/record-log.js";
import { HouseTime } from "../../wire/house-time.js";
import { counted } from "../../wire/phrases.js";
import { HOUSEHOLD } from "../household/household.js";
import type { House } from "../module.js";
import { sourcesInNote } from "../thinking/index.js";
import { DOSE_LOG, type DoseEntry, type DoseRecord } from "../water/declarations.js";
import type { OtherSource } from "./knowledge.js";
import { documentOf } from "./passages.js";

/** The note that the agent keeps from session to session, as it stands. */
export class Note implements OtherSource {
  readonly type = "note";
  private indexed: number | null = Number.NaN;

  constructor(private readonly house: House) {}

  async follow(index: PassageIndex): Promise<void> {
    const { content, timestamp } = await this.house.store.notes.current();
    if (timestamp === this.indexed) return;
    if (content === "" || timestamp === null) await index.remove(this.type, [this.type]);
    else
      await index.put(this.type, [
        await documentOf(
          this.type,
          { title: "the agent's note", text: content, owner: HOUSEHOLD, at: timestamp },
          sourcesInNote(content),
        ),
      ]);
    this.indexed = timestamp;
  }
}

/** Each day of each plant in words: how moist the soil was, and what was poured. Days are those of the house's zone. */
export class Days implements OtherSource {
  readonly type = "day";
  private readonly time: HouseTime;
  private readonly doses: RecordLog<DoseEntry, DoseRecord>;

  constructor(private readonly house: House) {
    this.time = new HouseTime(house.core.zone);
    this.doses = house.journal(DOSE_LOG);
  }

  /** Only days that are over: their figures stay. The mark is the end of the last one, in seconds. */
  async follow(index: PassageIndex): Promise<void> {
    const now = this.house.clock.now();
    for (let from = await this.start(index); ; ) {
      const to = this.time.endOfDay(from);
      if (to > now) return;
      const documents = await Promise.all(
        this.house.plants.ids.map((plant) => this.document(plant, from, to)),
      );
      await index.put(
        this.type,
        documents.filter((document) => document !== undefined),
        { mark: to / 1000 },
      );
      from = to;
    }
  }

  /** Where the last day that was read ended; else the time of the oldest line about water, which is as old as the house. */
  private async start(index: PassageIndex): Promise<number> {
    const mark = await index.mark(this.type);
    if (mark > 0) return mark * 1000;
    for await (const { record } of this.doses.stored()) return Date.parse(record.timestamp);
    return this.house.clock.now();
  }

  private async document(plant: string, from: number, to: number) {
    const known = this.house.plants.all.find(({ id }) => id === plant);
    const name = known?.name ?? plant;
    const sentences = [await this.moisture(plant, from, to), await this.water(plant, from, to)];
    const told = sentences.filter((sentence) => sentence !== undefined);
    if (told.length === 0) return undefined;
    const day = this.time.day(from);
    const species = known?.species === undefined ? "" : ` (${known.species})`;
    return documentOf(`${day} ${plant}`, {
      title: `${name}${species} on ${day}`,
      text: told.join("\n"),
      owner: HOUSEHOLD,
      at: to - 1,
      metadata: { plant, day, zone: this.time.zone },
    });
  }

  private async moisture(plant: string, from: number, to: number): Promise<string | undefined> {
    const span = (to - from) / hours(1);
    const { items } = await this.house.store.readings.history({
      ...{ plant, hours: span, samplesPerHour: 1 / span, aggregation: "mean", valueField: "percent" },
      ...{ endMs: to, includeEmpty: false },
    });
    const [bucket] = items;
    if (typeof bucket?.value !== "number") return undefined;
    return `Soil moisture: ${Math.round(bucket.value)} % on average, of ${Number(bucket.count)} readings.`;
  }

  private async water(plant: string, from: number, to: number): Promise<string | undefined> {
    const records = await this.doses.range(from, to - 1);
    const doses = records.filter((record) => record.plant === plant && record.outcome !== "mark");
    if (doses.length === 0) return undefined;
    const sum = doses.reduce((ml, dose) => ml + dose.ml_dispensed, 0);
    const each = doses.map(
      (dose) => `${this.time.clock(dose.timestamp)} ${dose.ml_dispensed} ml (${dose.outcome}, by ${dose.by})`,
    );
    return `Watered ${counted(doses.length, "time")}, ${sum} ml of water in all: ${each.join("; ")}.`;
  }
}
