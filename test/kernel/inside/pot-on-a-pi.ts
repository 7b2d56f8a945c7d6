import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { Runtime } from "../../../agent-client/link/runtime.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import type { Role } from "../../../runtime/wire/identity.js";
import type { RefusalBody } from "../../../runtime/wire/refusal.js";
import { connectTo } from "../../connect-once.js";
import { RuntimeProcess } from "../../process.js";
import { clock, SimLine } from "./gpio-sim.js";
import { LiveChip } from "./live-chip-process.js";
import { stubBus } from "./stub-chip.js";

type Json = Readonly<Record<string, unknown>>;

/** Of bench.dts: fern-pump is on while its pin is low. */
export const RELAYS = { pump: 17, light: 22, fernPump: 27 } as const;
const INPUTS = { stop: 9, leak: 10, tank: 11 } as const;
export const PROBE_SUPPLY = 12;
export const ADDRESS = 0x48;
/** ml/s: quick, so that 10 ml take 4 s; and not so quick that a slow machine has no time to interrupt 25 ml, 10 s. */
export const FLOW = 2.5;
/** The kernel inside has one processor, on a machine that may be busy; guard.test.ts has the bounds that are promised. */
export const SLACK = millis(500);
/** Sooner than any lease is over (2 s) or any dose: by somebody who knows. Room for a busy machine. */
export const AT_ONCE = seconds(1);

/** Whether a dose gave what was asked, and no more than an end that is late on a busy machine adds. */
export const isAbout = (asked: number, poured: unknown): boolean =>
  Number(poured) >= asked && Number(poured) <= asked + (AT_ONCE / 1000) * FLOW;

const [DRY, WET] = [2.75, 1.2];
/** Of moist soil, half-way. */
export const MOIST = { volts: (DRY + WET) / 2 };

/** What is wired up to the kernel's bench, as the person would write it. JSON is YAML too. */
export const wired = () => ({
  board: "pi",
  i2c_bus: stubBus(),
  // once a year: the tests say when
  sampling: { cron: "0 0 1 1 *" },
  // nor does this soil ever answer, or get drier
  water: { no_response: { ml: 500 } },
  inputs: [
    { kind: "stop", name: "red button", gpio: INPUTS.stop },
    { kind: "leak", name: "tray", gpio: INPUTS.leak },
    { kind: "tank", name: "can", gpio: INPUTS.tank, active_low: false },
  ],
  plants: [
    {
      id: "basil",
      water: { not_above: "off" },
      probe: {
        address: ADDRESS,
        dry_volts: DRY,
        wet_volts: WET,
        power_gpio: PROBE_SUPPLY,
        power_settle_ms: 50,
      },
      pump: { flow_ml_per_s: FLOW, output: { gpio: RELAYS.pump } as Json },
      light: { output: { gpio: RELAYS.light, led: "basil-light" } as Json },
    },
    {
      id: "fern",
      // nothing answers there
      probe: { address: 0x4b },
      water: { not_above: "off" },
      pump: { flow_ml_per_s: FLOW, output: { gpio: RELAYS.fernPump, active_low: true } as Json },
    },
  ],
});

/** A state folder in which a person has put this configuration. */
export async function stateWith(config: object): Promise<string> {
  const state = await mkdtemp(join(tmpdir(), "tendril-pot-"));
  await writeFile(join(state, "tendril.yaml"), JSON.stringify(config, undefined, 2));
  return state;
}

/** Levels of the relays' pins: each is off. */
export const ALL_OFF = { pump: 0, light: 0, fernPump: 1 };
export const levels = () => ({
  pump: new SimLine(RELAYS.pump).level(),
  light: new SimLine(RELAYS.light).level(),
  fernPump: new SimLine(RELAYS.fernPump).level(),
});

/** A basil and a fern on a Pi: `tendril serve` on the kernel's lines and buses, and whoever calls it. */
export class PotOnAPi {
  readonly pump = new SimLine(RELAYS.pump);
  readonly light = new SimLine(RELAYS.light);

  private constructor(
    private readonly t: Test,
    /** How long `tendril serve` took until it listened. */
    public startedIn: Millis,
    readonly chip: LiveChip,
    readonly state: string,
    public runtime: RuntimeProcess,
    public human: Caller,
    public agent: Caller,
  ) {}

