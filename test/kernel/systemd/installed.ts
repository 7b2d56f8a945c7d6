import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Test } from "tap";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { baseOf, clock, PI_CHIP, SimLine } from "../inside/gpio-sim.js";
import { Caller, RELAYS, wired } from "../inside/pot-on-a-pi.js";
import { lately, processOf, property, run, state } from "./system.js";

export const STATE = "/var/lib/tendril";
export const CONFIG = "/etc/tendril/tendril.yaml";
const DROP_IN = "/run/systemd/system/tendril.service.d";
/** Of the Pi's chip; no LED is there: a plain pin, which nothing but a process switches off. */
export const PLAIN_PIN = 25;
/** Node and systemd on one processor with slow system calls, on a machine that others want too. */
const PATIENCE = seconds(150);
const LOOK = millis(100);

/** A pump as a LED, whose pulses the kernel ends, and a light on a plain pin; other computers may connect. */
export const config = () => {
  const { plants, ...rest } = wired();
  const [basil] = plants;
  const light = { output: { gpio: PLAIN_PIN, via: "sysfs", i_accept_software_cutoff: true } };
  return {
    ...rest,
    sampling: { cron: "* * * * *" },
    server: { host: "0.0.0.0", port: 8731, plain_too: true },
    plants: [{ ...basil, light }],
  };
};

/** Tendril as a person has it from the package, with a configuration in /etc. */
export class Installed {
  readonly pump = new SimLine(RELAYS.pump);
  readonly light = new SimLine(PLAIN_PIN);

  private constructor(private readonly t: Test) {}

  /** Started by this boot or by a person; `dropIn`: lines of the service's section that are to be other than on a Pi. */
  static async on(t: Test, ...dropIn: string[]): Promise<Installed> {
    const service = new Installed(t);
    await service.active();
    if (dropIn.length > 0) override(dropIn);
    return service;
  }

  /** Until systemctl says that it is active: how long it took. */
  async start(): Promise<Millis> {
    const asked = clock.monotonic();
    spawnSync("systemctl", ["start", "tendril.service"]);
    await this.active();
    return millis(clock.monotonic() - asked);
  }

  active(): Promise<void> {
    return until(() => property("ActiveState") === "active", "does not start");
  }

  get runtime(): number {
    return Number(property("MainPID"));
  }

  get guard(): number {
    return processOf("guard/main.js");
  }

  /** Resolves when systemctl says that it is gone: how long it took. */
  async stop(): Promise<Millis> {
    const asked = clock.monotonic();
    await once(spawn("systemctl", ["stop", "tendril.service"]), "exit");
    return millis(clock.monotonic() - asked);
  }

  person(): Promise<Caller> {
    const { url } = JSON.parse(readFileSync(`${STATE}/runtime.json`, "utf8")) as { url: string };
    const token = async (name: string) => readFileSync(`${STATE}/tokens/${name}`, "utf8").trim();
    return Caller.connect(this.t, { url, token }, "human");
  }

  /** Millilitres that the ledger charges for the last 24 hours. */
  async used(): Promise<number> {
    return Number((await (await this.person()).get("get_water_usage_24h", {}, "as said")).used_ml);
  }

  /** A dose of 10 s, and the light by the hand of root behind the service's back: its own light rests for half an hour after a start. */
  async everythingOn(): Promise<void> {
    const person = await this.person();
    const dose = person.call("dispense_water", { ml: 25 }, "as said");
    await orTell(Promise.race([this.pump.until(1, seconds(20)), neverBegun(dose)]));
    writeFileSync(`/sys/class/gpio/gpio${baseOf(PI_CHIP) + PLAIN_PIN}/value`, "1");
    await this.light.until(1, seconds(20));
  }

  /** Both relays off: how long after `since` the first, and the last. */
  async off(since: Millis, within: Millis): Promise<{ pump: Millis; light: Millis }> {
    const both = [this.pump, this.light].map((line) => line.until(0, within));
    const [pump, light] = await orTell(Promise.all(both));
    return { pump: millis(Number(pump) - since), light: millis(Number(light) - since) };
  }

  /** Another runtime than `before` serves: how long after `since`. */
  async backAfter(before: number, since: Millis): Promise<Millis> {
    const isBack = ({ active, pid } = state()) => active === "active" && pid > 0 && pid !== before;
    await until(isBack, "is not back");
    return millis(clock.monotonic() - since);
  }
}

/** Waits until `is` holds; rejects after PATIENCE with what `isNot`. */
export async function until(is: () => boolean, isNot: string): Promise<void> {
  const deadline = clock.monotonic() + PATIENCE;
  while (!is()) {
    if (clock.monotonic() > deadline)
      throw new Error(`the service ${isNot} after ${PATIENCE} ms:\n${lately()}`);
    await clock.sleep(LOOK);
  }
}

/** Rejects where a dose ends before its pump was seen on; what comes of it later is the story's. */
async function neverBegun(dose: ReturnType<Caller["call"]>): Promise<never> {
  throw new Error(`the pump was never on: ${JSON.stringify(await dose)}`);
}

/** Rejects as the promise does, and says what the machine was at. */
const orTell = <T>(promise: Promise<T>): Promise<T> =>
  promise.catch((error) => {
    throw new Error(`${error.message}\n${lately()}`);
  });

function override(lines: readonly string[]): void {
  mkdirSync(DROP_IN, { recursive: true });
  writeFileSync(`${DROP_IN}/zz-bench.conf`, ["[Service]", ...lines, ""].join("\n"));
  run("systemctl", "daemon-reload");
}
