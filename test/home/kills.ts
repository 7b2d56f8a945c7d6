import type { Test } from "tap";
import { millis, seconds } from "../../drivers/units.js";
import { linkFailure } from "../faults/kill-rounds.js";
import { HouseProcesses } from "./house-processes.js";
import { Judge } from "./judge.js";
import { CLOCK, type TestHome, until } from "./tested-adapter.js";

/** A home that can be killed, and stand still, at a chosen moment. */
export interface KilledHome extends TestHome {
  kill(): Promise<void>;
  boot(): Promise<void>;
  /** It hears nothing and does nothing, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** A lock that moves does not arrive before `release`; a real one takes two seconds. */
  hold(): void;
  release(): void;
  /** Seconds after which its history has what has happened. */
  readonly recordsWithin: number;
}

export type Victim = "runtime" | "bridge" | "home";
/**
 * Where a call to unlock can be when something dies. "early" is four calls at once: one that is over, one that waits for the
 * person, one whose agent has gone away meanwhile, and one with a yes that nobody has used yet.
 */
export type Step = "early" | "claimed" | "sent" | "answered";
const STEPS: readonly Step[] = ["sent", "claimed", "answered", "early"];
const VICTIMS: readonly Victim[] = ["runtime", "bridge", "home"];
export type RoundOf = readonly [Step, Victim];
/** What matters most comes first. */
export const ALL_ROUNDS: readonly RoundOf[] = STEPS.flatMap((step) =>
  VICTIMS.map((victim): RoundOf => [step, victim]),
);

const DOOR = "lock.front_door";
const UNLOCK = { domain: "lock", service: "unlock", entity_id: DOOR };
const CONFIG = `server: { calls_per_second: 100000 }
home: { entities: { ${DOOR}: { name: Front door, opt_in: true } } }
`;
const EARLY = ["over", "asking", "gone", "approved"] as const;

/** What the agent may be told after all, by its call and what died. A restart of the runtime ends every question. */
const TOLD: Readonly<Record<string, Readonly<Record<Victim, readonly string[]>>>> = {
  over: { runtime: ["success"], bridge: ["success"], home: ["success"] },
  asking: { runtime: ["rejected"], bridge: ["success"], home: ["success"] },
  gone: { runtime: ["rejected"], bridge: ["success"], home: ["success"] },
  // its agent has gone, and its call may still have been there to use the yes up: then a person is asked anew, or, where there
  // was no home to send it to, it has failed
  approved: { runtime: ["rejected", "success"], bridge: ["success"], home: ["success", "failed"] },
  // failed: the bridge knows that it had not sent it yet
  claimed: { runtime: ["unknown"], bridge: ["unknown"], home: ["unknown", "failed"] },
  sent: { runtime: ["unknown"], bridge: ["unknown"], home: ["unknown"] },
  // the bridge had its answer, or had just brought it
  answered: { runtime: ["unknown"], bridge: ["unknown", "success"], home: ["success", "unknown"] },
};

/** How often the door may have been unlocked by one call, by what its agent is told. */
const UNLOCKS: Readonly<Record<string, readonly number[]>> = {
  success: [1],
  unknown: [0, 1],
  failed: [0],
  rejected: [0],
};

/**
 * Kills each of these at each of these steps, with real processes, and counts what the door did. A round that would begin after
 * `lastBegin` is told as not tested.
 */
export async function killAtEachStep(
  t: Test,
  home: KilledHome,
  rounds: readonly RoundOf[],
  lastBegin: number = Number.POSITIVE_INFINITY,
): Promise<void> {
  const names = (step: Step, victim: Victim) => callsOf(step).map((call) => `${call}-${victim}`);
  const agents = rounds.flatMap(([step, victim]) => names(step, victim));
  const house = await HouseProcesses.start(t, home, { config: CONFIG, agents });
  for (const [step, victim] of rounds) {
    const skip = CLOCK.monotonic() > lastBegin && "NOT TESTED: this run has taken too long already";
    await t.test(`${victim} is killed: ${callsOf(step).join(", ")}`, { skip }, async (t) => {
      const round = new Round(t, house, home, await Judge.of(t, home));
      await round.locked();
      await round.reach(step, victim);
      await round.kill(victim);
      for (const call of callsOf(step)) await round.settle(call, victim);
    });
  }
  await house.end();
}

const callsOf = (step: Step): readonly string[] => (step === "early" ? EARLY : [step]);

