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

For contributors. Written by \`npm run bench -- --write\` on ${date}: ${machine}, Node ${node}.

${table}

How each is measured:

- **Read tools**: the program (\`tendril serve --bench\`), a bare \`ws\` server with the same flags of Node, and a raw WebSocket
  client, each in its own process. Both servers get the same requests and send the same text, with the
  id of the request. Rounds alternate. Latencies are with one call in flight, from before the send to after the parse.
  "Work" is the processor time of the server's main thread for one call. The tools answer from memory. Both protocol versions.
- **TLS**: the same program over \`wss://\` with the key that it makes itself; bare is its plain port in the same run. A
  connection is from the dial to the open WebSocket, token checked, median of 100. The call is \`get_current_time\`. Rounds
  alternate.
- **Toolsets**: name, description and parameters of the tools that \`tools/list\` of the running program shows an agent, as compact
  JSON, by the toolset that is asked for: what a model is sent with every request. It does not depend on the machine.
- **History**: 525,600 one-minute readings of one plant in SQLite. Windows from 83 hours to the year, 500 buckets each.
  The figure of a window is the median of 15 queries. "Usual" is the median of the windows.
- **Start**: from the start of the process to the line \`listening on …\`, median of 7; bare is \`node -e 0\` from start to
  end. For the agent: to its line that the runtime is away.
- **Memory**: VmRSS after three seconds in which the program printed nothing, median of 3 processes. The agent has run a
  cycle before. After some ten seconds V8 releases more.
- **Disk**: \`write_bytes\` of /proc/self/io, for three days of readings after sixty others, in commits of ten minutes. The kernel
  writes each commit to the disk before the next one begins. The file system's own journal is not in it.
- **Dose**: from a person's call of \`dispense_water\`, without the wire, to the relay's edge on the bench, median of 51. The
  ledger's line is synced in between; bare is one such line appended and synced.
- **Probe**: one reading on the bench in real time, through the registers of an ADS1115, median of 50; bare is only the
  waiting time of the chip's six conversions. The event loop's delay during those readings is sampled every millisecond, and
  contains that millisecond; bare is the delay of a loop that only waits.
- **Simulation**: a month of four plants with everything \`tendril simulate\` has but the report, in the benchmark's process,
  a cycle every 6 hours, median of 3. 20 ms are 3,000 plant-days a minute. The difference between the first and the second line is
  the agent with its calls: tools, checks, ledgers. The second line is 72 readings through the ADC's registers a day, their
  store, and the hourly reading of the simulated person; the third is the physics in it.
- **Backup**: the program with a year of one-minute readings and 17,520 thoughts; meanwhile \`tendril backup\` with nice 19, as in its
  unit, on the same disk. Calls over WebSocket, one every 5 ms, three rounds; bare is the same time without a
  backup. The second figure is the size of the compressed database.
- **Guard**: start is from the spawn to "ready", memory a second later, from smaps_rollup, medians of 7; "counted in parts" is
  PSS. Most of what is resident is Node's own program, which it shares with the runtime. Deaths: SIGKILL in mid-pulse of the
  runtime or of the guard, with files in place of a LED; "off" is by the time of the file.

## Pulses

How late a relay goes off, for pulses of 200 ms. \`npm run bench -- pulses\` measures this part alone.
\`npm run test:kernel -- guard\` tests it inside the kernel.

${pulses}

- **Conditions**: "busy" is one endless loop more than there are processors, each in its own session. "Stalled" is an event
  loop of the runtime that hangs for 400 ms from the edge on, so that the pulse ends while it hangs.
- **Least to worst** are the guard's measurements: from after the line was switched on until after it was switched off and read
  back, on the monotonic clock. If the least is 0 or more, no pulse was too short. The aim is for the worst.
- **By stamps** is the worst by the time stamps that the kernel sets on the file at both writes. They do not depend on when a
  program looks. Their resolution is the file system's, 4 ms at both ends on ext4. Sysfs has none.
- **Bare timer** is the worst of a timer in the runtime's own process, set at the same instants: a program without a guard.
  The ratio is between the worst of both. **Bench** is the simulated relay, which computes its end from its beginning, so it
  is always 0.
- **Files** are plain files in place of a LED's folder: real processes, pipe and scheduler, no kernel timer. As root, or
  with CAP_SYS_NICE, the guard asks for nice −20, for itself and its session; nice 0 is without that right. In a virtual
  machine all rows contain the time that its host takes away; then the bare timer is as late in the same row without a stall.
- **In a kernel** is the kernel of \`npm run test:kernel\`, with real LED class, sysfs, onoff and i2c-bus. It has one
  processor, ticks at 100 Hz, and its system calls are eight times as slow: these are upper bounds for a small computer.
- **The kernel's timer alone**: nothing else ends the pulse, and the pin is read every 2 ms. The timer is armed for 250 ms more
  than asked, and may be 12.7 % late (docs/hardware.md). It ends a pulse when guard and runtime are both dead.
- **ADS1115 in a kernel**: through i2c-bus and the kernel's I²C core to i2c-stub; bare is only the 8 ms of a
  conversion. The delay of the event loop is sampled every millisecond; it contains that millisecond and the 100 Hz tick.
`;
