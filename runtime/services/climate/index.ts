import { z } from "zod";
import type { RoomSensor } from "../../../drivers/devices/room-sensor.js";
import { ROOM_CHIP_NAMES, ROOM_CHIPS, type RoomChipName } from "../../../drivers/devices/room-sensor.js";
import { DriverError } from "../../../drivers/errors.js";
import type { Clock } from "../../../drivers/ports.js";
import {
  figuresOf,
  ROOM_QUANTITIES,
  ROOM_QUANTITY_NAMES,
  type RoomField,
  type RoomFigures,
  type RoomSeries,
} from "../../../drivers/room-quantities.js";
import { hex } from "../../../drivers/units.js";
import { chipError, withUsualChip } from "../../config/devices.js";
import { refuseShared } from "../../config/schema.js";
import { errorTable, excerpt, final, later, TendrilError } from "../../errors.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import type { MeasurementStore } from "../../store/measurements.js";
import { isoUtc } from "../../tools/iso-time.js";
import { defineTool, reads } from "../../tools/tool.js";
import { type ClimateNow, type ClimateReading, climateReading } from "../../wire/overview.js";
import { historyResult } from "../../wire/plants.js";
import { historyInput, historyQuery } from "../log-tools.js";
import { defineModule, definePart } from "../module.js";

const CLIMATE_ERRORS = errorTable({
  SENSOR_FAULT: later(
    "continue without the room's figures, and read it later; a person removes the named cause",
    "nothing",
  ),
  UNKNOWN_PLACE: final("use one of the places that are named", "nothing"),
});

const oneOf = (all: readonly string[]) => `must be ${all.join(" or ")}`;

function sensorWith(chip: RoomChipName) {
  const { addresses } = ROOM_CHIPS[chip];
  return z.strictObject({
    place: z.string().min(1).max(60).describe("the room's name, or where in it the sensor is"),
    chip: z.literal(chip).describe("the sensor's chip"),
    address: z
      .literal(addresses, { error: oneOf(addresses.map((each) => hex(each))) })
      .default(addresses[0])
      .describe("I²C address, on the bus of the probes"),
  });
}

const [first, ...others] = ROOM_CHIP_NAMES;
const kinds = z.discriminatedUnion("chip", [sensorWith(first), ...others.map(sensorWith)], {
  error: chipError(oneOf(ROOM_CHIP_NAMES.map((chip) => `"${chip}"`))),
});
const sensor = withUsualChip(first, kinds);

const addresses = new Set<number>(ROOM_CHIP_NAMES.flatMap((chip) => ROOM_CHIPS[chip].addresses));

/** Each sensor has a place and an address of its own, so there are at most as many sensors as addresses. */
const climateConfig = {
  climate: z
    .array(sensor)
    .max(addresses.size)
    .superRefine((all, ctx) => {
      const folded = (value: string | number) => (typeof value === "string" ? value.toLowerCase() : value);
      refuseShared(all, { list: "climate", key: "place", folded }, ctx);
      refuseShared(all, { list: "climate", key: "address" }, ctx);
    })
    .default([])
    .describe(`sensors of rooms: ${ROOM_QUANTITY_NAMES.join(", ")}`),
};

type Fields = Readonly<Record<string, RoomSeries>>;

/** The fields of a sensor's readings, with the series of each. */
const fieldsOf = ({ measures }: RoomSensor): Fields =>
  Object.fromEntries(measures.map((name) => [ROOM_QUANTITIES[name].field, ROOM_QUANTITIES[name].series]));

/** Reads each room's sensor, stores the readings, and remembers the faults of the sensors. */
class ClimateService {
  private readonly last = new Map<string, ClimateReading>();
  private readonly faults = new Map<string, NonNullable<ClimateNow["fault"]>>();

  constructor(
    private readonly sensors: ReadonlyMap<string, RoomSensor>,
    private readonly measurements: MeasurementStore,
    private readonly clock: Clock,
  ) {}

  get places(): readonly string[] {
    return [...this.sensors.keys()];
  }

  /** Reads the sensor now and stores its values; the first sensor by default. Throws SENSOR_FAULT, UNKNOWN_PLACE. */
  async read(named?: string): Promise<ClimateReading> {
    const [place, sensor] = this.sensorAt(named);
    try {
      return this.keep(place, fieldsOf(sensor), figuresOf(await sensor.read()));
    } catch (error) {
      throw this.faulty(place, error);
    }
  }

