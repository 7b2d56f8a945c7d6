import type { OutputWiring } from "../../../drivers/board.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { InputWiring } from "../../../drivers/inputs.js";
import { KERNEL, type KernelFolders } from "../../../drivers/pi/outputs.js";
import { Switches } from "../../../drivers/pi/switches.js";
import { type Millis, type MlPerSecond, millis, volts } from "../../../drivers/units.js";

/** What the holder is told on its command line, as JSON. */
export interface Held {
  readonly output: OutputWiring;
  readonly inputs?: readonly InputWiring[];
  readonly kernel?: KernelFolders;
  /** Pulses, one after the other. */
  readonly pulses: readonly Millis[];
  /** How long the event loop hangs once the pump is on. */
  readonly stall?: Millis;
}

/**
 * A runtime reduced to the pump of one basil, to be killed, stopped and stalled. Tells each thing that happens as a line
 * of JSON.
 */
const {
  output,
  inputs = [],
  kernel = KERNEL,
  pulses,
  stall = millis(0),
}: Held = JSON.parse(process.argv[2] ?? "");
const clock = new SystemClock();
const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

const probe = { address: 0x48, channel: 0, calibration: { dry: volts(2.75), wet: volts(1.2) } } as const;
const basil = { id: "basil", probe, pump: { flow: 1.5 as MlPerSecond, output } };
const switches = await Switches.open({ kind: "pi", plants: [basil], inputs }, clock, { kernel }).catch(
  ({ code, message }) => {
    say({ refused: code, message });
    process.exit(1);
  },
);
switches.watchTroubles(({ code, message }) => say({ trouble: code, message, at: clock.monotonic() }));
switches.inputs.watch((input) => say({ input }));
say({ guard: switches.pid, plan: switches.plan, explanation: switches.explanation });
const alive = setInterval(() => undefined, 1000);
for (const pulse of pulses) {
  const onEdge = (at: Millis) => {
    say({ on: at });
    setImmediate(hang);
  };
  const report = switches.output("basil", "pump")?.pulse(pulse, onEdge);
  await report?.then(
    (report) => say({ report }),
    ({ code, message }) => say({ refused: code, message }),
  );
}
clearInterval(alive);
await switches.close();
say({ closed: true });

function hang(): void {
  const end = clock.monotonic() + stall;
  while (clock.monotonic() < end);
}
