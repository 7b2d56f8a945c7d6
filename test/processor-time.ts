import { appendFileSync, readFileSync } from "node:fs";

/** What a process of the suite is told by `test/costs.ts`: the file into which it writes what its test files cost. */
export const COSTS_FILE = "TENDRIL_TEST_COSTS";

/** What a test file took; a line of the file of costs, as JSON. */
export interface Cost {
  /** The part and the file, or "load" for what it took to load all files of the part. */
  readonly part: string;
  readonly file: string;
  /** Seconds of a processor, with those of the processes that it started. */
  readonly processor: number;
  /** Seconds on the wall. */
  readonly wall: number;
}

/** Writes down what each file of a part costs, called at the end of each. */
export class Costs {
  private processor = processorSeconds();
  private wall = process.uptime();

  constructor(
    private readonly part: string,
    private readonly into: string,
  ) {}

  ended(file: string): void {
    const [processor, wall] = [processorSeconds(), process.uptime()];
    const cost: Cost = {
      part: this.part,
      file,
      processor: processor - this.processor,
      wall: wall - this.wall,
    };
    appendFileSync(this.into, `${JSON.stringify(cost)}\n`);
    [this.processor, this.wall] = [processor, wall];
  }
}

/** Seconds of a processor that this process has taken, with those of its children that have ended. */
function processorSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6 + childrenSeconds();
}

/** proc(5): cutime and cstime are the 16th and 17th field, in ticks of 10 ms; the second, a name in brackets, may have blanks. */
function childrenSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
