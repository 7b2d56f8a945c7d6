import { DriverError } from "../../drivers/errors.js";
import { errorBody } from "../errors.js";
import type { Log } from "../log.js";

/** Reads for a round of the sampler: a sensor at fault is logged when it fails and when it is back, not every minute in between. */
export class SamplingLog {
  /** By name of the plant or the place: the code of what fails now. */
  private readonly failing = new Map<string, string>();

  constructor(
    private readonly kind: "plant" | "place",
    private readonly log: Log,
  ) {}

  /** Never rejects. */
  async attempt(name: string, read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
      if (this.failing.delete(name)) this.log("info", "sampling works again", { [this.kind]: name });
    } catch (error) {
      const { code } = errorBody(error);
      const { message } = errorBody(sourceOf(error));
      if (this.failing.get(name) !== code)
        this.log("warn", "sampling failed", { [this.kind]: name, error: message });
      this.failing.set(name, code);
    }
  }
}

/** Nobody has called: what the hardware says, and what to do about that, is of more use than what a caller is told. */
const sourceOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof DriverError ? error.cause : error;
