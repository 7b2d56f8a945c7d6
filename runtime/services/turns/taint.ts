import type { Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import { ProvenAges, type Stamp, stampOf } from "../../safety/stamp.js";
import type { RecordLog } from "../../store/record-log.js";
import { asWritten } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Taint } from "../../tools/taint.js";

/** A line of journal/taint.jsonl: a token has read words of strangers outside of a turn. */
interface TaintEntry {
  readonly timestamp: string;
  readonly token: string;
  readonly sources: readonly string[];
  readonly stamp: Stamp;
}

export const TAINT_LOG = { name: "taint", fold: asWritten<TaintEntry> };

/** The same words are noted again after this time, so that they need not be at each reading. A choice. */
const NOTED_FOR = hours(1);
/** How long a token without a turn stays tainted, and the time in which a reading need not be noted. */
const LASTS = hours(24) + NOTED_FOR;
/** A choice: a person reads no more names. */
export const MAX_SOURCES = 20;
/** A choice: more than ten agents read in 25 hours, from as many sources as there are. */
const REMEMBERED = 2000;
/** Stands for every token, where the journal was lost. */
const EVERYBODY = "*";
const LOST = "the record of what was read was lost";

/** What the runtime knows of words of strangers that were read outside of a turn: by token, for 24 hours, on the disk. */
export class TokenTaint {
  private readonly byToken = new Map<string, TaintEntry[]>();
  /** Readings of earlier boots are older than this. */
  private readonly start: Stamp;

  private constructor(
    private readonly log: RecordLog<TaintEntry, TaintEntry>,
    private readonly clock: Clock,
  ) {
    this.start = stampOf(clock);
  }

  static async open(log: RecordLog<TaintEntry, TaintEntry>, clock: Clock): Promise<TokenTaint> {
    const taint = new TokenTaint(log, clock);
    for (const { record } of (await log.newestFirst(REMEMBERED, 0)).reverse()) taint.keep(record);
    return taint;
  }

  of(token: string): Taint {
    const self = this;
    return {
      get sources() {
        return self.sources(token);
      },
      add: (sources) => this.add(token, sources),
    };
  }

  /** In doubt every token has read something. */
  noteLoss(): Promise<void> {
    return this.note(EVERYBODY, [LOST]);
  }

  /** Only proved ages count: a clock that is set forward ends nothing. */
  private sources(token: string): readonly string[] {
    const now = stampOf(this.clock);
    const read = (name: string) => this.entriesOf(name, now, LASTS).flatMap(({ sources }) => sources);
    return [...new Set([...read(token), ...read(EVERYBODY)])].slice(0, MAX_SOURCES);
  }

  private async add(token: string, sources: readonly string[]): Promise<void> {
    const fresh = this.entriesOf(token, stampOf(this.clock), NOTED_FOR).flatMap((entry) => entry.sources);
    const news = sources.filter((source) => !fresh.includes(source));
    if (news.length > 0) await this.note(token, news);
  }

  /** It counts at once, and the words are handed out only when that is on the disk. */
  private async note(token: string, sources: readonly string[]): Promise<void> {
    const entry = { timestamp: isoUtc(this.clock.now()), token, sources, stamp: stampOf(this.clock) };
    this.keep(entry);
    try {
      await this.log.append(entry);
    } catch (error) {
      const all = this.byToken.get(token) ?? [];
      this.byToken.set(
        token,
        all.filter((each) => each !== entry),
      );
      throw error;
    }
  }

  private keep(entry: TaintEntry): void {
    const known = this.byToken.get(entry.token) ?? [];
    this.byToken.set(entry.token, [...known, entry].slice(-MAX_SOURCES * 26));
  }

  private entriesOf(token: string, now: Stamp, youngerThan: number): readonly TaintEntry[] {
    const entries = this.byToken.get(token);
    if (!entries) return [];
    const marks = [...entries, { stamp: this.start }].map(({ stamp }) => ({ stamp, mark: true }));
    const ages = new ProvenAges(marks, now);
    const young = entries.filter(({ stamp }) => ages.of(stamp) < LASTS);
    this.byToken.set(token, young);
    return young.filter(({ stamp }) => ages.of(stamp) < youngerThan);
  }
}
