import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { millis, seconds } from "../../drivers/units.js";
import { HomeRefusal, type HomeSocket } from "../../runtime/bridge/home/socket.js";
import { HouseProcesses } from "./house-processes.js";
import { Judge } from "./judge.js";
import { CLOCK, socketOf, type TestHome } from "./tested-adapter.js";
import {
  CARELESS,
  DEVICE_ID,
  GATE,
  gateNamed,
  MARK,
  REGISTRY_ID,
  UNSAYABLE,
  WAYS,
  type Way,
  type WayCall,
} from "./ways.js";

/** A home in which the ways are tried. */
export interface TriedHome extends TestHome {
  /** Whether it has a broker: without one Home Assistant has no `mqtt.publish`. */
  readonly hasBroker: boolean;
  /** The longest time between an answer and what follows from it: a script that waits, and a lock that moves. */
  readonly slowest: number;
}

/** How the home is before each way, and what the owner calls to have it so. */
const START: Readonly<Record<string, readonly [state: string, service: string, data?: object]>> = {
  "lock.front_door": ["locked", "lock.lock"],
  "lock.openable_lock": ["locked", "lock.lock"],
  "lock.greenhouse_door": ["locked", "lock.lock"],
  "lock.kitchen_door": ["unlocked", "lock.unlock"],
  "cover.garage_door": ["closed", "cover.close_cover"],
  "cover.kitchen_window": ["closed", "cover.close_cover"],
  "valve.orchard": ["closed", "valve.close_valve"],
  "alarm_control_panel.security": ["armed_home", "alarm_control_panel.alarm_arm_home", { code: "1234" }],
  "siren.siren": ["on", "siren.turn_on"],
  "input_boolean.guest_mode": ["off", "input_boolean.turn_off"],
  "input_number.garage_opening": ["0.0", "input_number.set_value", { value: 0 }],
  "input_select.house_mode": ["Home", "input_select.select_option", { option: "Home" }],
  "input_text.service_to_run": ["", "input_text.set_value", { value: "" }],
  "light.bed_light": ["off", "light.turn_off"],
  "timer.watering": ["idle", "timer.cancel"],
  "automation.door_opener": ["on", "automation.turn_on"],
};
const OPEN = ["unlocking", "unlocked", "opening", "open", "disarmed"];
/** What changes by itself in an idle home. */
const BY_ITSELF = /^(sun\.|sensor\.sun_|sensor\.backup_|sensor\.date|sensor\.time)/;

/** What the ways do without our layer, and that they do nothing through it: for the stand-in and for the real one alike. */
export function promisesOfWays(t: Test, homeFor: (t: Test) => Promise<TriedHome>): void {
  t.test("each way does in this home what it did when it was tried", async (t) => {
    const trial = await Trial.of(t, await homeFor(t));
    t.teardown(() => trial.sweep());
    for (const way of WAYS) if (trial.canTry(way)) t.equal(await trial.directly(way), way.does, way.way);
    t.ok(trial.judge.calls.includes("lock.unlock"), "the judge hears of calls");
  });

  t.test("through call_ha_service none of them does anything without a person's yes", async (t) => {
    t.equal(WAYS.length + Object.values(UNSAYABLE).flat().length, 133, "all that were tried");
    const home = await homeFor(t);
    const trial = await Trial.of(t, home);
    const agents = WAYS.map((_, at) => `w${at}`);
    const house = await HouseProcesses.start(t, home, { config: CARELESS, agents });
    const before = trial.seen();
    const [calls, changes] = [trial.judge.calls.length, trial.judge.changes.length];
    for (const [at, way] of WAYS.entries())
      for (const call of way.calls)
        t.equal(await endingOf(house, `w${at}`, trial.filledIn(call)), way.ends, way.way);
    await CLOCK.sleep(seconds(trial.home.slowest));
    t.same(trial.judge.calls.slice(calls), [], "Home Assistant was called by nobody");
    t.same(trial.ownChanges(changes), [], "and nothing has changed");
    t.same(trial.seen(), before);
    await house.end();
  });
}

/** What an agent's call ends with while nobody answers. */
async function endingOf(house: HouseProcesses, agent: string, [service, id, data]: WayCall): Promise<string> {
  const [domain = "", name = ""] = service.split(".");
  const target = id === undefined || id === "" ? {} : { entity_id: id };
  const args = { domain, service: name, ...target, ...(data && { service_data: data }) };
  const giveUp = new AbortController();
  let ended: string | undefined;
  const call = house.agent(agent, args, { signal: giveUp.signal }).then(
    (answer) => {
      ended = answer.ok ? (answer.value as { status: string }).status : answer.error.code;
    },
    (error: unknown) => {
      if (!giveUp.signal.aborted) throw error;
    },
  );
  while (ended === undefined && !giveUp.signal.aborted) {
    if (await house.requestOf(agent)) giveUp.abort();
    else await CLOCK.sleep(millis(5));
  }
  await call;
  await house.leave(agent);
  return ended ?? "pending";
}

