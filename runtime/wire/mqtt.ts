import { z } from "zod";
import { severity } from "./notifications.js";
import { shortId } from "./short-id.js";

/** What runtime and bridge say to each other about the house on an MQTT broker (docs/mqtt.md). */

/** What the owner may let the broker's clients ask for. Switching off needs no leave, so it is none of these. */
export const MQTT_MAY = ["hold", "pause", "dose"] as const;
export type MqttMay = (typeof MQTT_MAY)[number];

/** "unpause" belongs to "pause": it asks a person. */
export const mqttCommand = z.enum([...MQTT_MAY, "unpause"]);

const shownPlant = z.strictObject({
  plant: shortId,
  name: z.string().max(100),
  moisture: z.number().nullable().describe("percent; null while the probe is at fault"),
  budget_left_ml: z.number().nullable().describe("null: no pump is fitted"),
  used_24h_ml: z.number().nullable(),
  doses_24h: z.int().nullable(),
  light: z.enum(["on", "off"]).nullable().describe("null: none is fitted"),
  camera: z.boolean(),
  held: z.boolean(),
  problem: z.string().max(250).nullable().describe("codes of what is wrong; null: nothing"),
});
export type ShownPlant = z.output<typeof shownPlant>;

const doseEvent = z.strictObject({
  about: z.literal("dose"),
  plant: shortId,
  type: z.enum(["poured", "stopped", "uncertain", "refused", "declined"]),
  ml: z.number(),
  reason: z.string().max(250).nullable(),
});
const messageEvent = z.strictObject({
  about: z.literal("message"),
  type: severity,
  kind: z.string().max(40),
  plant: shortId.nullable(),
  text: z.string().max(250).nullable().describe("null where it could repeat the words of somebody"),
});
const mqttEvent = z.discriminatedUnion("about", [doseEvent, messageEvent]);
export type MqttEvent = z.output<typeof mqttEvent>;

/** Arguments of the job `mqtt show`: all that there is to see now, and what has happened since the last one. */
export const mqttShow = z.strictObject({
  plants: z.array(shownPlant),
  approvals: z.int().describe("calls that wait for a person's yes"),
  paused: z.boolean().describe("agents may not act"),
  photos: z.boolean(),
  may: z.array(z.enum(MQTT_MAY)),
  events: z.array(mqttEvent),
});
export type MqttShow = z.output<typeof mqttShow>;

/** Arguments of the job `mqtt photo`. */
export const mqttPhoto = z.strictObject({ plant: shortId, jpeg: z.base64() });

/** The answer to both. */
export const mqttShown = z.strictObject({ shown: z.literal(true) });
export type MqttShown = z.output<typeof mqttShown>;

/** What became of a command, in words for the bridge's log. */
export const mqttReply = z.object({ text: z.string() });