  static async start(t: Test): Promise<PotOnAPi> {
    input("stop", false);
    input("leak", false);
    input("tank", false);
    const chip = await LiveChip.start(t, ADDRESS, PROBE_SUPPLY);
    await chip.show(MOIST);
    const state = await stateWith(wired());
    const { startedIn, runtime, human, agent } = await serve(t, state);
    const pot = new PotOnAPi(t, startedIn, chip, state, runtime, human, agent);
    t.teardown(() => pot.runtime.stop("SIGKILL"));
    return pot;
  }

  /** Once more on the same state folder, after `runtime.stop`. */
  async startAgain(): Promise<void> {
    Object.assign(this, await serve(this.t, this.state));
  }

  /** A person's dose for the basil that has run for a second: 25 ml, which take ten. */
  async pouring() {
    const answer = this.human.call("dispense_water", { ml: 25 });
    const since = await this.pump.until(1, seconds(5));
    await clock.sleep(seconds(1));
    return { answer, since };
  }

  /** The status that an agent writes when it has looked at everything, with the given plan. */
  async plan(action: "water" | "light", value: number): Promise<Json> {
    const { agent } = this;
    const { value: sensor_reading } = await agent.get("read_moisture");
    const { used_ml: water_24h } = await agent.get("get_water_usage_24h");
    const { light_today } = await agent.get("get_light_status");
    const { timestamp } = await agent.get("get_current_time", {}, "as said");
    const next_action_sequence = [{ order: 1, action, value }];
    const said = { plant_state: "healthy", reasoning: "a test", next_action_sequence };
    return agent.get("write_plant_status", { timestamp, sensor_reading, water_24h, light_today, ...said });
  }

  /** The process of the runtime's guard that lives now. */
  guard(): number {
    const isGuard = (pid: string) => {
      const parent = procFile(pid, "status").match(/^PPid:\s*(\d+)$/m)?.[1];
      return Number(parent) === this.runtime.pid && procFile(pid, "cmdline").includes("guard/main.js");
    };
    const pid = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .find(isGuard);
    if (pid === undefined) throw new Error("the runtime has no guard");
    return Number(pid);
  }

  async used(): Promise<number> {
    return Number((await this.human.get("get_water_usage_24h")).used_ml);
  }

  /** To the person, oldest first. */
  async letters(): Promise<string[]> {
    const { messages } = await this.human.get("list_messages_from_agent", { limit: 50 }, "as said");
    return (messages as { content: string }[]).map(({ content }) => content);
  }
}

/** Of a process; empty if that is gone. */
function procFile(pid: string, name: string): string {
  try {
    return readFileSync(join("/proc", pid, name), "latin1");
  } catch {
    return "";
  }
}

/** Presses, wets or empties it, or undoes that. The button and the tray close to ground, the float opens. */
export function input(name: keyof typeof INPUTS, active: boolean): void {
  new SimLine(INPUTS[name]).pull(active === (name === "tank") ? 1 : 0);
}

async function serve(t: Test, state: string) {
  const asked = clock.monotonic();
  const runtime = await RuntimeProcess.start({ state, real: true });
  const startedIn = millis(clock.monotonic() - asked);
  const human = await Caller.connect(t, runtime, "human");
  return { startedIn, runtime, human, agent: await Caller.connect(t, runtime, "agent") };
}

/** Somebody with a token, over the WebSocket. Calls are about the basil unless `about` has them go as they are. */
export class Caller {
  private constructor(private readonly link: Runtime) {}

  static async connect(t: Test, runtime: Pick<RuntimeProcess, "url" | "token">, role: Role): Promise<Caller> {
    const link = await connectTo(runtime, role);
    t.teardown(() => link.close());
    return new Caller(link);
  }

  call(tool: string, args: Json = {}, about: "basil" | "as said" = "basil") {
    return this.link.call(tool, { ...args, ...(about === "basil" && { plant: about }) });
  }

  /** The value of a call that has to work. */
  async get(tool: string, args: Json = {}, about?: "as said"): Promise<Json> {
    const result = await this.call(tool, args, about);
    if (result.ok) return result.value as Json;
    throw new Error(`${tool}: ${result.error.message}`);
  }

  /** What a call that has to be refused is told. */
  async refused(tool: string, args: Json = {}, about?: "as said"): Promise<RefusalBody> {
    const result = await this.call(tool, args, about);
    if (!result.ok) return result.error;
    throw new Error(`${tool} was not refused: ${JSON.stringify(result.value)}`);
  }
}
