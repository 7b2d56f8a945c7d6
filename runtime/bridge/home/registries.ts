import type { HomeSocket } from "./socket.js";

/** What of Home Assistant's registries is used here [homeassistant/helpers/*_registry.py]. */
export interface EntityEntry {
  readonly entity_id: string;
  /** The registry's own id, which automations made in the browser use. */
  readonly id: string;
  readonly platform: string;
  readonly area_id: string | null;
  readonly device_id: string | null;
  readonly labels: readonly string[];
  readonly disabled_by: string | null;
  readonly hidden_by: string | null;
  readonly entity_category: string | null;
}
export interface DeviceEntry {
  readonly id: string;
  readonly area_id: string | null;
  readonly labels: readonly string[];
}
export interface AreaEntry {
  readonly area_id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly floor_id: string | null;
  readonly labels: readonly string[];
}
export interface FloorEntry {
  readonly floor_id: string;
  readonly name: string;
  readonly aliases: readonly string[];
}
export interface LabelEntry {
  readonly label_id: string;
  readonly name: string;
}

interface Entries {
  readonly entity: readonly EntityEntry[];
  readonly device: readonly DeviceEntry[];
  readonly area: readonly AreaEntry[];
  readonly floor: readonly FloorEntry[];
  readonly label: readonly LabelEntry[];
}
type Kind = keyof Entries;
const KINDS: readonly Kind[] = ["entity", "device", "area", "floor", "label"];

/** The registries of one connection. One that has changed is read again when it is needed. */
export class Registries {
  private readonly read = new Map<Kind, Promise<unknown>>();

  private constructor(private readonly socket: HomeSocket) {}

  static async follow(socket: HomeSocket): Promise<Registries> {
    const registries = new Registries(socket);
    for (const kind of KINDS)
      await socket.subscribe("subscribe_events", { event_type: `${kind}_registry_updated` }, () =>
        registries.read.delete(kind),
      );
    return registries;
  }

  /** Rejects as HomeSocket's `ask`. */
  async entries(): Promise<Entries> {
    const [entity, device, area, floor, label] = await Promise.all(KINDS.map((kind) => this.list(kind)));
    return { entity, device, area, floor, label } as Entries;
  }

  private list(kind: Kind): Promise<unknown> {
    const known = this.read.get(kind);
    if (known) return known;
    const asked = this.socket.ask(`config/${kind}_registry/list`);
    this.read.set(kind, asked);
    asked.catch(() => this.read.delete(kind));
    return asked;
  }
}
