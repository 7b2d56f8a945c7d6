import type { Bench } from "../../drivers/open-board.js";
import { type EpochMillis, hours, millilitres, plus, volts } from "../../drivers/units.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { type Message, messagesFromAgent, sentMessage } from "../../runtime/wire/people.js";
import type { Runtime } from "../link/runtime.js";
import type { Recorder } from "./recorder.js";
import type { AlarmScore } from "./result.js";
import type { ScenarioEvent } from "./scenario.js";
import { leakSensorOf, type World } from "./world.js";

/** Content of a tank that the person has refilled. A choice. */
const REFILL = millilitres(5000);

/** A trouble that the agent has to report to the person. */
interface Trouble {
  readonly event: ScenarioEvent & { readonly alarm: NonNullable<ScenarioEvent["alarm"]> };
  readonly plants: readonly string[];
  /** When it began; undefined for a tank that is not empty yet. */
  since: EpochMillis | undefined;
  toldAt: EpochMillis | undefined;
  repaired: boolean;
}

/** All troubles on the bench: when they began, when the person was told, which are repaired. */
export class Troubles {
  private readonly all: Trouble[] = [];
  private readonly drifts = new Map<string, number>();

  constructor(private readonly plants: readonly string[]) {}

  /** Applies an event to the bench; other events change nothing here. */
  begin(event: ScenarioEvent, bench: Bench, now: EpochMillis): void {
    const plants = this.plantsOf(event);
    for (const plant of plants) this.apply(event, plant, bench);
    const { alarm } = event;
    if (!alarm) return;
    const since = event.what === "tank" ? undefined : now;
    this.all.push({ event: { ...event, alarm }, plants, since, toldAt: undefined, repaired: false });
  }

  /** Advances by an hour: probes drift, and empty tanks are noticed. */
  passHour(bench: Bench, now: EpochMillis): void {
    for (const [plant, perDay] of this.drifts) {
      const faults = bench.faults(plant);
      faults.probeOffset = volts((faults.probeOffset ?? 0) + (perDay / 1000) * (hours(1) / hours(24)));
    }
    for (const trouble of this.all) {
      if (trouble.since === undefined && trouble.plants.some((plant) => bench.tank(plant).left === 0))
        trouble.since = now;
    }
  }

  /** The person reads a message: the troubles that it mentions are told from now on. */
  readByPerson(text: string, now: EpochMillis): readonly string[] {
    const told = this.all.filter(
      ({ event, since, toldAt, repaired }) =>
        !repaired && toldAt === undefined && since !== undefined && mentions(text, event.alarm.words),
    );
    for (const trouble of told) trouble.toldAt = now;
    return told.map(({ event }) => nameOf(event));
  }

  /** Repairs the troubles that the person was told of before `toldBefore`; returns them with their plants. */
  repair(bench: Bench, toldBefore: EpochMillis): readonly { trouble: string; plants: readonly string[] }[] {
    const due = this.all.filter(({ toldAt = Infinity, repaired }) => !repaired && toldAt <= toldBefore);
    for (const trouble of due) {
      trouble.repaired = true;
      for (const plant of trouble.plants) this.mend(trouble.event, plant, bench);
    }
    return due.map(({ event, plants }) => ({ trouble: nameOf(event), plants }));
  }

  scores(): readonly AlarmScore[] {
    return this.all.flatMap(({ event, since, toldAt }) => {
      if (since === undefined) return [];
      return [
        {
          trouble: nameOf(event),
          since: isoUtc(since),
          toldAfterHours: toldAt === undefined ? null : Math.round((10 * (toldAt - since)) / hours(1)) / 10,
          dueWithinHours: event.alarm.within_hours,
        },
      ];
    });
  }

  private plantsOf({ plant }: ScenarioEvent): readonly string[] {
    const id = plant === undefined ? undefined : this.plants[plant];
    return id === undefined ? this.plants : [id];
  }

  private apply(event: ScenarioEvent, plant: string, bench: Bench): void {
    if (isFault(event)) set(bench.faults(plant), event.what, event.is);
    else if (event.what === "tank") bench.tank(plant).left = millilitres(event.ml);
    else if (event.what === "leak") bench.setInput(leakSensorOf(plant), event.is === "wet");
    else if (event.what === "drift") this.drifts.set(plant, event.mv_per_day);
  }

  private mend(event: ScenarioEvent, plant: string, bench: Bench): void {
    const faults = bench.faults(plant);
    if (isFault(event)) delete faults[event.what];
    else if (event.what === "tank") bench.tank(plant).left = REFILL;
    else if (event.what === "leak") bench.setInput(leakSensorOf(plant), false);
    else if (event.what === "drift") {
      this.drifts.delete(plant);
      delete faults.probeOffset;
    }
  }
}

