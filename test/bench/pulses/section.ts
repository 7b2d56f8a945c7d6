import { columns, milliseconds, perSecond } from "../figures.js";
import { hostPulses } from "./host.js";
import { type Inside, kernelFigures } from "./kernel.js";
import { latenessTable } from "./lateness.js";

/** The page's section on pulses: text and tables. */
export async function pulseSection(folder: string): Promise<string> {
  const rows = await hostPulses(folder);
  const kernel = await kernelFigures();
  if ("cannot" in kernel) return [latenessTable(rows), notMeasured(kernel.cannot)].join("\n\n");
  return [latenessTable([...rows, ...kernel.lateness]), timerTable(kernel), conversions(kernel)].join("\n\n");
}

const notMeasured = (why: string): string =>
  `**Nothing was measured inside a real kernel** (LED class, sysfs, the kernel's own timer, I²C): ${why}.`;

const TIMER_HEADER = [
  "the kernel's timer alone",
  "armed for",
  "on for",
  "after the end asked for",
  "of the armed time",
];

const timerTable = ({ timer }: Inside): string =>
  columns(
    TIMER_HEADER,
    timer.map(({ duration, armed, lasted }) => [
      `pulse of ${duration / 1000} s`,
      milliseconds(armed),
      milliseconds(lasted),
      milliseconds(lasted - duration),
      `${((lasted / armed - 1) * 100).toFixed(1)} %`,
    ]),
  );

const conversions = ({ conversion: { ours, bare } }: Inside): string =>
  columns(
    ["ADS1115 in a kernel", "Tendril", "bare"],
    [
      ["conversions, one after the other", perSecond(1000 / ours.took), perSecond(1000 / bare.took)],
      ["event loop's delay meanwhile: p99", milliseconds(ours.delay), milliseconds(bare.delay)],
    ],
  );
