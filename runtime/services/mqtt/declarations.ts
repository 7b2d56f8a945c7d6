import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { MQTT_MAY, type MqttShown, mqttShown } from "../../wire/mqtt.js";
import type { JobKind } from "../bridge/job.js";

/** Configuration: the house as a device of Home Assistant. Broker and password are the bridge's (docs/mqtt.md). */
export const mqttConfig = {
  mqtt: z
    .strictObject({
      may: z
        .array(z.enum(MQTT_MAY))
        .default([...MQTT_MAY])
        .describe("what a client of the broker may ask for, beside switching off, which it always may"),
      photos: z
        .boolean()
        .default(false)
        .describe("show the last photo of each plant to all clients of the broker"),
    })
    .nullable()
    .default(null)
    .describe("show the plants on an MQTT broker, for Home Assistant (docs/mqtt.md)"),
};

/** A choice: a broker in the house answers within a second; a photo over a slow Wi-Fi takes some. */
const WITHIN = seconds(20);

const shows = (what: "show" | "photo"): JobKind<MqttShown> => ({
  ...{ adapter: "mqtt", what, effects: false, within: WITHIN, most: 100, answer: mqttShown },
});

export const SHOW = shows("show");
export const PHOTO = shows("photo");

/** Who asks over MQTT: anybody who may write to the broker. No token can have such a name. */
export const ANYBODY = "anybody@mqtt";
