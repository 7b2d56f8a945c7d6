import { basename } from "node:path";
import type { BoardOptions, Replay } from "../board.js";
import { SystemClock } from "../clock/system-clock.js";
import { DriverError } from "../errors.js";
import type { Cancel, Clock } from "../ports.js";
import { type EpochMillis, hours, type Millis, millis, plus, seconds } from "../units.js";
import { BenchClock, type WorldClock } from "./bench-clock.js";
import { type BenchState, BenchStateFile } from "./bench-state.js";
import type { Pot } from "./pot.js";
import { type Recording, readRecording, withoutGaps } from "./replay.js";

/** What a bench goes on from when it is switched on. */
export interface Boot {
  readonly clock: WorldClock;
  /** Starts of this bench, this one included. */
  readonly boots: number;
  /** Plants as they were left. */
  readonly plants: BenchState["plants"];
  /** Of new ones. */
  readonly startHydration: number;
  readonly recording: Recording | undefined;
  /** Name and first instant of the recording, by which it is known again. */
  readonly recordingName: string | null;
  /** Where all this is kept; undefined where nothing is kept. */
  readonly file: BenchStateFile | undefined;
  /** The bench has lost its state: until then its wall clock proves nothing. */
  readonly unprovedUntil: EpochMillis | undefined;
}

/** Reads recording and state. Rejects with REPLAY_INVALID, BENCH_STATE_INVALID or BENCH_OPTION_INVALID. */
export async function boot(options: BoardOptions): Promise<Boot> {
  const { replay, stateFolder, clock, speed, startHydration = 100 } = options;
  assertHydration(startHydration);
  const recording = replay && recordingOf(replay);
  const recordingName = replay && recording ? nameOf(replay, recording) : null;
  const file = stateFolder === undefined ? undefined : new BenchStateFile(stateFolder);
  const saved = await file?.load();
  if (file && saved) assertSame(file, saved.recording, recordingName);
  const boots = (saved?.boots ?? 0) + 1;
  const found = saved?.wall ?? recording?.[0].at ?? options.start ?? new SystemClock().now();
  const start = found as EpochMillis;
  const unprovedUntil = clock ? undefined : unproved(options, start, saved);
  const time = clock ?? new BenchClock({ speed, start, boot: boots, unprovedUntil });
  const plants = saved?.plants ?? {};
  return { clock: time, boots, plants, startHydration, recording, recordingName, file, unprovedUntil };
}

/** The longest time that rules look back by this clock: water counts for a day. */
const LOOKED_BACK = hours(24);

/**
 * Until when the wall clock proves nothing. A bench that has lost its state takes the time from elsewhere, so its old records
 * may lie at any distance: only what the bench itself has run through since counts as passed. After a day of its own time the
 * old records do not matter any more.
 */
function unproved(
  { stateFolder, stateUsed }: BoardOptions,
  start: EpochMillis,
  saved: BenchState | undefined,
): EpochMillis | undefined {
  const isLost = stateFolder !== undefined && stateUsed && !saved;
  const until = isLost ? plus(start, LOOKED_BACK) : saved?.unprovedUntil;
  return until !== undefined && until > start ? until : undefined;
}

function assertHydration(hydration: number): void {
  if (hydration >= 0 && hydration <= 100) return;
  throw new DriverError("BENCH_OPTION_INVALID", `startHydration: ${hydration} is not within 0 and 100`);
}

function recordingOf({ file, zone, skipGaps = false }: Replay): Recording {
  const recording = readRecording(file, zone);
  return skipGaps ? withoutGaps(recording) : recording;
}

const nameOf = ({ file, skipGaps = false }: Replay, [first]: Recording) =>
  `${basename(file)} from ${new Date(first.at).toISOString()}${skipGaps ? " without its gaps" : ""}`;

/** Time would leap from one's to the other's, and the runtime's records with it. */
function assertSame(file: BenchStateFile, was: string | null, is: string | null): void {
  if (was === is) return;
  const [before, now] = [was, is].map((name) => (name === null ? "no recording" : name));
  throw file.invalid(
    `is of a bench that replays ${before}, this one replays ${now}; each needs its own state folder`,
  );
}

/** Real time between two saves where nothing happens. A choice: more often wears a card, and after a kill the clock leaps by as much. */
const EVERY = seconds(5);
/** Real time without a save, by a stalled process or disk, after which a kill still does not set the clock back. */
const LEASE = seconds(8);

/**
 * Saves the bench at every edge of a relay, every five seconds of real time, and at the end. After a kill, plants go on as
 * last saved, pulses in flight are cut there, and the clock goes on a little later than anybody can have read from it.
 */
export class BenchSaver {
  private cancel: Cancel = () => undefined;

  /** `speed`: bench seconds in a real second; 0 where time is simulated and does not pass by itself. */
  constructor(
    private readonly file: BenchStateFile,
    private readonly boot: Boot,
    private readonly pots: ReadonlyMap<string, Pot>,
    private speed: number,
    private readonly real: Clock = new SystemClock(),
  ) {}

  /** Before the bench gets this fast: what is on the disk then covers it. Rejects with BENCH_STATE_FAILED. */
  async keepUpWith(speed: number): Promise<void> {
    this.speed = Math.max(this.speed, speed);
    await this.file.save(() => this.state(this.lease));
  }

  /** Rejects with BENCH_STATE_FAILED where nothing can be kept: a boot is on disk before its clock is read. */
  async begin(): Promise<void> {
    await this.file.save(() => this.state(this.lease));
    if (this.speed > 0) this.saveRegularly();
  }

  /** In the background. A failed save is made good by the next one; the last one, at the end, is awaited. */
  save(): void {
    this.file.save(() => this.state(this.lease)).catch(() => undefined);
  }

  /** Rejects with BENCH_STATE_FAILED. */
  async end(): Promise<void> {
    this.cancel();
    await this.file.save(() => this.state(millis(0)));
  }

  private get lease(): Millis {
    return millis(Math.ceil(LEASE * this.speed));
  }

  private saveRegularly(): void {
    this.cancel = this.real.after(EVERY, () => {
      this.save();
      this.saveRegularly();
    });
  }

  /** Plants that are not configured any more stay as they were found. */
  private state(lease: Millis): BenchState {
    const { clock, boots, recordingName: recording, unprovedUntil } = this.boot;
    const plants = { ...this.boot.plants };
    for (const [id, pot] of this.pots) {
      const snapshot = pot.snapshot();
      if (snapshot) plants[id] = snapshot;
    }
    return { version: 1, boots, wall: plus(clock.now(), lease), recording, plants, unprovedUntil };
  }
}
