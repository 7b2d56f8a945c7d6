/**
 * Units as types, like in the drivers, but separate: the agent may run on another computer. Plain numbers, as from JSON, are
 * accepted for any unit; one unit is never accepted for another.
 */
declare const unit: unique symbol;
type Unit<U extends string> = number & { readonly [unit]?: U };

/** A duration, or an instant of a monotonic clock, in milliseconds. */
export type Millis = Unit<"ms">;
/** An instant of the wall clock: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = Unit<"epoch ms">;
export type Minutes = Unit<"min">;
export type Millilitres = Unit<"ml">;
/** Soil moisture by the probe's calibration: dry is 0, wet is 100. */
export type Percent = Unit<"%">;

/** In the currency of the configured prices. */
export type Money = Unit<"money">;

export const seconds = (n: number): Millis => n * 1000;
export const minutes = (n: number): Millis => n * 60_000;
export const hours = (n: number): Millis => n * 3_600_000;
