import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../durable-file.js";
import { UsageError } from "../usage-error.js";

/** By what a runtime is known: its key's pin, or that an authority of this computer's vouches for its name. */
export type Known = "authorities" | (string & {});

const runtime = z.strictObject({
  trust: z.string(),
  /** Of a runtime that was paired with. */
  url: z.string().optional(),
  token: z.string().optional(),
});
const file = z.strictObject({ version: z.literal(1), runtimes: z.record(z.string(), runtime) });

type Remembered = z.output<typeof runtime>;

/** The runtimes that this agent has met over TLS, by host and port, in its own folder: keys, and tokens of those it was paired with. */
export class KnownRuntimes {
  private readonly file: DurableFile<z.output<typeof file>>;

  constructor(agentState: string) {
    this.file = new DurableFile(join(agentState, "runtimes.json"), file);
  }

  /** `at`: host and port, as {@link placeOf} has them. Throws a UsageError for a file that cannot be understood: it is never taken for an empty one. */
  find(at: string): Remembered | undefined {
    const { runtimes } = this.read();
    return Object.hasOwn(runtimes, at) ? runtimes[at] : undefined;
  }

  /** Where this agent was paired with one runtime alone, be it at several addresses: one key is one runtime. The newest. */
  onlyPaired(): Required<Remembered> | undefined {
    const paired = Object.values(this.read().runtimes).flatMap(({ trust, url, token }) =>
      url === undefined || token === undefined ? [] : [{ trust, url, token }],
    );
    const runtimes = new Set(paired.map(({ trust, url }) => (trust === "authorities" ? url : trust)));
    return runtimes.size === 1 ? paired.at(-1) : undefined;
  }

  trust(at: string, trust: Known): void {
    this.write(at, { ...this.find(at), trust });
  }

  paired(at: string, { trust, url, token }: Required<Remembered>): void {
    const { [at]: _, ...others } = this.read().runtimes; // in the file's order the newest is the last
    this.file.write({ version: 1, runtimes: { ...others, [at]: { trust, url, token } } });
  }

  private write(at: string, remembered: Remembered): void {
    const { runtimes } = this.read();
    this.file.write({ version: 1, runtimes: { ...runtimes, [at]: remembered } });
  }

  private read(): z.output<typeof file> {
    const held = this.file.read();
    if (held.is === "value") return held.value;
    if (held.is === "absent") return { version: 1, runtimes: {} };
    throw new UsageError(
      `${this.file.path} cannot be understood, and with it whom this agent trusts: mend it, or move it away and pair anew`,
    );
  }
}

/** Host and port of an address. */
export const placeOf = (url: string): string => new URL(url).host.toLowerCase();
