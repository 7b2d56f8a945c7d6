import { basename } from "node:path";
import type { BoardOptions, Replay } from "../board.js";
import { SystemClock } from "../clock/system-clock.js";
import { DriverError } from "../errors.js";
import type { EpochMillis } from "../units.js";
import { BenchClock } from "./bench-clock.js";
import { type BenchState, BenchStateFile } from "./bench-state.js";
import { type Recording, readRecording } from "./recording.js";
import { withoutGaps } from "./replay.js";
import { UnprovedTime } from "./unproved-time.js";
import type { WorldClock } from "./world-clock.js";

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
  /** Where all this is kept, if it is. */
  readonly file: BenchStateFile | undefined;
  /** The bench has lost its state: until then its wall clock proves nothing. */
  readonly unprovedUntil: EpochMillis | undefined;
}

/** Reads recording and state. Rejects with REPLAY_INVALID, BENCH_STATE_INVALID, BENCH_STATE_FAILED or BENCH_OPTION_INVALID. */
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
  const unprovedUntil = clock ? undefined : await unproved(options, start, saved !== undefined);
  const time = clock ?? new BenchClock({ speed, start, boot: boots, unprovedUntil });
  const plants = saved?.plants ?? {};
  return { clock: time, boots, plants, startHydration, recording, recordingName, file, unprovedUntil };
}

/** Told before the bench's own state is written: a crash in between leaves a bench that has lost it. */
async function unproved(
  { stateFolder, stateUsed }: BoardOptions,
  start: EpochMillis,
  kept: boolean,
): Promise<EpochMillis | undefined> {
  if (stateFolder === undefined) return undefined;
  const time = new UnprovedTime(stateFolder);
  return stateUsed && !kept ? time.begin(start) : time.goOn(start);
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
