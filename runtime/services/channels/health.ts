import type { Clock } from "../../../drivers/ports.js";
import { type Millis, minutes } from "../../../drivers/units.js";
import type { ChannelState } from "../../wire/bridge.js";

interface Report {
  readonly state: "ok" | "down";
  readonly code: string | null;
  readonly message: string | null;
  readonly since: string;
  readonly at: Millis;
}

/** A report is due every minute. A choice: three that did not come are no accident. */
const SILENT_AFTER: Millis = minutes(3);

interface HealthParts {
  /** Real time. */
  readonly clock: Clock;
  readonly timestamp: () => string;
  readonly isConnected: () => boolean;
}

/** What each channel has said of itself last. One that says nothing any more is down, whatever it said before. */
export class ChannelHealth {
  private readonly reports = new Map<string, Report>();
  private readonly openedAt: string;

  constructor(private readonly parts: HealthParts) {
    this.openedAt = parts.timestamp();
  }

  /** Returns whether it came up or went down with that. */
  note(channel: string, { state, code, message }: Pick<Report, "state" | "code" | "message">): boolean {
    const before = this.stateOf(channel);
    const since = before.state === state ? before.since : this.parts.timestamp();
    this.reports.set(channel, { state, code, message, since, at: this.parts.clock.monotonic() });
    return before.state !== state;
  }

  stateOf(channel: string): ChannelState {
    const report = this.reports.get(channel);
    if (!this.parts.isConnected() || !report)
      return { channel, state: "away", since: report?.since ?? this.openedAt, code: null, message: null };
    const { at, ...said } = report;
    if (this.parts.clock.monotonic() - at < SILENT_AFTER) return { channel, ...said };
    const message = "the bridge does not report about this channel any more";
    return { channel, state: "down", since: report.since, code: "SILENT", message };
  }
}
