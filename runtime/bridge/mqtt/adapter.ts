import type { Cancel } from "../../../drivers/ports.js";
import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import { type MqttEvent, type MqttShow, mqttPhoto, mqttShow } from "../../wire/mqtt.js";
import { DOSE_ML } from "../../wire/plants.js";
import { parseJson } from "../../wire/refusal.js";
import {
  type BridgeContext,
  defineAdapter,
  JobFailure,
  type JobHandler,
  type JobResult,
  notConfigured,
  readArguments,
} from "../adapter.js";
import { Broker, type MqttConfig, mqttConfig } from "./broker.js";
import { type Command, deviceMessage, EXPIRES_S, goneFrom, Topics } from "./discovery.js";

const NAME = "mqtt";
const missing = notConfigured("`mqtt:`");

/** Tendril as a device of Home Assistant: `mqtt:` in bridge.yaml has the broker. */
export const mqttAdapter = defineAdapter({
  name: NAME,
  key: NAME,
  config: mqttConfig.optional(),
  secrets: (config) => [config?.user, config?.password].filter((each) => each !== undefined),
  open: (config, context) => {
    if (!config) return { show: missing, photo: missing };
    const house = new MqttHouse(config, context);
    house.open().catch((error: unknown) => context.say(`mqtt: ${String(error)}`));
    return { show: house.show, photo: house.photo };
  },
});

const ONLINE = "online";
const OFFLINE = "offline";
/** What a button sends [home-assistant.io/integrations/button.mqtt, payload_press]. */
const PRESSED = "PRESS";
/** By topic and payload: a switch sends ON and OFF [home-assistant.io/integrations/switch.mqtt]. */
const HOUSE_COMMANDS: Readonly<Record<string, string>> = {
  [`hold ${PRESSED}`]: "hold",
  "paused ON": "pause",
  "paused OFF": "unpause",
};
/** Between two runs of the same command, `off` aside. A choice: a flood must not use up what the runtime lets the bridge call. */
const REST = seconds(1);
const NO_REST = seconds(0);
/** The same line is logged once in this time. A choice: a flood must not fill the log. */
const SAME_LINE_AFTER = seconds(10);
/** Millilitres that a request is for until somebody says otherwise. A choice. */
const USUAL_DOSE = 15;

type Act = () => Promise<void>;
/** What is being carried out, and the newest of the same that came meanwhile. */
interface Running {
  again?: Act | undefined;
}

/**
 * The house on the broker: shows what the runtime says, and carries what is pressed to the runtime. It keeps what was shown
 * last, to show it again whenever broker or Home Assistant come back.
 */
class MqttHouse {
  private readonly topics: Topics;
  private readonly broker: Broker;
  private shown: MqttShow | undefined;
  private readonly photos = new Map<string, Buffer>();
  private readonly doseMl = new Map<string, number>();
  private readonly running = new Map<string, Running>();
  private readonly said = new Set<string>();
  private forgetAt = 0;
  private endSilence: Cancel = () => undefined;

  constructor(
    config: MqttConfig,
    private readonly context: Pick<BridgeContext, "call" | "clock" | "say" | "signal">,
  ) {
    this.topics = new Topics(config);
    const { commands, birth, discovery, available } = this.topics;
    this.broker = new Broker(
      config,
      {
        will: { topic: available, payload: OFFLINE },
        topics: [...commands, birth, discovery],
        connected: () => this.showAll(),
        received: (message) => this.receive(message),
      },
      context,
    );
  }

  open(): Promise<void> {
    return this.broker.open();
  }

  readonly show: JobHandler = async (args) => {
    const show = readArguments(mqttShow, args);
    const before = this.shown;
    this.shown = show;
    this.watchSilence();
    this.assertUsable();
    if (before === undefined || this.isOtherDevice(before, show)) this.showAll();
    else this.showStates(show);
    for (const event of show.events) this.showEvent(event);
    return { shown: true };
  };

  readonly photo: JobHandler = async (args) => {
    const { plant, jpeg } = readArguments(mqttPhoto, args);
    this.photos.set(plant, Buffer.from(jpeg, "base64"));
    this.assertUsable();
    this.showPhoto(plant);
    return { shown: true };
  };

  /** Throws JobFailure. What was given is shown once the broker is there. */
  private assertUsable(): void {
    const { problem } = this.broker;
    if (problem !== undefined) throw new JobFailure("UNREACHABLE", problem);
  }

  /** A runtime that says nothing any more has nothing to show: whoever looks must not take old states for new ones. */
  private watchSilence(): void {
    this.endSilence();
    this.endSilence = this.context.clock.after(seconds(EXPIRES_S), () => {
      this.shown = undefined;
      this.broker.publish(this.topics.available, OFFLINE, { retain: true });
    });
  }

  /** Discovery is kept by the broker; states are not: after a restart of Home Assistant an old one would count as new. */
  private showAll(): void {
    const show = this.shown;
    const state = show === undefined ? OFFLINE : ONLINE;
    if (show) this.showDevice(show);
    this.broker.publish(this.topics.available, state, { retain: true });
    if (!show) return;
    this.showStates(show);
    for (const plant of this.photos.keys()) this.showPhoto(plant);
  }

  private showDevice(show: MqttShow, gone: readonly string[] = []): void {
    const message = deviceMessage(show, this.topics, gone);
    this.broker.publish(this.topics.discovery, JSON.stringify(message), { retain: true });
  }