/** The home, a judge, and a user who is no administrator. */
class Trial {
  private readonly mark = join(tmpdir(), `tendril-way-${process.pid}`);

  private constructor(
    readonly home: TriedHome,
    readonly judge: Judge,
    private readonly resident: HomeSocket,
    private readonly ids: Readonly<Record<string, string>>,
  ) {}

  static async of(t: Test, home: TriedHome): Promise<Trial> {
    const judge = await Judge.of(t, home);
    const registry = (await judge.socket.ask("config/entity_registry/list")) as readonly {
      readonly entity_id: string;
      readonly id: string;
      readonly device_id: string;
    }[];
    const entry = (id: string) => registry.find(({ entity_id }) => entity_id === id);
    const ids = {
      [REGISTRY_ID]: entry("lock.greenhouse_door")?.id ?? "",
      [DEVICE_ID]: entry("cover.garage_door")?.device_id ?? "",
    };
    const trial = new Trial(home, judge, await socketOf(t, home, "resident"), ids);
    if (home.hasBroker) await judge.call("mqtt.publish", undefined, gateNamed("test gate"));
    await trial.reset();
    return trial;
  }

  canTry({ calls }: Way): boolean {
    return this.home.hasBroker || calls.every(([service]) => service !== "mqtt.publish");
  }

  /** Sends the way as the resident, says what came of it, and puts everything back. */
  async directly({ calls, does }: Way): Promise<string> {
    const [last] = calls.slice(-1);
    for (const call of calls.slice(0, -1)) await this.send(call);
    const answer = last && this.send(last);
    const [id = "", state] = does.split(" ");
    const isThere = () => {
      const now = this.judge.states.get(id) ?? "none";
      return state === undefined ? OPEN.includes(now) : now === state;
    };
    // a lock answers when it has moved: its state comes before
    const hasHappened = id.includes(".") && (await this.judge.sees(isThere));
    const resetting = hasHappened ? this.reset() : undefined;
    const refusal = await answer;
    const others = this.displaced();
    await (resetting ?? this.reset());
    if (hasHappened) return does;
    return others.length > 0 ? others.join(", ") : refusal ? "refuses" : "answers";
  }

  filledIn([service, id, data]: WayCall): WayCall {
    const fill = (text: string) =>
      Object.entries({ ...this.ids, [MARK]: this.mark }).reduce(
        (all, [key, to]) => all.replace(key, to),
        text,
      );
    return [service, id && fill(id), data && JSON.parse(fill(JSON.stringify(data)))];
  }

  /** What the judge sees, without what changes by itself. */
  seen(): Record<string, string> {
    return Object.fromEntries([...this.judge.states].filter(([id]) => !BY_ITSELF.test(id)).sort());
  }

  ownChanges(from: number): string[] {
    return this.judge.changes.slice(from).filter((change) => !BY_ITSELF.test(change));
  }

  /** Brings everything back to how it begins. */
  async reset(): Promise<void> {
    const ends = CLOCK.monotonic() + seconds(30);
    while (this.displaced().length > 0) {
      if (CLOCK.monotonic() > ends) throw new Error(`not as it was: ${this.displaced().join(", ")}`);
      for (const change of this.displaced()) {
        const [id = ""] = change.split(" ");
        const [, service, data] = START[id] ?? [];
        if (service) await this.judge.call(service, id, data);
      }
    }
  }

  /** What is left of scenes, devices, groups and files. */
  async sweep(): Promise<void> {
    await rm(this.mark, { force: true });
    await this.judge.call("group.set", undefined, { object_id: "harmless", entities: ["light.bed_light"] });
    for (const scene of ["scene.mine", "scene.cosy"])
      if (this.judge.states.has(scene)) await this.judge.call("scene.delete", scene);
    if (!this.home.hasBroker) return;
    for (const name of ["test gate", "test made"])
      await this.judge.call("mqtt.publish", undefined, { ...gateNamed(name), payload: "" });
    await this.judge.sees(() => !this.judge.states.has(GATE));
  }

  /** "lock.front_door unlocked", for each that is not as it begins. */
  private displaced(): string[] {
    return Object.entries(START).flatMap(([id, [state]]) => {
      const now = this.judge.states.get(id) ?? "none";
      return now === state ? [] : [`${id} ${now}`];
    });
  }

  /** Home Assistant's refusal; undefined for success. */
  private async send(call: WayCall): Promise<string | undefined> {
    const [name, id, service_data = {}] = this.filledIn(call);
    const [domain, service] = name.split(".");
    const target = id ? { target: { entity_id: id } } : {};
    try {
      await this.resident.ask(
        "call_service",
        { domain, service, service_data, ...target },
        { within: seconds(60) },
      );
      return undefined;
    } catch (error) {
      if (error instanceof HomeRefusal) return error.message;
      throw error;
    }
  }
}
