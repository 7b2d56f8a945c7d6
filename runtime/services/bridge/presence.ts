import type { Cancel } from "../../../drivers/ports.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { BridgeState } from "../../wire/bridge.js";
import type { House } from "../module.js";
import { BRIDGE_ERRORS } from "./job.js";

/** One run of a bridge, and its token. */
export interface BridgeCaller {
  readonly token: string;
  readonly run: string;
  readonly version: string;
  /** What is wrong in its own file. */
  readonly problems?: readonly string[] | undefined;
}

/**
 * A bridge asks again at once when it has got an answer. One that does not within this time is gone. A choice: a busy
 * Pi answers within a second or two.
 */
const GRACE: Millis = seconds(5);

/** Says which run of a bridge takes jobs: the first that came, until it leaves or falls silent. */
export class Presence {
  private holder: BridgeCaller | undefined;
  private since: string;
  private disarm: Cancel = () => undefined;

  constructor(
    private readonly house: Pick<House, "realClock" | "timestamp">,
    private readonly onChange: (isThere: boolean) => void,
  ) {
    this.since = house.timestamp();
  }

  get isThere(): boolean {
    return this.holder !== undefined;
  }

  state(): BridgeState {
    const { version = null, problems = [] } = this.holder ?? {};
    const told = problems.length > 0 && { problems: [...problems] };
    return { connected: this.isThere, since: this.since, version, ...told };
  }

  isHeldBy({ token, run }: Pick<BridgeCaller, "token" | "run">): boolean {
    return this.holder?.token === token && this.holder.run === run;
  }

  /** The bridge asks for jobs. Throws BRIDGE_TAKEN if another takes them. */
  enter(caller: BridgeCaller): void {
    if (this.holder && !this.isHeldBy(caller)) throw this.taken(this.holder);
    this.disarm();
    const isNew = this.holder === undefined;
    this.holder = caller; // with what is wrong in its file now
    if (isNew) this.changed(true);
  }

  /** The bridge got an answer: it must ask again soon. */
  answered(): void {
    this.disarm();
    this.disarm = this.house.realClock.after(GRACE, () => this.leave());
  }

  leave(): void {
    this.disarm();
    if (!this.holder) return;
    this.holder = undefined;
    this.changed(false);
  }

  private changed(isThere: boolean): void {
    this.since = this.house.timestamp();
    this.onChange(isThere);
  }

  private taken({ token, version }: BridgeCaller): TendrilError {
    const what = `another bridge (token ${token}, version ${version}) takes the jobs since ${this.since}`;
    return new TendrilError(BRIDGE_ERRORS.BRIDGE_TAKEN, what, { retryAfter: GRACE / 1000 });
  }
}
