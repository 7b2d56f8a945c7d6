import { z } from "zod";
import { invalidArgument, notAllowed } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import { acts, defineTool, FOR_BRIDGE } from "../../tools/tool.js";
import { type MqttMay, mqttCommand, mqttReply } from "../../wire/mqtt.js";
import { DOSE_ML } from "../../wire/plants.js";
import { approvals } from "../approvals/approvals.js";
import { APPROVAL_LOG } from "../approvals/declarations.js";
import { jobs } from "../bridge/jobs.js";
import { camera } from "../camera/service.js";
import { defineModule, definePart, type House } from "../module.js";
import { control } from "../people/control.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { pause } from "../people/pause.js";
import { DOSE_LOG } from "../water/declarations.js";
import { water } from "../water/service.js";
import { doseEvent, messageEvent, Publisher, shortened, shownNow } from "./publisher.js";
import { ANYBODY, mqttConfig, PHOTO, Requests, SHOW } from "./requests.js";

const REASON = "somebody pressed it on MQTT";

/** The house on an MQTT broker: what is shown there, and what its clients may ask for. Each method throws FORBIDDEN. */
class Mqtt {
  readonly publisher: Publisher;

  constructor(private readonly parts: Awaited<ReturnType<typeof partsOf>>) {
    this.publisher = parts.publisher;
  }

  /** Holds all plants. Nothing here lifts a hold. */
  async hold(): Promise<string> {
    this.assertMay("hold");
    await this.parts.control.record({ ...this.line(), kind: "hold" });
    return "everything is on hold";
  }

  async pause(): Promise<string> {
    this.assertMay("pause");
    await this.parts.pause.record({ ...this.line(), paused: true });
    return "agents are paused";
  }

  /** A person is asked: who can write to the broker must not end what the owner wanted. */
  async askToUnpause(): Promise<string> {
    this.assertMay("pause");
    if (this.parts.pause.now === undefined) return "agents are not paused";
    const wish = { tool: "pause_agents", arguments: { paused: false } };
    const { log } = this.parts.house;
    const isNew = await this.parts.requests.ask(wish, (type, why) =>
      log("info", `MQTT: unpause ${type}`, { why }),
    );
    return isNew ? "a person is asked whether agents may go on" : ASKED_ALREADY;
  }

  /** Throws UNKNOWN_PLANT, and what refuses the dose. */
  async askForDose(named: string, ml: number): Promise<string> {
    this.assertMay("dose");
    const { house, publisher, requests, water: pump } = this.parts;
    const plant = house.plants.resolve(named);
    const isNew = await requests.ask(
      { tool: "dispense_water", arguments: { ml }, plant },
      (type, why) => publisher.add({ about: "dose", plant, type, ml, reason: shortened(why) }),
      () =>
        pump.assertPossible(plant, ml, {
          identity: { name: ANYBODY, role: "human" }, // a person's: whoever says yes pours it
        }),
    );
    return isNew ? `a person is asked for ${ml} ml for ${house.plants.nameOf(plant)}` : ASKED_ALREADY;
  }

  private line() {
    return { timestamp: isoUtc(this.parts.house.clock.now()), by: ANYBODY, reason: REASON };
  }

  private assertMay(what: MqttMay): void {
    if (this.parts.may.includes(what)) return;
    const option = `mqtt: { may: [${what}] }`;
    throw notAllowed(`the configuration does not let MQTT ask for it: ${option}`);
  }
}

/** What is published, everybody at the broker may read. */
const BROKER = { name: "mqtt", role: "observer" } as const;
const ASKED_ALREADY = "it is asked for already";

/** What it works with. It follows the doses and the messages from then on. */
async function partsOf(house: House) {
  const { may, photos } = house.config(mqttConfig).mqtt ?? { may: [], photos: false };
  const [bridge, pump, paused] = [await house.use(jobs), await house.use(water), await house.use(pause)];
  const pictures = await house.use(camera);
  const newest = (plant: string) => pictures.recent(plant, 1, 0);
  const publisher = new Publisher({
    ...{ clock: house.realClock, log: house.log, show: bridge.open(SHOW), photo: bridge.open(PHOTO) },
    isConnected: () => bridge.isConnected,
    view: () => ({ ...shownNow(house.overview({ identity: BROKER })), photos, may: [...may] }),
    photos: async () => (photos ? (await Promise.all(house.plants.ids.map(newest))).flat() : []),
    jpeg: (photo) => pictures.forAnswer(photo),
  });
  const stopping = new AbortController();
  house.onClose(() => {
    stopping.abort();
    publisher.stop();
  });
  const { signal } = stopping;
  const log = house.journal(APPROVAL_LOG);
  const requests = new Requests({ house, approvals: await house.use(approvals), log, signal });
  house.journal(DOSE_LOG).watch(({ record }) => publisher.add(doseEvent(record)));
  house.journal(MESSAGE_LOG).watch(({ record }) => publisher.add(messageEvent(record, house)));
  const served = { house, may, publisher, requests };
  return { ...served, control: await house.use(control), pause: paused, water: pump };
}

export const mqtt = definePart("mqtt", async (house) => new Mqtt(await partsOf(house)));

const receiveMqttCommand = defineTool({
  name: "receive_mqtt_command",
  service: mqtt,
  description:
    "What somebody on the MQTT broker asks for: a hold or a pause of agents at once; its end or a dose, for which a person is asked.",
  facts: acts("Receive a command"),
  ...FOR_BRIDGE,
  holds: ({ command }) => command === "hold" || command === "pause",
  input: z.strictObject({
    command: mqttCommand,
    plant: z.string().optional().describe("with dose"),
    ml: z.int().min(DOSE_ML.least).max(DOSE_ML.most).optional().describe("with dose"),
  }),
  output: mqttReply,
  run: async ({ command, plant, ml }, { service }) => {
    if (command === "hold") return { text: await service.hold() };
    if (command === "pause") return { text: await service.pause() };
    if (command === "unpause") return { text: await service.askToUnpause() };
    if (plant !== undefined && ml !== undefined) return { text: await service.askForDose(plant, ml) };
    throw invalidArgument("receive_mqtt_command: a dose needs `plant` and `ml`");
  },
});

/** The plants as a device of Home Assistant, on an MQTT broker. It is on if the configuration has `mqtt:`. */
export const mqttModule = defineModule({
  name: "mqtt",
  canBeOff: true,
  config: mqttConfig,
  isNeeded: ({ mqtt }) => mqtt !== null,
  needsBridge: () => true,
  toolset: "mqtt",
  parts: [mqtt],
  tools: [receiveMqttCommand],
  start: (house) => {
    const { publisher } = house.get(mqtt);
    house.onClose(house.get(jobs).watch(() => publisher.sayAgain()));
    publisher.start();
  },
});