class Round {
  /** Unlocks that were seen before Home Assistant was killed; undefined while it was not. */
  private before: number | undefined;
  /** Those of the calls that are settled. */
  private settled = 0;
  private begins = CLOCK.now();
  private readonly first = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly t: Test,
    private readonly house: HouseProcesses,
    private readonly home: KilledHome,
    private judge: Judge,
  ) {}

  /** The door is locked, by its owner. */
  async locked(): Promise<void> {
    const isLocked = () => this.judge.states.get(DOOR) === "locked";
    if (!isLocked()) await this.judge.call("lock.lock", DOOR);
    if (!(await this.judge.sees(isLocked))) throw new Error(`the door is ${this.judge.states.get(DOOR)}`);
  }

  async reach(step: Step, victim: Victim): Promise<void> {
    if (step === "early") return this.early(victim);
    const agent = `${step}-${victim}`;
    await this.asks(agent);
    if (step === "claimed") this.home.freeze();
    else this.home.hold();
    await this.saysYes(agent);
    if (step === "claimed") return this.house.hasClaimed(agent);
    await this.is("unlocking");
    if (step === "sent") return;
    this.house.signal("runtime", "SIGSTOP");
    this.home.release();
    await this.is("unlocked");
    await CLOCK.sleep(millis(200)); // the bridge hears it as the judge does
  }

  /** As `kill -9`; then it is there again, and all that stood still goes on. */
  async kill(victim: Victim): Promise<void> {
    if (victim === "home") {
      this.before = this.seen();
      await this.home.kill();
    } else await this.house.kill(victim);
    this.house.signal("runtime", "SIGCONT");
    if (victim === "home") await this.bootHome();
    else this.home.thaw();
    this.home.release();
    if (victim === "runtime") await this.house.startRuntime();
    if (victim === "bridge") this.house.startBridge();
    await this.house.isReady();
    if (victim === "home") await this.canAct();
  }

  /** The connection that acts comes back apart from the one that reads. The door is locked already. */
  private async canAct(): Promise<void> {
    const lock = { ...UNLOCK, service: "lock" };
    await until(async () => {
      const { status } = await this.house.person<{ status: string }>("call_ha_service", lock);
      return status === "success";
    });
  }

  /** The agent repeats its call with its key until it is over. A person says yes where one is asked now. */
  async settle(call: string, victim: Victim): Promise<void> {
    const agent = `${call}-${victim}`;
    await this.first.get(agent);
    const wasDone = call === "over" ? 1 : 0;
    const status = await this.repeated(agent);
    this.t.ok(TOLD[call]?.[victim].includes(status), `${call}: ${status}`);
    const unlocks = (await this.unlocks()) - this.settled;
    this.t.ok(UNLOCKS[status]?.includes(unlocks + wasDone), `${call}: unlocked ${unlocks} times, ${status}`);
    this.t.equal(await this.repeated(agent), status, "and so it stays");
    this.t.equal((await this.unlocks()) - this.settled, unlocks, "once more it is not unlocked");
    if (status === "unknown") await this.isTold("job_unknown");
    if (status === "rejected") await this.isTold("approval_void");
    this.settled += unlocks;
    await this.locked();
  }

  /** One call that is over, and three that are not. */
  private async early(victim: Victim): Promise<void> {
    const [over, asking, gone, approved] = EARLY.map((call) => `${call}-${victim}`) as [
      string,
      string,
      string,
      string,
    ];
    await this.asks(over);
    await this.saysYes(over);
    await this.first.get(over);
    await this.locked();
    this.begins = CLOCK.now();
    this.judge.changes.length = 0;
    for (const agent of [asking, gone, approved]) await this.asks(agent);
    for (const agent of [gone, approved]) await this.house.leave(agent);
    await this.saysYes(approved);
  }

  /** Resolves when the question is on the disk, and the person sees it. */
  private async asks(agent: string): Promise<void> {
    this.first.set(agent, this.call(agent));
    await until(() => this.house.requestOf(agent));
  }

  private async saysYes(agent: string): Promise<void> {
    const request = await until(() => this.house.requestOf(agent));
    await this.house.person("answer_approval", { id: request.id, approve: true });
  }

  /** The status that the agent is told; undefined if its link breaks. */
  private async call(agent: string): Promise<string | undefined> {
    const answer = await this.house.agent(agent, UNLOCK, { key: agent }).catch(linkFailure);
    if (!answer) return undefined;
    return answer.ok ? (answer.value as { status: string }).status : answer.error.code;
  }

  private async repeated(agent: string): Promise<string> {
    let status: string | undefined;
    do {
      const call = this.call(agent);
      let isOver = false;
      void call.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        if (await this.house.requestOf(agent)) await this.saysYes(agent);
        else await CLOCK.sleep(millis(20));
      }
      status = await call;
    } while (status === "pending");
    return status ?? "no answer";
  }

  private async bootHome(): Promise<void> {
    await this.home.boot();
    this.begins = CLOCK.now();
    this.judge = await Judge.of(this.t, this.home);
  }

  private async is(state: string): Promise<void> {
    if (!(await this.judge.sees(() => this.judge.states.get(DOOR) === state)))
      throw new Error(`the door is ${this.judge.states.get(DOOR)}, not ${state}`);
  }

  private readonly seen = (): number =>
    this.judge.changes.filter((change) => change === `${DOOR} unlocking`).length;

  /** What the judge has seen. After a boot it comes later than the bridge: then Home Assistant's own history counts. */
  private async unlocks(): Promise<number> {
    if (this.before === undefined) return this.seen();
    await CLOCK.sleep(seconds(this.home.recordsWithin));
    const asked = { entity_ids: [DOOR], start_time: isoOf(this.begins), end_time: isoOf(CLOCK.now() + 1000) };
    const more = { minimal_response: true, no_attributes: true, include_start_time_state: false };
    const answer = await this.judge.socket.ask("history/history_during_period", { ...asked, ...more });
    const past = (answer as Readonly<Record<string, readonly { readonly s: string }[]>>)[DOOR] ?? [];
    const recorded = past.filter(({ s }) => s === "unlocking").length;
    return this.before + Math.max(recorded, this.seen());
  }

  private async isTold(kind: string): Promise<void> {
    const { notifications } = await this.house.person<{
      notifications: readonly { readonly kind: string }[];
    }>("list_notifications");
    this.t.ok(
      notifications.some((each) => each.kind === kind),
      `the person is told: ${kind}`,
    );
  }
}

const isoOf = (at: number): string => new Date(at).toISOString();
