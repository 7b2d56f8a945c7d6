import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Attributes = Readonly<Record<string, unknown>>;
/** A state as `subscribe_entities` sends it; seconds since 1970. */
export interface StandInState {
  readonly s: string;
  readonly a: Attributes;
  readonly lc: number;
  readonly lu?: number;
}
export type Entry = Record<string, unknown>;

interface Recorded {
  readonly version: string;
  readonly exposed: Readonly<Record<string, unknown>>;
  readonly registries: Readonly<Record<string, readonly Entry[]>>;
  readonly states: Readonly<Record<string, StandInState>>;
  readonly texts: Readonly<Record<string, { readonly config: unknown; readonly related: unknown }>>;
}

const FILE = new URL("../../../test/fixtures/home/recorded.json", import.meta.url);
/** What the real home of test/home/real told: see test/home/record.ts. */
export const recorded = (): Recorded => JSON.parse(readFileSync(fileURLToPath(FILE), "utf8"));

/** Milliseconds. A real demo lock takes 2,000. */
const MOVING_MS = 30;

type Listener = (event: object) => void;

/** The things in the stand-in: their states, and what follows from a change, as the real home's automations have it. */
export class StandInHome {
  readonly states: Map<string, StandInState>;
  /** Called with each event of `subscribe_entities`. */
  readonly listeners = new Set<Listener>();
  /** What was made by scene.create. */
  readonly scenes = new Map<string, Attributes>();
  /** The topic of each entity that came by MQTT. */
  readonly topics = new Map<string, string>();
  private held: Promise<void> = Promise.resolve();
  release: () => void = () => undefined;
  private lives = 0;
  /** Every state that an entity has had. */
  readonly past = new Map<string, StandInState[]>();

  constructor({ states }: Recorded) {
    this.states = new Map(Object.entries(states));
    for (const [id, state] of this.states) this.past.set(id, [state]);
  }

  stateOf(id: string): string | undefined {
    return this.states.get(id)?.s;
  }

  /** Sets a state or attributes, tells it, and does what the real home's automations do then. */
  set(id: string, state: string, attributes: Attributes = {}): void {
    const old = this.states.get(id);
    const now = Date.now() / 1000;
    const isSame = old?.s === state;
    if (isSame && Object.entries(attributes).every(([key, value]) => old.a[key] === value)) return;
    const lc = isSame ? old.lc : now;
    const next = { s: state, a: { ...old?.a, ...attributes }, lc, lu: now };
    this.states.set(id, next);
    this.past.set(id, [...(this.past.get(id) ?? []), next]);
    const change = { ...(!isSame && { s: state, lc }), ...(isSame && { lu: now }), a: attributes };
    this.tell(old ? { c: { [id]: { "+": change } } } : { a: { [id]: next } });
    this.follow(id, next);
  }

  /** What is said on a topic is the state of the entities that listen there. */
  hear(topic: string, payload: string): void {
    for (const [id, listened] of this.topics) if (listened === topic) this.set(id, payload);
  }

  remove(id: string): void {
    this.states.delete(id);
    this.topics.delete(id);
    this.scenes.delete(id);
    this.tell({ r: [id] });
  }

  /** Goes through a state in between, as a lock and a valve do. */
  async move(id: string, through: string, to: string, attributes: Attributes = {}): Promise<void> {
    const { lives } = this;
    this.set(id, through);
    await new Promise((resolve) => setTimeout(resolve, MOVING_MS));
    await this.held;
    if (lives === this.lives) this.set(id, to, attributes);
  }

  /** Nothing that moves arrives before `release`. */
  hold(): void {
    this.held = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  /** Starts anew: what was moving does not arrive, and the demo's door is locked then. */
  revive(): void {
    this.lives += 1;
    this.release();
    this.set("lock.front_door", "locked");
  }

  private tell(event: object): void {
    for (const listener of this.listeners) listener(event);
  }

  private follow(id: string, now: StandInState): void {
    if (id === "lock.front_door") {
      const on = now.s === "unlocked" ? "on" : "off";
      for (const template of ["light.porch_light", "switch.gate_opener"]) this.set(template, on);
    }
    AUTOMATIONS[id]?.(this, now);
  }
}

const unlockFrontDoor = (home: StandInHome) => void home.move("lock.front_door", "unlocking", "unlocked");
const openGarage = (home: StandInHome) => home.set("cover.garage_door", "open");

/** The traps: what the automations and templates of test/home/real/config do when one of these changes. */
const AUTOMATIONS: Readonly<Record<string, (home: StandInHome, now: StandInState) => void>> = {
  "input_boolean.guest_mode": (home, { s }) => s === "on" && unlockFrontDoor(home),
  "input_button.doorbell": unlockFrontDoor,
  "input_number.garage_opening": (home, { s }) => Number(s) > 50 && openGarage(home),
  "input_select.house_mode": (home, { s }) =>
    s === "Party" && home.set("alarm_control_panel.security", "disarmed"),
  "input_text.service_to_run": (home, { s }) => s === "lock.unlock" && unlockFrontDoor(home),
  "light.bed_light": (home, { a }) => a.effect === "rainbow" && unlockFrontDoor(home),
  "device_tracker.bo_phone": (home, { s }) => s === "home" && unlockFrontDoor(home),
  "timer.watering": (home, { s }) =>
    s === "active" && void home.move("timer.watering", "active", "idle").then(() => openGarage(home)),
  "input_boolean.greenhouse_latch": (home, { s }) =>
    home.set("lock.greenhouse_door", s === "on" ? "locked" : "unlocked"),
  "input_boolean.grow_light_relay": (home, { s }) => home.set("switch.grow_light", s),
};
