/** Units are types: a value that carries one cannot be passed where another is expected. */
declare const unit: unique symbol;
type Unit<U extends string> = number & { readonly [unit]: U };

/** A duration, or an instant of a monotonic clock, in milliseconds. */
export type Millis = Unit<"ms">;
/** An instant of the wall clock: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = Unit<"epoch ms">;
export type Millilitres = Unit<"ml">;
export type MlPerSecond = Unit<"ml/s">;
export type Volts = Unit<"V">;
/** Signed 16-bit conversion result of an ADC, or the count of a seesaw. */
export type Counts = Unit<"counts">;
/** What a soil probe measures, in its own unit. */
export type Level = Volts | Counts;
/** Photosynthetic photon flux density at the leaves, µmol/(m² s). */
export type Ppfd = Unit<"µmol/(m² s)">;
export type Celsius = Unit<"°C">;
export type Hectopascals = Unit<"hPa">;
/** Of a soil probe: percent of the calibrated span from dry (0) to wet (100), not clipped. Of air: relative humidity. */
export type Percent = Unit<"%">;

export const millis = (n: number) => n as Millis;
export const seconds = (n: number) => (n * 1000) as Millis;
export const minutes = (n: number) => (n * 60_000) as Millis;
export const hours = (n: number) => (n * 3_600_000) as Millis;
export const millilitres = (n: number) => n as Millilitres;
export const volts = (n: number) => n as Volts;
export const ppfd = (n: number) => n as Ppfd;
export const celsius = (n: number) => n as Celsius;
export const hectopascals = (n: number) => n as Hectopascals;
export const percent = (n: number) => n as Percent;
export const counts = (n: number) => n as Counts;

export const plus = <T extends number>(a: T, b: number) => (a + b) as T;

/** As datasheets and i2cdetect write it: "0x76" */
export const hex = (value: number, digits = 2): string => `0x${value.toString(16).padStart(digits, "0")}`;
