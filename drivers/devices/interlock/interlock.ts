import { DriverError, type DriverErrorCode } from "../../errors.js";
import type { Cancel, Clock, SerialLine } from "../../ports.js";
import { type Millis, millis } from "../../units.js";
import {
  type Channel,
  type Grant,
  type InterlockDevice,
  type InterlockLimits,
  type InterlockStatus,
  versionProblem,
} from "./device.js";
import { type Answer, type HostLine, nextToken, type Refusal, type StatusLine } from "./protocol.js";
import { RequestQueue } from "./request-queue.js";

/** Between heartbeats: the interlock lets go of the pump after four of them. */
const BEAT = millis(500);
/** How often a line is said, with fresh tokens, before the interlock counts as lost: three take less than a beat. */
const TRIES = 3;
const isStatus = (answer: Answer): boolean => answer.type === "S";
const isLimits = (answer: Answer): boolean => answer.type === "V";
/** Every answer carries the token: one that was taken is the interlock's own now. An older answer has neither. */
const answersToken = (answer: Answer, said: HostLine): boolean =>
  answer.type === "S" && "token" in said && (answer.token === said.token || answer.refusal === "token");

/**
 * The interlock behind a serial line (firmware/PROTOCOL.md). Requests carry how long they may last, and the interlock
 * times them; what switches off is said at once and waits for nothing.
 */
export class Interlock implements InterlockDevice {
  private readonly requests: RequestQueue;
  private readonly watchers = new Set<() => void>();
  private last: StatusLine | undefined;
  /** Undefined until they are known, and whenever it does not answer: another interlock may be there when it answers again. */
  private limits: InterlockLimits | undefined;
  /** It has said that everything is off which an earlier driver may have left on. */
  private confirmedOff = false;
  private cancelBeat: Cancel = () => undefined;
  private busy = false;
  private stopped = false;
  private readonly orders = { pump: 0, light: 0 };
  /** Counts what switched a channel off: a request from before is not said again. */
  private readonly offs = { pump: 0, light: 0 };

  private constructor(
    private readonly line: SerialLine,
    private readonly clock: Clock,
  ) {
    this.requests = new RequestQueue(line, clock, (answer) => this.received(answer));
  }

  /**
   * Everything off, then heartbeats. Resolves also without an answer: `latest` stays undefined until one comes.
   */
  static async open(line: SerialLine, clock: Clock): Promise<Interlock> {
    const interlock = new Interlock(line, clock);
    interlock.arm();
    await interlock.beat();
    return interlock;
  }

  get latest(): InterlockDevice["latest"] {
    return this.last && this.limits && { status: this.last.status, limits: this.limits };
  }

