import { TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { MqttMay } from "../../wire/mqtt.js";
import { approvals } from "../approvals/approvals.js";
import { APPROVAL_LOG } from "../approvals/declarations.js";
import { jobs } from "../bridge/jobs.js";
import { camera } from "../camera/service.js";
import { definePart, type House } from "../module.js";
import { type Control, control } from "../people/control.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { DOSE_LOG } from "../water/declarations.js";
import { water } from "../water/service.js";
import { ANYBODY, mqttConfig, PHOTO, SHOW } from "./declarations.js";
import { DoseRequests } from "./dose-requests.js";
import { Publisher } from "./publisher.js";
import { doseEvent, messageEvent, shownNow } from "./view.js";

interface MqttParts {
  readonly house: Pick<House, "clock" | "plants">;
  readonly may: readonly MqttMay[];
  readonly control: Pick<Control, "record">;
  readonly publisher: Publisher;
  readonly requests: DoseRequests;
}

/** The house on an MQTT broker: what is shown there, and what its clients may ask for. */
export class Mqtt {
  readonly publisher: Publisher;

  constructor(private readonly parts: MqttParts) {
    this.publisher = parts.publisher;
  }

  /** Holds all plants. Nothing here lifts a hold. Throws FORBIDDEN. */
  async hold(): Promise<string> {
    this.assertMay("hold");
    const timestamp = isoUtc(this.parts.house.clock.now());
    const reason = "somebody pressed it on MQTT";
    await this.parts.control.record({ timestamp, kind: "hold", by: ANYBODY, reason });
    return "everything is on hold";
  }

  /** Throws FORBIDDEN, UNKNOWN_PLANT, and what refuses the dose. */
  async askForDose(plant: string, ml: number): Promise<string> {
    this.assertMay("dose");
    return this.parts.requests.ask(this.parts.house.plants.resolve(plant), ml);
  }

  private assertMay(what: MqttMay): void {
    if (this.parts.may.includes(what)) return;
    throw new TendrilError(
      "FORBIDDEN",
      `the configuration does not let MQTT ask for it: mqtt: { may: [${what}] }`,
    );
  }
}

/** What is published, everybody at the broker may read. */
const BROKER = { name: "mqtt", role: "observer" } as const;

export const mqtt = definePart("mqtt", async (house) => {
  const { may, photos } = house.config(mqttConfig).mqtt ?? { may: [], photos: false };
  const [bridge, pump, pictures] = [await house.use(jobs), await house.use(water), await house.use(camera)];
  const publisher = new Publisher({
    ...{ clock: house.realClock, log: house.log, show: bridge.open(SHOW), photo: bridge.open(PHOTO) },
    isConnected: () => bridge.isConnected,
    view: () => ({ ...shownNow(house.overview({ identity: BROKER })), photos, may: [...may] }),
    photos: async () =>
      photos ? (await Promise.all(house.plants.ids.map((plant) => pictures.recent(plant, 1, 0)))).flat() : [],
    jpeg: (photo) => pictures.forAnswer(photo),
  });
  const stopping = new AbortController();
  house.onClose(() => {
    stopping.abort();
    publisher.stop();
  });
  const requests = new DoseRequests({
    ...{ house, approvals: await house.use(approvals), requests: house.journal(APPROVAL_LOG) },
    assertPossible: (plant, ml, call) => pump.assertPossible(plant, ml, call),
    tell: (event) => publisher.add(event),
    signal: stopping.signal,
  });
  house.journal(DOSE_LOG).watch(({ record }) => publisher.add(doseEvent(record)));
  house.journal(MESSAGE_LOG).watch(({ record }) => publisher.add(messageEvent(record, house)));
  return new Mqtt({ house, may, publisher, requests, control: await house.use(control) });
});