type Fault = Extract<ScenarioEvent, { what: "probe" | "pump" | "lamp" | "camera" }>;

/** A part of the bench that has a fault, or works again. */
const isFault = (event: ScenarioEvent): event is Fault =>
  ["probe", "pump", "lamp", "camera"].includes(event.what);

function set<F, K extends keyof F>(faults: F, part: K, is: F[K] | "ok"): void {
  if (is === "ok") delete faults[part];
  else faults[part] = is as F[K];
}

const mentions = (text: string, words: readonly string[]): boolean =>
  words.some((word) => text.toLowerCase().includes(word.toLowerCase()));

type Words = {
  readonly [W in ScenarioEvent["what"]]: (event: Extract<ScenarioEvent, { what: W }>) => string;
};

const WORDS: Words = {
  probe: ({ is }) => `the probe is ${is}`,
  pump: ({ is }) => (is === "tube off" ? "the tube is off" : `the pump is ${is}`),
  tank: ({ ml }) => `the tank holds ${ml} ml`,
  drift: ({ mv_per_day }) => `the probe drifts by ${mv_per_day} mV a day`,
  leak: ({ is }) => `the leak sensor is ${is}`,
  lamp: ({ is }) => `the lamp is ${is}`,
  camera: ({ is }) => `the camera is ${is}`,
  room: ({ temperature, humidity, daylight }) =>
    `the room: ${signed(temperature)} K, ${signed(humidity)} % humidity, daylight × ${daylight}`,
  agent: ({ is }) => `the agent is ${is}`,
  clock: ({ hours: by }) => `the wall clock jumps by ${signed(by)} h`,
  "power cut": ({ minutes, during_dose }) =>
    `the power goes for ${minutes} min${during_dose ? ", in the middle of the next dose" : ""}`,
  message: () => "the person writes to the agent",
  note: () => "an earlier agent's note is found",
};

const signed = (value: number): string => (value < 0 ? `−${-value}` : `+${value}`);

export const nameOf = <E extends ScenarioEvent>(event: E): string =>
  (WORDS[event.what] as (event: E) => string)(event);

/** Messages read at once. A choice: more than that in an hour would be a fault of the agent. */
const PAGE = 50;

/** The simulated person: reads messages once an hour, and repairs what a message reports. */
export class Person {
  private readonly asked = new Map<string, string>();
  private lastRead = 0;
  private written = 0;

  constructor(
    private readonly house: {
      readonly world: World;
      readonly runtime: Runtime;
      readonly troubles: Troubles;
      readonly recorder: Recorder;
      readonly repairAfterHours: number;
    },
  ) {}

  /** Messages of the person that the agent has not answered. */
  get unanswered(): number {
    return this.asked.size;
  }

  /** Messages of the agent that are not replies. */
  get unasked(): number {
    return this.written;
  }

  async write(text: string): Promise<void> {
    const { runtime, recorder } = this.house;
    const result = await runtime.call("send_message_to_agent", { message: text });
    if (!result.ok) throw new Error(`the person cannot write: ${result.error.message}`);
    this.asked.set(sentMessage.parse(result.value).message_id, text);
    recorder.message("person", text);
  }

  async lookAfter(): Promise<void> {
    await this.read();
    await this.mend();
  }

  private async read(): Promise<void> {
    const result = await this.house.runtime.call("list_messages_from_agent", { limit: PAGE });
    if (!result.ok) throw new Error(`the person cannot read messages: ${result.error.message}`);
    const news = messagesFromAgent
      .parse(result.value)
      .messages.filter(({ message_id }) => Number(message_id) > this.lastRead);
    for (const message of news.reverse()) this.take(message);
  }

  private take({ message_id, in_reply_to, content = "" }: Message): void {
    const { recorder, troubles, world } = this.house;
    this.lastRead = Number(message_id);
    const byAgent = recorder.sentByAgent.has(content);
    recorder.message(byAgent ? "agent" : "runtime", content);
    if (in_reply_to !== null) this.asked.delete(in_reply_to);
    else troubles.readByPerson(content, world.now());
    if (byAgent && in_reply_to === null) this.written += 1;
  }

  /** Also clears the fault of a pump after the repair. */
  private async mend(): Promise<void> {
    const { world, troubles, recorder, runtime, repairAfterHours } = this.house;
    const toldBefore = plus(world.now(), -hours(repairAfterHours)) as EpochMillis;
    for (const { trouble, plants } of troubles.repair(world.bench, toldBefore)) {
      recorder.event("person", `mends: ${trouble}`);
      for (const plant of plants) await runtime.call("clear_fault", { plant });
    }
  }
}
