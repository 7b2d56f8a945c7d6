import { type Millis, minutes, plus } from "../../../drivers/units.js";
import { asWritten } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import { defineModule, definePart, type House } from "../module.js";

/** Devices whose faults end by themselves. What a person has to clear is in the control journal. */
type Device = "probe" | "camera";

/** A line of journal/outages.jsonl: a fault of a device began or ended, or the runtime is back. */
export interface Outage {
  readonly timestamp: string;
  readonly kind: "probe_fault" | "probe_ok" | "camera_fault" | "camera_ok" | "started";
  /** Absent: all plants. */
  readonly plant?: string;
  /** Of a fault, and of its end. */
  readonly code?: string;
  /** Of an end: when the fault began. Of `started`: the last reading before, where one was due until then. */
  readonly since?: string;
  readonly reason: string;
}

const RUNTIME = "runtime";

const subjectOf = ({ kind, plant }: Outage): string =>
  kind === "started" ? RUNTIME : `${kind.split("_")[0]} ${plant}`;

export const OUTAGE_LOG = {
  name: "outages",
  fold: asWritten<Outage>,
  subject: subjectOf,
};

/** A choice: a loose contact, which fails in every other minute, does not fill the disk. */
const ONCE_IN = minutes(10);
/** A choice: twice the usual time between two readings. Within it nothing is missing. */
const NO_GAP = minutes(2);

/** A fault that lasts, by device and plant. */
interface LastingFault {
  readonly code: string;
  readonly since: string;
}

/** Writes down when a device failed and when it worked again, and when the runtime was off, so that a person can read it later. */
export class Outages {
  /** Undefined: the device works. Absent: not known yet since the start. */
  private readonly faults = new Map<string, LastingFault | undefined>();
  private readonly begun = new Map<string, Millis>();
  private readonly startedAt: Millis;
  /** The last that is known of earlier runs, until this start is noted. */
  private earlier: { readonly seen: number; readonly since?: string } | undefined;

  constructor(private readonly house: House) {
    this.startedAt = house.clock.monotonic();
  }

  private get log() {
    return this.house.journal(OUTAGE_LOG);
  }

  /** Call it at each failure. The first of a fault is written, and at most one begin in ten minutes. Never rejects. */
  async failed(device: Device, plant: string, code: string, reason: string): Promise<void> {
    const key = `${device} ${plant}`;
    const before = await this.before(key);
    const now = this.house.clock.monotonic();
    const last = this.begun.get(key);
    const isKnown = before?.code === code;
    if (isKnown || (last !== undefined && now < plus(last, ONCE_IN))) return;
    this.begun.set(key, now);
    const since = before?.since ?? this.house.timestamp();
    this.faults.set(key, { code, since });
    await this.note({ timestamp: this.house.timestamp(), kind: `${device}_fault`, plant, code, reason });
  }

  /** Call it whenever the device has worked. Never rejects. */
  async worked(device: Device, plant: string): Promise<void> {
    const key = `${device} ${plant}`;
    const before = await this.before(key);
    if (!before) return;
    this.faults.set(key, undefined);
    const reason = `the ${device} works again`;
    await this.note({ timestamp: this.house.timestamp(), kind: `${device}_ok`, plant, reason, ...before });
  }

  /** Call it once, before the first reading of this run. `last`: the newest reading of earlier runs, epoch milliseconds. */
  async begin(last: number | undefined): Promise<void> {
    if (last === undefined) return;
    const [line] = await this.log.recent(1, 0);
    const noted = line ? Date.parse(line.timestamp) : last;
    // readings were missing before the runtime was off, so they do not tell since when it was
    this.earlier = noted > last ? { seen: noted } : { seen: last, since: isoUtc(last) };
  }

  /**
   * Notes that the runtime is back, if readings are missing before its start. Call it in each round: only once the wall
   * clock is right, the time of the start is known. Never rejects.
   */
  async noteStart(): Promise<void> {
    const { clock } = this.house;
    if (!this.earlier || !clock.synchronised()) return;
    const { seen, ...since } = this.earlier;
    this.earlier = undefined;
    const start = clock.now() - (clock.monotonic() - this.startedAt);
    if (start - seen <= NO_GAP) return;
    await this.note({ timestamp: isoUtc(start), kind: "started", reason: "the runtime was off", ...since });
  }

  /** Of a plant and of all, those of each device oldest first: what lies in this time, and each later end of what began before its end. */
  async range(plant: string, from: number, to: number): Promise<Outage[]> {
    const found: Outage[] = [];
    for (const subject of [`probe ${plant}`, `camera ${plant}`, RUNTIME])
      for await (const { record } of this.log.newest({ limit: Number.MAX_SAFE_INTEGER, subject })) {
        const at = Date.parse(record.timestamp);
        if (at < from) break;
        if (at <= to || (record.since !== undefined && Date.parse(record.since) <= to)) found.push(record);
      }
    return found.reverse();
  }

  /** The fault that lasts, from the journal where it is of an earlier run. */
  private async before(key: string): Promise<LastingFault | undefined> {
    if (!this.faults.has(key)) this.faults.set(key, await this.recorded(key));
    return this.faults.get(key);
  }

  private async recorded(key: string): Promise<LastingFault | undefined> {
    const last = await this.log.newestOf(key);
    if (!last?.kind.endsWith("_fault")) return undefined;
    return { code: last.code ?? "", since: last.timestamp };
  }

  private async note(outage: Outage): Promise<void> {
    await this.log.append(outage).catch(this.house.complain);
  }
}

export const outages = definePart("outages", (house) => new Outages(house));

/** When devices failed and the runtime was off: for the record of a plant's care. */
export const outagesModule = defineModule({
  name: "outages",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: OUTAGE_LOG }],
  parts: [outages],
  tools: [],
  sample: (house) => house.get(outages).noteStart(),
});
