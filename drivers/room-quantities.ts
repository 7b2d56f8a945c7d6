interface RoomQuantity {
  /** In results of tools. */
  readonly field: string;
  /** In the store, exports and tables. */
  readonly series: string;
  readonly unit: string;
  /** That a person is shown. */
  readonly decimals: number;
  /** Least and most that an import takes. A choice: beyond what sensors of a room measure. */
  readonly range: readonly [least: number, most: number];
  /** Where the unit does not say it. `room` in the words of the page's other languages translates it. */
  readonly noun?: string;
  /** For readers of results. */
  readonly meaning?: string;
}

/**
 * What a sensor of a room can measure. A new quantity is a line here: store, tools, overview, history, status, doctor and the
 * page's newest figures take it from this table. `valuesOf` of drivers/bench/wiring.ts gives it a value on the bench.
 */
export const ROOM_QUANTITIES = {
  temperature: {
    field: "temperature_c",
    series: "air_temperature",
    unit: "°C",
    decimals: 1,
    range: [-100, 200],
  },
  humidity: {
    field: "humidity_percent",
    series: "relative_humidity",
    unit: "%",
    decimals: 0,
    range: [0, 100],
    noun: "humidity",
    meaning: "relative humidity",
  },
  pressure: {
    field: "pressure_hpa",
    series: "air_pressure",
    unit: "hPa",
    decimals: 0,
    range: [0, 2000],
    meaning: "at the sensor, not reduced to sea level",
  },
  brightness: {
    field: "brightness_lux",
    series: "illuminance",
    unit: "lx",
    decimals: 0,
    range: [0, 200_000],
    meaning: "illuminance at the sensor",
  },
} as const satisfies Readonly<Record<string, RoomQuantity>>;

export type RoomQuantityName = keyof typeof ROOM_QUANTITIES;
type Row = (typeof ROOM_QUANTITIES)[RoomQuantityName];
export type RoomSeries = Row["series"];
export type RoomField = Row["field"];

export const ROOM_QUANTITY_NAMES = Object.keys(ROOM_QUANTITIES) as RoomQuantityName[];

/** What a room's sensor has measured, each in the unit of its quantity. */
export type RoomReading = Readonly<Partial<Record<RoomQuantityName, number>>>;

/** A reading by the fields of results. */
export type RoomFigures = Readonly<Partial<Record<RoomField, number | undefined>>>;

/** A reading, by the fields of results. To hundredths: a BME280's steps are 0.01 °C, 0.008 % and 0.002 hPa, and its errors are far greater. */
export function figuresOf(reading: RoomReading): RoomFigures {
  const figures: { -readonly [Field in RoomField]?: number } = {};
  for (const name of ROOM_QUANTITY_NAMES) {
    const value = reading[name];
    if (value !== undefined) figures[ROOM_QUANTITIES[name].field] = Math.round(value * 100) / 100;
  }
  return figures;
}

const ROWS: readonly (RoomQuantity & { readonly field: RoomField })[] = Object.values(ROOM_QUANTITIES);

/** "21.0 °C, 45 % humidity, 1013 hPa". For another language: its decimal mark, and its words for nouns. */
export function roomInWords(
  figures: RoomFigures,
  mark = ".",
  words: Readonly<Record<string, string>> = {},
): string {
  const told = ROWS.flatMap(({ field, decimals, unit, noun }) => {
    const figure = figures[field]?.toFixed(decimals).replace(".", mark);
    if (figure === undefined) return [];
    return noun ? `${figure} ${unit} ${words[noun] ?? noun}` : `${figure} ${unit}`;
  });
  return told.join(", ");
}
