import { arch, cpus, release, totalmem, type } from "node:os";
import { SystemClock } from "../../drivers/clock/system-clock.js";

/** Where and when the figures were taken. */
export interface Setting {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
}

export function setting(): Setting {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  return {
    date: new Date(new SystemClock().now()).toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpu?.model.trim() ?? "unknown"} (${arch()}), ${memory}, ${type()} ${release()}`,
    node: process.version,
  };
}

/** docs/benchmarks.md. */
export const page = ({
  date,
  machine,
  node,
  table,
  pulses,
}: Setting & { readonly table: string; readonly pulses: string }): string => `# Benchmarks

Written by \`npm run bench -- --write\` on ${date}: ${machine}, Node ${node}.

${table}

How each is measured:

- **Read tools**: the running program (\`tendril serve --bench\`) and a bare \`ws\` server, each in a process of its own with the
  same flags of Node; one raw WebSocket client in a third. Both get the same requests, and both send the same text, with the
  id of the request. Rounds alternate; latencies are with one call in flight, from before the send to after the parse.
  "Work" is the processor time of the server's main thread for one call. The tools are answered from memory. Both protocol eras.
- **TLS**: the same running program over \`wss://\` with the key it makes itself; bare is its plain port in the same run. A
  connection is from the dial to the open WebSocket, token checked, median of 100; the call is \`get_current_time\`. Rounds
  alternate.
- **Toolsets**: name, description and parameters of the tools that \`tools/list\` of the running program shows an agent, as compact
  JSON, by the toolset that is asked for: what a model is sent with every request. It does not depend on the machine.
- **History**: 525,600 one-minute readings of one plant in SQLite. Windows from 83 hours to the year, 500 buckets each;
  the median of 15 queries is one window's figure. Usual is the median of the windows.
- **Start**: from the start of the process to the line \`listening on …\`, median of 7; bare is \`node -e 0\` from start to
  end. The agent: to its line that the runtime is away.
- **Memory**: VmRSS after three seconds in which the program said nothing, median of 3 processes. The agent has run a
  cycle before. After some ten seconds V8 gives back more.
- **Disk**: \`write_bytes\` of /proc/PID/io, for ten days of readings in commits of ten; each commit is written back before
  the next, as the ten minutes between them let it be. The file system's own journal is not in it.
- **Dose**: from a person's call of \`dispense_water\` behind the wire to the relay's edge on the bench, median of 51. The
  ledger's line is synced in between; bare is one such line appended and synced.
- **Probe**: one reading on the bench in real time, through the registers of an ADS1115, median of 50; bare is the sleeping
  that the chip's six conversions ask for, and nothing else. The event loop's delay during those readings is sampled every
  millisecond, which is in it; bare is that of the sleeping loop.
- **Simulation**: a month of four plants with everything \`tendril simulate\` has but the report, in the benchmark's process,
  a cycle every 6 hours, median of 3. 30 ms are 2,000 plant-days a minute. What the second line leaves of the first is the
  agent with its calls: tools, gate, ledgers. The second line is 72 readings through the ADC's registers a day, their
  store, and the hourly look of the simulated person; the third is the physics in it.
- **Backup**: the running program with a year of minutes and 17,520 thoughts; \`tendril backup\` beside it with nice 19, as its
  unit has it, on the same disk. Calls over WebSocket, one every 5 ms, three rounds; bare is the same for as long without a
  backup. The database is compressed to what the second figure says.
- **Guard**: start is from the spawn to "ready", memory a second later, from smaps_rollup, medians of 7; "counted in parts" is
  PSS. Most of what is resident is Node's own program, which it shares with the runtime. Deaths: SIGKILL in mid-pulse of the
  runtime or of the guard, over files that stand for a LED; "off" is seen by looking every millisecond.

## Pulses

How much later than asked a relay goes off, over pulses of 200 ms. \`npm run bench -- pulses\` measures this part alone,
\`npm run test:kernel -- guard\` holds its promises inside the kernel.

${pulses}

- **Conditions**: busy is one endless loop more than there are processors, each in a session of its own. Stalled is an event
  loop of the runtime that hangs for 400 ms from the edge on, so that the pulse ends in the middle of it.
- **Least to worst** are as the guard measures: from after the line was switched on until after it was switched off and read
  back, on the monotonic clock. A least of 0 or more: no pulse was too short. The aim is for the worst.
- **By stamps** is the worst by the time stamps that the kernel sets on the file at both writes, whoever is late to look:
  as coarse as the file system, 4 ms at both ends on ext4. Inside the kernel there are none: sysfs keeps none.
- **Bare timer** is the worst of a timer in the runtime's own process, set at the same instants: what a program without a guard
  would do. The ratio is between the worst of both. **Bench** is the simulated relay, whose end is worked out from its
  beginning: 0 by construction.
- **Files** are a LED's folder of plain files on this machine: real processes, pipe and scheduler, no kernel timer. As root, or
  with CAP_SYS_NICE, the guard asks for nice −20, for itself and its session; nice 0 is without that right. In a virtual
  machine, whatever its host takes away is in all rows: then the bare timer is as late in the same row without a stall.
- **In a kernel** is the kernel of \`npm run test:kernel\`, with genuine LED class, sysfs, onoff and i2c-bus. It has one
  processor, ticks at 100 Hz, and its system calls are eight times as slow: bounds from above for a small computer, no more.
- **The kernel's timer alone**: nobody else ends the pulse, the pin is looked at every 2 ms. It is armed for 250 ms more than
  asked, and may be 12.7 % late (docs/hardware.md); it is there for when guard and runtime are both dead.
- **ADS1115 in a kernel**: through i2c-bus and the kernel's I²C core to i2c-stub; bare is the sleeping that the 8 ms of a
  conversion ask for. The delay of the event loop is sampled every millisecond, which is in it, and so is the 100 Hz tick.
`;
