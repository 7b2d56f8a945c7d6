import { openBench } from "./bench/bench-board.js";
import type { Board, BoardConfig, BoardOptions } from "./board.js";
import { DriverError } from "./errors.js";

export type { Bench, Board, BoardConfig, BoardOptions, PlantHardware, PlantHardwareConfig } from "./board.js";

/**
 * Opens the hardware of all plants, everything off. Rejects with BOARD_UNSUPPORTED for hardware without drivers,
 * with FLOW_TOO_LOW, and on the bench with BENCH_OPTION_INVALID, BENCH_STATE_INVALID, BENCH_STATE_FAILED or REPLAY_INVALID.
 */
export async function openBoard(config: BoardConfig, options: BoardOptions): Promise<Board> {
  if (config.kind === "bench") return openBench(config.plants, options);
  throw new DriverError("BOARD_UNSUPPORTED", `there are no drivers for the board "${config.kind}" yet`);
}
