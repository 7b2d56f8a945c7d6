import { z } from "zod";
import { isLoopback } from "../http/address.js";

/** `mqtt:` of bridge.yaml. */
export const mqttConfig = z
  .strictObject({
    url: z.url({
      protocol: /^mqtts?$/,
      abort: true,
      error: "must be an address such as mqtts://broker.local:8883",
    }),
    user: z.string().min(1).max(200).optional(),
    password: z.string().min(1).max(1000).optional(),
    plain: z.boolean().default(false),
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,31}$/, {
        error: "must be 1–32 of a–z, 0–9, _ and -, starting with a letter",
      })
      .default("tendril"),
    discovery: z
      .string()
      .regex(/^[\w/-]{1,100}$/, { error: "must be a topic, as Home Assistant's discovery prefix" })
      .default("homeassistant"),
  })
  .refine(({ url }) => !/[?#@]/.test(url), {
    path: ["url"],
    error: "must have no ?, # or @: user and password are keys of their own",
  })
  .refine(({ url, plain }) => url.startsWith("mqtts:") || plain || isLoopback(new URL(url)), {
    path: ["url"],
    error: "is without TLS: write mqtts://, or `plain: true` beside it if nobody else is on that network",
  });
export type MqttConfig = z.output<typeof mqttConfig>;
