import type { Bench, Board, BoardConfig, BoardOptions, SimulatedBoard } from "./board.js";

export type {
  Bench,
  Board,
  BoardConfig,
  BoardOptions,
  OutputWiring,
  PlantHardware,
  PlantHardwareConfig,
} from "./board.js";
export type { CameraWiring } from "./cameras/camera-command.js";
export type { InputKind, InputState, InputWiring } from "./inputs.js";

/**
 * Opens the hardware of all plants, everything off. Rejects with FLOW_TOO_LOW; on a Pi with OUTPUT_UNSAFE, OUTPUT_MISMATCH,
 * PIN_UNKNOWN, GPIO_MISSING, PIN_FAILED, GUARD_BUSY, GUARD_LOST, OFF_LIST_FAILED, PACKAGE_UNAVAILABLE, BUS_MISSING or BUS_FORBIDDEN; on the bench with
 * BENCH_OPTION_INVALID, BENCH_STATE_INVALID, BENCH_STATE_FAILED or REPLAY_INVALID.
 */
export function openBoard(
  config: BoardConfig & { readonly kind: "bench" },
  options: BoardOptions,
): Promise<SimulatedBoard>;
export function openBoard(config: BoardConfig, options: BoardOptions): Promise<Board>;
export async function openBoard(config: BoardConfig, options: BoardOptions): Promise<Board> {
  // what a bench never needs is not loaded there, nor a bench on a Pi
  if (config.kind === "bench") return (await import("./bench/bench-board.js")).openBench(config, options);
  return (await import("./pi/pi-board.js")).openPi(config, options);
}

/** What only simulated hardware can show. Throws a RangeError for a real board. */
export function benchOf({ kind, bench }: Board): Bench {
  if (bench) return bench;
  throw new RangeError(`the board "${kind}" is no bench`);
}
