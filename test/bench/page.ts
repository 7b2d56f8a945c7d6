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
}: Setting & { readonly table: string }): string => `# Benchmarks

Written by \`npm run bench -- --write\` on ${date}: ${machine}, Node ${node}.

${table}

How each is measured:

- **Read tools**: the running program (\`tendril serve --bench\`) and a bare \`ws\` echo, each in a process of its own; one
  raw WebSocket client in a third. The echo returns the very text that our reply is, so both send as much and both
  replies are parsed alike. Rounds alternate; latencies are with one call in flight, from before the send to after the
  parse. The tools are answered from memory. Both protocol eras.
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
`;