  private isOtherDevice(before: MqttShow, show: MqttShow): boolean {
    const message = (of: MqttShow) => JSON.stringify(deviceMessage(of, this.topics));
    return message(before) !== message(show);
  }

  private showStates({ plants, approvals, paused }: MqttShow): void {
    this.broker.publish(this.topics.house, JSON.stringify({ approvals, paused }));
    for (const { plant, ...state } of plants) {
      this.broker.publish(this.topics.plant(plant, "state"), JSON.stringify(state));
      this.showDoseMl(plant);
    }
  }

  private showDoseMl(plant: string): void {
    this.broker.publish(this.topics.plant(plant, "dose_ml"), String(this.doseMlOf(plant)));
  }

  private showPhoto(plant: string): void {
    const photo = this.photos.get(plant);
    if (photo) this.broker.publish(this.topics.plant(plant, "photo"), photo);
  }

  private showEvent(event: MqttEvent): void {
    const { about, type: event_type, ...more } = event;
    const topic = event.about === "dose" ? this.topics.plant(event.plant, "dose") : this.topics.message;
    this.broker.publish(topic, JSON.stringify({ event_type, ...more }));
  }

  private receive({ topic, payload, retained }: { topic: string; payload: string; retained: boolean }): void {
    // both answer a word with the whole house: a flood of words must not become one of pictures
    if (topic === this.topics.birth && payload === ONLINE) this.inTurn("birth", async () => this.showAll());
    if (topic === this.topics.discovery) this.inTurn("tidy", async () => this.tidy(payload));
    const command = this.topics.read(topic);
    // an empty payload deletes what the broker keeps: nobody has pressed anything
    if (!command || payload === "") return;
    // the broker had kept it: whoever said it did so at another time
    if (retained) this.say(`a retained ${command.what} was dropped`);
    else this.obey(command, payload);
  }

  /** Takes away what an earlier message named and this house has no more. */
  private tidy(payload: string): void {
    const show = this.shown;
    const gone = show ? goneFrom(parseJson(payload), show, this.topics) : [];
    if (!show || gone.length === 0) return;
    this.showDevice(show, gone);
    this.showDevice(show);
  }

  /** What means nothing is dropped, and said. */
  private obey({ what, plant }: Command, payload: string): void {
    const command = HOUSE_COMMANDS[`${what} ${payload}`];
    if (plant !== undefined) this.obeyForPlant(what, plant, payload);
    else if (what === "off") this.inTurn("off", () => this.off(), NO_REST);
    else if (command !== undefined) this.ask(what, { command });
    else this.say(`${what} with a payload that means nothing was dropped`);
  }

  private obeyForPlant(what: string, plant: string, payload: string): void {
    const isShown = this.shown?.plants.some((each) => each.plant === plant) === true;
    if (isShown && what === "dose_ml") this.noteDoseMl(plant, payload);
    else if (isShown && what === "dose" && payload === PRESSED)
      this.ask(`dose ${plant}`, { command: "dose", plant, ml: this.doseMlOf(plant) });
    else this.say(`${what} for a plant was dropped: it means nothing`);
  }

  /** `stop_all` is never refused; the hold may be. Each is asked for, whatever becomes of the other. */
  private async off(): Promise<void> {
    const stopped = this.context.call("stop_all", {});
    this.ask("hold", { command: "hold" });
    await stopped;
    this.say("everything was switched off");
  }

  private ask(key: string, command: JobResult): void {
    this.inTurn(key, async () => {
      const { text } = await this.context.call("receive_mqtt_command", command);
      this.say(String(text));
    });
  }

  /** At once; while the same is being carried out, only the newest that comes waits for it. Memory stays bounded in a flood. */
  private inTurn(key: string, act: Act, rest: Millis = REST): void {
    const running = this.running.get(key);
    if (running) running.again = act;
    else void this.carryOut(key, act, rest);
  }

  /** Never rejects. */
  private async carryOut(key: string, first: Act, rest: Millis): Promise<void> {
    const { clock, signal } = this.context;
    const running: Running = { again: first };
    this.running.set(key, running);
    while (running.again && !signal.aborted) {
      const act = running.again;
      running.again = undefined;
      await act().catch((error: unknown) => this.say(`${key} was not done: ${messageOf(error)}`));
      if (rest > NO_REST) await clock.sleep(rest, signal).catch(() => undefined); // the bridge stops
    }
    this.running.delete(key);
  }

  private say(line: string): void {
    const now = this.context.clock.monotonic();
    if (now >= this.forgetAt) {
      this.said.clear();
      this.forgetAt = now + SAME_LINE_AFTER;
    }
    if (this.said.has(line)) return;
    this.said.add(line);
    this.context.say(`mqtt: ${line}`);
  }

  private doseMlOf(plant: string): number {
    return this.doseMl.get(plant) ?? USUAL_DOSE;
  }

  private noteDoseMl(plant: string, payload: string): void {
    const ml = /^\d{1,3}(\.0+)?$/.test(payload) ? Number(payload) : Number.NaN;
    if (ml >= DOSE_ML.least && ml <= DOSE_ML.most) this.doseMl.set(plant, ml);
    else this.say("a dose out of its range was dropped");
    this.showDoseMl(plant);
  }
}
