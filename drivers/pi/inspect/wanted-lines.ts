import type { BoardConfig, InputWiring, OutputWiring } from "../../board.js";
import type { WantedLine } from "./config-txt.js";

/** The lines of config.txt that a wiring needs (docs/hardware.md, "config.txt"; systemd/config.txt). */
export function wantedLines({ plants, inputs = [], interlock }: BoardConfig): readonly WantedLine[] {
  const outputs = plants.flatMap(({ id, pump, light }) => [
    ...linesOf(pump.output, `the pump of ${id}`),
    ...linesOf(light?.output, `the light of ${id}`),
  ]);
  return [
    { line: "dtparam=i2c_arm=on", why: "the bus of the probes, on GPIO 2 and 3" },
    { line: "dtparam=watchdog=on", why: "resets a Pi whose kernel hangs" },
    ...outputs,
    ...(isOwnUart(interlock?.port) ? [UART] : []),
    ...inputs.filter(({ activeLow, kind }) => activeLow || kind !== "leak").map(pullUp),
  ];
}

/** docs/interlock.md, "Wiring": the Pi's own port is off unless it is asked for. */
const UART: WantedLine = { line: "enable_uart=1", why: "the serial port of the interlock" };
const isOwnUart = (port = ""): boolean => /^\/dev\/(serial0|ttyAMA0|ttyS0)$/.test(port);

/** The level before Linux, then the LED whose pulses the kernel ends. A plain pin has no LED. */
function linesOf(output: OutputWiring | undefined, what: string): WantedLine[] {
  if (!output) return [];
  const level = { line: levelLine(output), why: `${what} is off before Linux` };
  if (isPlain(output)) return [level];
  return [level, { line: overlayLine(output), why: `${what} as a LED, whose pulses the kernel ends` }];
}

/** Whether it is to be driven without a LED, or may be. */
const isPlain = ({ via, acceptSoftwareCutoff }: OutputWiring): boolean =>
  via === "sysfs" || via === "pigpio" || (via === "auto" && acceptSoftwareCutoff);

const levelLine = ({ gpio, activeLow }: OutputWiring): string => `gpio=${gpio}=op,${activeLow ? "dh" : "dl"}`;

export const overlayLine = ({ gpio, activeLow, led }: OutputWiring): string =>
  `dtoverlay=gpio-led,gpio=${gpio},label=${led}${activeLow ? ",active_low=1" : ""},trigger=transient`;

/** A contact to ground, or one that opens, needs a pull-up; a leak sensor that gives high when wet drives its pin itself. */
const pullUp = ({ gpio, name }: InputWiring): WantedLine => ({
  line: `gpio=${gpio}=ip,pu`,
  why: `${name}: a pull-up`,
});
