import { z } from "zod";
import type { DurableFile } from "../state/durable-file.js";

/** How often each task was begun. A task with another time is another piece of work. */
export const attemptsFile = z.strictObject({
  version: z.literal(1),
  begun: z.array(z.strictObject({ what: z.string(), times: z.int().min(1) })),
});

/** A choice: what fails three times fails for a reason that no fourth time mends. */
export const MAX_ATTEMPTS = 3;

/** A choice: more than are ever due at once. */
const REMEMBERED = 500;

/** Counts attempts on the disk, so that a task that kills the agent is not begun forever. */
export class Attempts {
  constructor(
    private readonly file: DurableFile<z.output<typeof attemptsFile>>,
    private readonly say: (text: string) => void,
  ) {}

  times(what: string): number {
    return this.all().find((each) => each.what === what)?.times ?? 0;
  }

  /** The number of this attempt, from 1. */
  begin(what: string): number {
    const times = this.times(what) + 1;
    this.keep([...this.without(what), { what, times }]);
    return times;
  }

  forget(what: string): void {
    this.keep(this.without(what));
  }

  private all() {
    const held = this.file.read();
    return held.is === "value" ? held.value.begun : [];
  }

  private without(what: string) {
    return this.all().filter((each) => each.what !== what);
  }

  private keep(begun: z.output<typeof attemptsFile>["begun"]): void {
    try {
      this.file.write({ version: 1, begun: begun.slice(-REMEMBERED) });
    } catch (error) {
      this.say(`${this.file.path} cannot be written: ${String(error)}`);
    }
  }
}