  /** Throws UNKNOWN_PLACE, TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  async history(query: HistoryQuery, named?: string): Promise<HistoryResult> {
    const [place, sensor] = this.sensorAt(named);
    return this.measurements.history(query, { place, fields: fieldsOf(sensor) });
  }

  /** The last reading of each place, and what is wrong with its sensor. Reads no sensor. */
  now(): ClimateNow[] {
    return [...this.sensors].map(([place, sensor]) => ({
      place,
      measures: Object.keys(fieldsOf(sensor)),
      reading: this.last.get(place) ?? null,
      fault: this.faults.get(place) ?? null,
    }));
  }

  private keep(place: string, fields: Fields, figures: RoomFigures): ClimateReading {
    const at = this.clock.now();
    for (const [field, quantity] of Object.entries(fields)) {
      const value = figures[field as RoomField];
      if (value !== undefined) this.measurements.add({ quantity, place, at, value });
    }
    const reading = { place, timestamp: isoUtc(at), ...figures };
    this.last.set(place, reading);
    this.faults.delete(place);
    return reading;
  }

  private sensorAt(named: string | undefined): [string, RoomSensor] {
    const all = [...this.sensors];
    const found =
      named === undefined ? all[0] : all.find(([place]) => place.toLowerCase() === named.toLowerCase());
    if (found) return found;
    const what = `no sensor is in "${excerpt(named ?? "")}"; there is: ${this.places.join(", ")}`;
    throw new TendrilError(CLIMATE_ERRORS.UNKNOWN_PLACE, what, { details: { places: this.places } });
  }

  private faulty(place: string, error: unknown): unknown {
    if (!(error instanceof DriverError)) return error;
    const since = this.faults.get(place)?.since ?? isoUtc(this.clock.now());
    this.faults.set(place, { code: error.code, message: error.message, since });
    const what = `the sensor of ${place} cannot be read: ${error.what} (${error.code})`;
    const details = { cause: error.code, last_good: this.last.get(place) ?? null };
    return new TendrilError(CLIMATE_ERRORS.SENSOR_FAULT, what, { cause: error, details });
  }
}

const climate = definePart(
  "climate",
  ({ board, store, clock }) => new ClimateService(board.climate, store.measurements, clock),
);

const FIELDS = Object.values(ROOM_QUANTITIES).map(({ field }) => `\`${field}\``);
const place = z.string().min(1).max(60).optional().describe("the room; the first by default");

const readClimate = defineTool({
  name: "read_climate",
  service: climate,
  description: "Read a room's sensor now. It gives the fields that it measures.",
  facts: reads("Read a room's sensor", { world: "closed" }),
  role: "observer",
  input: z.strictObject({ place }),
  output: climateReading,
  run: ({ place }, { service }) => service.read(place),
});

const getClimateHistory = defineTool({
  name: "get_climate_history",
  service: climate,
  description: `What a room's sensor measured, in buckets: one reading a bucket (first, last, middle), or count, sum, mean, min or max of ${FIELDS.join(", ")}.`,
  facts: reads("Climate history", { world: "closed" }),
  role: "observer",
  input: historyInput.extend({ place }),
  output: historyResult,
  run: ({ place, ...query }, { service, clock }) => service.history(historyQuery(query, clock), place),
});

/** Sensors of rooms. It is on if the configuration has a sensor. */
export const climateModule = defineModule({
  name: "climate",
  canBeOff: true,
  config: climateConfig,
  isNeeded: ({ climate }) => climate.length > 0,
  wiring: ({ climate }) => ({ climate }),
  toolset: "climate",
  errors: CLIMATE_ERRORS,
  parts: [climate],
  tools: [readClimate, getClimateHistory],
  overview: { view: (house) => ({ climate: house.get(climate).now() }) },
  privateWords: (house) => house.get(climate).places.map((words) => ({ kind: "place" as const, words })),
  sample: (house, attempt) => {
    const rooms = house.get(climate);
    return Promise.all(rooms.places.map((place) => attempt({ place }, () => rooms.read(place))));
  },
});
