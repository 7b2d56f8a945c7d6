import { z } from "zod";

/** Of a BME280 (drivers/chips/bme280/registers.ts), written here again so that the chip's code is loaded where there is one alone. */
const ADDRESSES = [0x76, 0x77] as const;
const ADDRESS = "must be 0x76 or 0x77: the chip's pin SDO at ground, or at its supply";

const sensor = z.strictObject({
  place: z.string().min(1).max(60).describe("the room's name"),
  chip: z.enum(["bme280"], { error: 'must be "bme280"' }).default("bme280").describe("the sensor's chip"),
  address: z
    .literal(ADDRESSES, { error: ADDRESS })
    .default(ADDRESSES[0])
    .describe("I²C address, on the bus of the probes"),
});

/** A list; on one bus there is room for as many as the chip has addresses. */
export const climate = z
  .array(sensor)
  .max(ADDRESSES.length)
  .default([])
  .describe("sensors of a room's temperature, humidity and pressure");

export type ClimateConfig = z.output<typeof climate>;

/** A name tells one room, an address one chip. */
export function refuseSharedClimate(
  { climate }: { readonly climate: ClimateConfig },
  ctx: z.core.$RefinementCtx,
): void {
  for (const [at, sensor] of climate.entries())
    for (const key of ["place", "address"] as const) {
      const first = climate.findIndex((other) => claim(other[key]) === claim(sensor[key]));
      if (first === at) continue;
      const message = `is that of climate[${first}] too: give one of them another`;
      ctx.addIssue({ code: "custom", path: ["climate", at, key], message });
    }
}

const claim = (value: string | number) => (typeof value === "string" ? value.toLowerCase() : value);
