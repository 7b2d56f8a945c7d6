import { z } from "zod";
import { ADDRESSES } from "../../../drivers/chips/addresses.js";
import type { AirReading, AirSensor } from "../../../drivers/devices/air-sensor.js";
import { DriverError } from "../../../drivers/errors.js";
import type { Clock } from "../../../drivers/ports.js";
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
    "continue without the room's air, and read it later; a person removes the named cause",
    "nothing",
  ),
  UNKNOWN_PLACE: final("use one of the places that are named", "nothing"),
});

const ADDRESS = "must be 0x76 or 0x77: the chip's pin SDO at ground, or at its supply";

const sensor = z.strictObject({
  place: z.string().min(1).max(60).describe("the room's name"),
  chip: z.enum(["bme280"], { error: 'must be "bme280"' }).default("bme280").describe("the sensor's chip"),
  address: z
    .literal(ADDRESSES.bme280, { error: ADDRESS })
    .default(ADDRESSES.bme280[0])
    .describe("I²C address, on the bus of the probes"),
});

/** Each sensor has a place and an address of its own, so there are at most as many sensors as the chip has addresses on one bus. */
const climateConfig = {
  climate: z
    .array(sensor)
    .max(ADDRESSES.bme280.length)
    .superRefine((all, ctx) => {
      const folded = (value: string | number) => (typeof value === "string" ? value.toLowerCase() : value);
      refuseShared(all, { list: "climate", key: "place", folded }, ctx);
      refuseShared(all, { list: "climate", key: "address" }, ctx);
    })
    .default([])
    .describe("sensors of a room's temperature, humidity and pressure"),
};

/** The quantity of each field. Each record has the first. */
const FIELDS = {
  temperature_c: "air_temperature",
  humidity_percent: "relative_humidity",
  pressure_hpa: "air_pressure",
} as const;
type Figures = Readonly<Record<keyof typeof FIELDS, number>>;

/** Reads the air of each room, stores the readings, and remembers the faults of the sensors. */
class ClimateService {
  private readonly last = new Map<string, ClimateReading>();
  private readonly faults = new Map<string, NonNullable<ClimateNow["fault"]>>();

  constructor(
    private readonly sensors: ReadonlyMap<string, AirSensor>,
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
      return this.keep(place, figuresOf(await sensor.read()));
    } catch (error) {
      throw this.faulty(place, error);
    }
  }

  /** Throws UNKNOWN_PLACE, TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  async history(query: HistoryQuery, named?: string): Promise<HistoryResult> {
    const [place] = this.sensorAt(named);
    return this.measurements.history(query, { place, fields: FIELDS });
  }

  /** The last reading of each place, and what is wrong with its sensor. Reads no sensor. */
  now(): ClimateNow[] {
    return this.places.map((place) => ({
      place,
      reading: this.last.get(place) ?? null,
      fault: this.faults.get(place) ?? null,
    }));
  }

  private keep(place: string, figures: Figures): ClimateReading {
    const at = this.clock.now();
    for (const [field, quantity] of Object.entries(FIELDS))
      this.measurements.add({ quantity, place, at, value: figures[field as keyof Figures] });
    const reading = { place, timestamp: isoUtc(at), ...figures };
    this.last.set(place, reading);
    this.faults.delete(place);
    return reading;
  }

  private sensorAt(named: string | undefined): [string, AirSensor] {
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
    const what = `the air of ${place} cannot be read: ${error.what} (${error.code})`;
    const details = { cause: error.code, last_good: this.last.get(place) ?? null };
    return new TendrilError(CLIMATE_ERRORS.SENSOR_FAULT, what, { cause: error, details });
  }
}

/** To two decimals. The chip's steps are 0.01 °C, 0.008 % and 0.002 hPa; its errors are far greater. */
const figuresOf = ({ temperature, humidity, pressure }: AirReading): Figures => ({
  temperature_c: hundredths(temperature),
  humidity_percent: hundredths(humidity),
  pressure_hpa: hundredths(pressure),
});

const hundredths = (value: number) => Math.round(value * 100) / 100;

const climate = definePart(
  "climate",
  ({ board, store, clock }) => new ClimateService(board.climate, store.measurements, clock),
);

const place = z.string().min(1).max(60).optional().describe("the room; the first by default");

const readClimate = defineTool({
  name: "read_climate",
  service: climate,
  description: "Read the air of a room now: temperature, relative humidity, pressure.",
  facts: reads("Read the air of a room", { world: "closed" }),
  role: "observer",
  input: z.strictObject({ place }),
  output: climateReading,
  run: ({ place }, { service }) => service.read(place),
});

const getClimateHistory = defineTool({
  name: "get_climate_history",
  service: climate,
  description:
    "The air of a room over time, in buckets: one reading a bucket (first, last, middle), or count, sum, mean, min or max of `temperature_c`, `humidity_percent` or `pressure_hpa`.",
  facts: reads("Climate history", { world: "closed" }),
  role: "observer",
  input: historyInput.extend({ place }),
  output: historyResult,
  run: ({ place, ...query }, { service, clock }) => service.history(historyQuery(query, clock), place),
});

/** The air of rooms: temperature, humidity, pressure. It is on if the configuration has a sensor. */
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
  sample: async (house, attempt) => {
    const rooms = house.get(climate);
    for (const place of rooms.places) await attempt({ place }, () => rooms.read(place));
  },
});
