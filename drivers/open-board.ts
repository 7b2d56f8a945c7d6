import { openBench } from "./bench/bench-board.js";
import type { Bench, Board, BoardConfig, BoardOptions, SimulatedBoard } from "./board.js";
import { DriverError } from "./errors.js";

export type {
  Bench,
  Board,
  BoardConfig,
  BoardOptions,
  InputKind,
  InputState,
  InputWiring,
  OutputWiring,
  PlantHardware,
  PlantHardwareConfig,
} from "./board.js";
export type { CameraWiring } from "./cameras/camera-wiring.js";

/**
 * Opens the hardware of all plants, everything off. Rejects with BOARD_UNSUPPORTED for hardware without drivers,
 * with FLOW_TOO_LOW, and on the bench with BENCH_OPTION_INVALID, BENCH_STATE_INVALID, BENCH_STATE_FAILED or REPLAY_INVALID.
 */
export function openBoard(
  config: BoardConfig & { readonly kind: "bench" },
  options: BoardOptions,
): Promise<SimulatedBoard>;
export function openBoard(config: BoardConfig, options: BoardOptions): Promise<Board>;
export async function openBoard(config: BoardConfig, options: BoardOptions): Promise<Board> {
  if (config.kind === "bench") return openBench(config, options);
  throw new DriverError("BOARD_UNSUPPORTED", `there are no drivers for the board "${config.kind}" yet`);
}

/** What only simulated hardware can show. Throws a RangeError for a real board. */
export function benchOf({ kind, bench }: Board): Bench {
  if (bench) return bench;
  throw new RangeError(`the board "${kind}" is no bench`);
}
