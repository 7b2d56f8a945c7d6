import { monitorEventLoopDelay } from "node:perf_hooks";
import { LONGEST_CONVERSION } from "../../drivers/chips/ads1115.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { openBoard } from "../../drivers/open-board.js";
import { type MlPerSecond, volts } from "../../drivers/units.js";
import { type Figure, median, milliseconds } from "./figures.js";

const TIMES = 50;
/** Of one reading: five for the median, and one that shows the chip to be alive. */
const CONVERSIONS = 6;
const PLANT = {
  id: "basil",
  probe: { address: 0x48, channel: 0, calibration: { dry: volts(2.75), wet: volts(1.2) } },
  pump: { flow: 1.5 as MlPerSecond },
} as const;
const clock = new SystemClock();

/** How long one reading of the soil takes, and how long it keeps everything else waiting. */
export async function probeFigures(): Promise<Figure[]> {
  const board = await openBoard({ kind: "bench", plants: [PLANT] }, { speed: 1, seed: 1 });
  const probe = board.plants.get(PLANT.id)?.probe;
  const ours = await timed(async () => void (await probe?.read()));
  await board.close();
  const bare = await timed(conversionsAlone);
  return [
    { what: "one soil reading", ours: ours.took, bare: bare.took, show: milliseconds },
    { what: "event loop's delay while reading: p99", ours: ours.delay, bare: bare.delay, show: milliseconds },
  ];
}

async function conversionsAlone(): Promise<void> {
  for (let made = 0; made < CONVERSIONS; made++) await clock.sleep(LONGEST_CONVERSION);
}

/** In ms: the median of one, and the event loop's delay meanwhile, which 99 % do not exceed. */
export interface Timed {
  readonly took: number;
  readonly delay: number;
}

export async function timed(act: () => Promise<void>): Promise<Timed> {
  await act();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const took: number[] = [];
  loop.enable();
  for (let time = 0; time < TIMES; time++) {
    const began = clock.monotonic();
    await act();
    took.push(clock.monotonic() - began);
  }
  loop.disable();
  return { took: median(took), delay: loop.percentile(99) / 1e6 };
}
