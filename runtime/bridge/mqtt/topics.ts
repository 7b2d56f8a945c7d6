import type { MqttConfig } from "./broker.js";

/** What somebody on the broker has asked for, and for which plant, if for one. */
export interface Command {
  readonly what: string;
  readonly plant: string | undefined;
}

/** Where everything is on the broker. All topics of a house begin with its name. */
export class Topics {
  /** "online" or "offline", retained: also the last will. */
  readonly available: string;
  /** What concerns the whole house. */
  readonly house: string;
  readonly message: string;
  /** Home Assistant's discovery message of the device [home-assistant.io/integrations/mqtt, "Device discovery payload"]. */
  readonly discovery: string;
  /** Home Assistant says here that it has begun [the same page, "Birth and last will messages"]. */
  readonly birth: string;

  constructor(private readonly config: Pick<MqttConfig, "name" | "discovery">) {
    const { name, discovery } = config;
    this.available = `${name}/status`;
    this.house = `${name}/house`;
    this.message = `${name}/message`;
    this.discovery = `${discovery}/device/${name}/config`;
    this.birth = `${discovery}/status`;
  }

  /** One JSON object of all that is to see of the plant. */
  plant(plant: string): string {
    return `${this.config.name}/plant/${plant}/state`;
  }

  dose(plant: string): string {
    return `${this.config.name}/plant/${plant}/dose`;
  }

  /** The millilitres that the next request is for. */
  doseMl(plant: string): string {
    return `${this.config.name}/plant/${plant}/dose_ml`;
  }

  photo(plant: string): string {
    return `${this.config.name}/plant/${plant}/photo`;
  }

  /** Where commands come in. `plant` for those about one. */
  command(what: string, plant?: string): string {
    return `${plant === undefined ? this.house : `${this.config.name}/plant/${plant}`}/set/${what}`;
  }

  /** Every command of the house and of its plants. */
  get commands(): string[] {
    return [this.command("+"), this.command("+", "+")];
  }

  /** What command a topic is; undefined for none. */
  read(topic: string): Command | undefined {
    const { name } = this.config;
    const [, plant, what] =
      new RegExp(`^${name}/(?:house|plant/([a-z0-9_-]+))/set/([a-z_]+)$`).exec(topic) ?? [];
    return what === undefined ? undefined : { what, plant };
  }
}