  watch(listener: () => void): Cancel {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  async status(): Promise<InterlockStatus> {
    for (let tries = TRIES; tries > 0; tries--) {
      const answer = await this.requests.ask(() => ({ type: "Q" }), isStatus);
      if (answer?.type === "S") return answer.status;
    }
    throw this.lost();
  }

  /**
   * Resolves once the interlock has taken the request. Where its answer is lost, the number of the last order that it took
   * tells. A request that is still on its way when its channel is switched off is not said again.
   */
  async request(channel: Channel, duration: Millis): Promise<Grant> {
    this.checkProtocol();
    const order = this.newOrder(channel);
    const offs = this.offs[channel];
    const type = channel === "pump" ? "P" : "L";
    for (let tries = TRIES; tries > 0; tries--) {
      const line = () =>
        offs === this.offs[channel] ? ({ type, token: this.token(), order, duration } as const) : undefined;
      const answer = await this.outcome(line);
      if (answer?.status.order[channel] === order) return { order };
      if (offs !== this.offs[channel]) throw this.error("INTERLOCK_REFUSED", "it was switched off meanwhile");
      if (answer) this.throwRefusal(answer);
    }
    this.sendOff(channel);
    throw this.lost();
  }

  off(channel: Channel): Promise<InterlockStatus> {
    return this.switchOff([channel], { type: channel === "pump" ? "p" : "l" });
  }

  allOff(): Promise<InterlockStatus> {
    return this.switchOff(["pump", "light"], { type: "X" });
  }

  /** Rejects with INTERLOCK_FAULT when faults stay, INTERLOCK_REFUSED when something is on or the stop is pressed. */
  async clear(): Promise<InterlockStatus> {
    for (let tries = TRIES; tries > 0; tries--) {
      const answer = await this.outcome(() => ({ type: "C", token: this.token() }));
      if (answer?.status.faults.length === 0) return answer.status;
      if (answer) this.throwRefusal(answer);
    }
    throw this.last ? this.error("INTERLOCK_FAULT", this.last.status.faults.join("; ")) : this.lost();
  }

  /** Everything off, and no heartbeat any more. */
  async close(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    this.cancelBeat();
    this.requests.send({ type: "X" });
    this.requests.close();
    await this.line.close();
  }

  private checkProtocol(): void {
    if (!this.limits) throw this.lost();
    const [problem] = versionProblem(this.limits);
    if (problem !== undefined) throw this.error("INTERLOCK_LIMITS", problem);
  }

  private newOrder(channel: Channel): number {
    const used = Math.max(this.orders[channel], this.last?.status.order[channel] ?? 0);
    this.orders[channel] = used >= 0xffff ? 1 : used + 1;
    return this.orders[channel];
  }

  private token(): number {
    return nextToken(this.last?.token ?? 0);
  }

  /** What became of a line with a token: where its answer is lost, the interlock is asked. */
  private async outcome(line: () => HostLine | undefined): Promise<StatusLine | undefined> {
    const answer = await this.requests.ask(line, answersToken);
    const outcome = answer ?? (await this.requests.ask(() => ({ type: "Q" }), isStatus));
    return outcome?.type === "S" ? outcome : undefined;
  }

  private throwRefusal({ refusal, status }: StatusLine): void {
    if (refusal === "nothing" || refusal === "token") return;
    const faults = status.faults.length > 0 ? `: ${status.faults.join("; ")}` : "";
    throw this.error(CODES[refusal] ?? "INTERLOCK_REFUSED", `${REASONS[refusal]}${faults}`);
  }

  private switchOff(channels: readonly Channel[], line: HostLine): Promise<InterlockStatus> {
    for (const channel of channels) this.offs[channel]++;
    this.requests.send(line);
    return this.confirmOff(channels, line);
  }

  private sendOff(channel: Channel): void {
    this.off(channel).catch(() => undefined);
  }

  /** Asked for anew until the interlock says that the contacts are open: an answer in flight may be of a line before. */
  private async confirmOff(channels: readonly Channel[], line: HostLine): Promise<InterlockStatus> {
    for (let tries = TRIES; tries > 0; tries--) {
      const answer = await this.requests.ask(() => ({ type: "Q" }), isStatus);
      if (answer?.type === "S" && channels.every((each) => !answer.status.closed[each])) return answer.status;
      this.requests.send(line);
    }
    throw this.lost();
  }

  private arm(): void {
    this.cancelBeat = this.clock.after(BEAT, () => {
      this.arm();
      if (!this.busy) void this.beat();
    });
  }

  /** Sends a heartbeat; first asks the other end for its limits where they are unknown. */
  private async beat(): Promise<void> {
    this.busy = true;
    const answers = (await this.identify()) && (await this.sendHeartbeat());
    this.busy = false;
    if (answers || !this.limits) return;
    this.limits = undefined;
    this.notify();
  }

  private async identify(): Promise<boolean> {
    if (!this.confirmedOff) this.requests.send({ type: "X" });
    if (this.limits) return true;
    const answer = await this.requests.ask(() => ({ type: "I" }), isLimits);
    if (answer?.type !== "V") return false;
    this.limits = answer.limits;
    return true;
  }

  private async sendHeartbeat(): Promise<boolean> {
    for (let tries = TRIES; tries > 0 && !this.stopped; tries--) {
      const answer = await this.requests.ask(() => ({ type: "H", token: this.token() }), answersToken);
      if (answer?.type === "S" && answer.refusal !== "token") return true;
    }
    return false;
  }

  private received(answer: Answer): void {
    if (answer.type !== "S") return;
    this.last = answer;
    this.confirmedOff ||= !answer.status.closed.pump && !answer.status.closed.light;
    this.notify();
  }

  private notify(): void {
    for (const watcher of this.watchers) watcher();
  }

  private lost(): DriverError {
    return this.error("INTERLOCK_LOST", "it does not answer", []);
  }

  private error(code: DriverErrorCode, what: string, reasons: readonly string[] = [what]): DriverError {
    const facts = { part: this.line.name, reasons };
    return new DriverError(code, `the interlock at ${this.line.name}: ${what}`, { facts });
  }
}

const CODES: Partial<Record<Refusal, DriverErrorCode>> = {
  fault: "INTERLOCK_FAULT",
  budget: "INTERLOCK_BUDGET",
  rest: "INTERLOCK_REST",
  "too long": "INTERLOCK_LIMITS",
};

const REASONS: Readonly<Record<Refusal, string>> = {
  nothing: "nothing is wrong",
  fault: "a fault is latched",
  heartbeat: "it has heard no heartbeat",
  busy: "the output is on already",
  rest: "the output rests after the last time on",
  budget: "the day's pump time is used up",
  "too long": "that is longer than it allows",
  "not idle": "something is on, or the emergency stop is pressed",
  token: "the line was an old one",
  unknown: "it gives a reason that this version does not know",
};
