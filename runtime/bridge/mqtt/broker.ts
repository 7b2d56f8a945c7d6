import type { MqttClient } from "mqtt";
import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { shortId } from "../../wire/short-id.js";
import type { BridgeContext } from "../adapter.js";
import { mayBeAsked, withoutTls } from "../http/address.js";

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
    name: shortId.default("tendril"),
    discovery: z
      .string()
      .regex(/^[\w/-]{1,100}$/, { error: "must be a topic, as Home Assistant's discovery prefix" })
      .default("homeassistant"),
  })
  .refine(({ url }) => !/[?#@]/.test(url), {
    path: ["url"],
    error: "must have no ?, # or @: user and password are keys of their own",
  })
  .refine(({ url, plain }) => mayBeAsked(new URL(url), plain), { path: ["url"], error: withoutTls("mqtts") });
export type MqttConfig = z.output<typeof mqttConfig>;

/** Choices: a broker that restarts is found soon, and one that refuses the password is not asked all the time. */
const AGAIN_AFTER = seconds(3);
const CONNECT_WITHIN = seconds(10);
/** Seconds. A choice: a connection that is dead is noticed within a minute, on both sides. */
const KEEP_ALIVE_S = 30;
/** Bytes. A choice: the discovery message of 32 plants; all else is a word. */
const LONGEST = 200_000;

interface Received {
  readonly topic: string;
  readonly payload: string;
  /** The broker had kept it: nobody has said it now. */
  readonly retained: boolean;
}

interface BrokerEvents {
  /** Said by the broker once this client is gone, retained. */
  readonly will: { readonly topic: string; readonly payload: string };
  readonly topics: readonly string[];
  connected(): void;
  received(message: Received): void;
}

/**
 * One connection to a broker, made again by itself. Nothing waits in a queue: what is published while it is away is dropped,
 * and the broker keeps nothing for this client (clean session).
 */
export class Broker {
  private client: MqttClient | undefined;
  private trouble = "it has not answered yet";

  constructor(
    private readonly config: MqttConfig,
    private readonly events: BrokerEvents,
    private readonly context: Pick<BridgeContext, "say" | "signal">,
  ) {}

  /** Why it cannot be used now; undefined while it is connected. */
  get problem(): string | undefined {
    return this.client?.connected === true ? undefined : `the MQTT broker cannot be used: ${this.trouble}`;
  }

  async open(): Promise<void> {
    // the bundler sees no other name of this package
    const { default: mqtt } = await import("mqtt");
    if (this.context.signal.aborted) return;
    const { url, user, password, name } = this.config;
    const { topic, payload } = this.events.will;
    const client = mqtt.connect(url, {
      clientId: `tendril-${name}`,
      ...(user !== undefined && { username: user }),
      ...(password !== undefined && { password }),
      ...{ clean: true, queueQoSZero: false, reconnectOnConnackError: true },
      ...{ reconnectPeriod: AGAIN_AFTER, connectTimeout: CONNECT_WITHIN, keepalive: KEEP_ALIVE_S },
      // whoever may write there could else fill this computer's memory: the broker keeps longer ones to itself [MQTT 5, 3.1.2.11.4]
      ...{ protocolVersion: 5, properties: { maximumPacketSize: LONGEST } },
      will: { topic, payload: Buffer.from(payload), qos: 1, retain: true },
    });
    this.client = client;
    this.listen(client);
    this.context.signal.addEventListener("abort", () => this.close(), { once: true });
  }

  publish(topic: string, payload: string | Buffer, { retain = false } = {}): void {
    if (this.client?.connected) this.client.publish(topic, payload, { retain });
  }

  private listen(client: MqttClient): void {
    client.on("connect", () => {
      this.context.say("mqtt: connected");
      client.subscribe([...this.events.topics], { qos: 0 });
      this.events.connected();
    });
    client.on("message", (topic, payload, { retain: retained }) => {
      if (payload.length <= LONGEST)
        this.events.received({ topic, payload: payload.toString("utf8"), retained });
    });
    client.on("close", () => this.failed("the connection was closed"));
    client.on("error", (error) => {
      if (isTooNew(error)) this.speakOlder(client);
      else this.failed(reasonOf(error));
    });
  }

  /** A broker of before 2019 or so. It has no limit of length. The next attempt is by itself. */
  private speakOlder({ options }: MqttClient): void {
    options.protocolVersion = 4; // 3.1.1
    delete options.properties;
    this.context.say("mqtt: the broker knows no MQTT 5, so 3.1.1 is spoken");
  }

  /** The same trouble is said once; a close after an error says less than the error. */
  private failed(trouble: string): void {
    const isNews = this.client?.disconnecting !== true && trouble !== this.trouble;
    if (!isNews || (trouble === "the connection was closed" && this.trouble !== "")) return;
    this.trouble = trouble;
    this.context.say(`mqtt: ${trouble}`);
  }

  private close(): void {
    const { topic, payload } = this.events.will;
    this.publish(topic, payload, { retain: true });
    this.client?.end();
  }
}

type BrokerError = Error & { readonly code?: number | string };

/** Return codes of MQTT 3.1.1 (3.2.2.3), and reason codes of MQTT 5 (2.4). */
const UNKNOWN_VERSION: readonly unknown[] = [1, 132];
const REFUSED_LOGIN: readonly unknown[] = [4, 5, 134, 135];

const isTooNew = ({ code }: BrokerError): boolean => UNKNOWN_VERSION.includes(code);

/** The library's words: they name no password, and the address is the owner's own. */
const reasonOf = ({ code, message }: BrokerError): string =>
  REFUSED_LOGIN.includes(code)
    ? "it refuses user and password: look at mqtt: in bridge.yaml"
    : message.replaceAll(/\s+/g, " ").slice(0, 200) || "no connection";
