import { type Millis, minutes } from "../../../drivers/units.js";
import type { ChannelState } from "../../wire/bridge.js";
import type { Jobs } from "../bridge/jobs.js";
import type { House } from "../module.js";

/** What an adapter says of its channel. */
export interface Report {
  readonly state: "ok" | "down";
  readonly code: string | null;
  readonly message: string | null;
}

interface NotedReport extends Report {
  readonly since: string;
  readonly at: Millis;
}

/** A report is due every minute. A choice: three that did not come are no accident. */
const SILENT_AFTER: Millis = minutes(3);

/** What each channel has said of itself last. One that says nothing any more is down, whatever it said before. */
export class ChannelHealth {
  private readonly reports = new Map<string, NotedReport>();
  private readonly openedAt: string;

  constructor(
    private readonly house: Pick<House, "realClock" | "timestamp">,
    private readonly jobs: Pick<Jobs, "isConnected">,
  ) {
    this.openedAt = house.timestamp();
  }

  /** Returns whether it came up or went down with that. */
  note(channel: string, { state, code, message }: Report): boolean {
    const before = this.stateOf(channel);
    const since = before.state === state ? before.since : this.house.timestamp();
    this.reports.set(channel, { state, code, message, since, at: this.house.realClock.monotonic() });
    return before.state !== state;
  }

  stateOf(channel: string): ChannelState {
    const report = this.reports.get(channel);
    if (!this.jobs.isConnected || !report)
      return { channel, state: "away", since: report?.since ?? this.openedAt, code: null, message: null };
    const { at, ...said } = report;
    if (this.house.realClock.monotonic() - at < SILENT_AFTER) return { channel, ...said };
    const message = "the bridge does not report about this channel any more";
    return { channel, state: "down", since: report.since, code: "SILENT", message };
  }
}
