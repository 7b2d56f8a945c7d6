import { parseArgs } from "node:util";

/** What can be measured. */
interface Names {
  readonly sections: readonly string[];
  readonly floods: readonly string[];
}

/** What the command line of the benchmarks asks for. */
interface Asked {
  readonly help: boolean;
  readonly write: boolean;
  /** Another commit. */
  readonly against: string | undefined;
  readonly rounds: number;
  /** Sections and floods; all sections if there are none. */
  readonly only: readonly string[];
}

/** A choice: few enough to wait for, enough that nine of them agreeing means something (against/ratios.ts). */
const ROUNDS = "10";

export const usageOf = ({ sections, floods }: Names): string => `usage: npm run bench -- [NAME…] [--write]
       npm run bench -- [NAME…] --against REF [--rounds N]

  NAME           measures these alone: ${sections.join(", ")};
                 or one of the floods: ${floods.join(", ")}
  --write        writes what was measured to docs/benchmarks.md
  --against REF  measures another commit too, by turns, and prints how this one compares
  --rounds N     how many turns (default: ${ROUNDS})
`;

/** A mistake on the command line. */
export class Mistake extends Error {}

/** Throws a Mistake. */
export function askedOf(args: readonly string[], { sections, floods }: Names): Asked {
  const { values, positionals: only } = parsed(args);
  const { write, against, rounds, help } = values;
  const unknown = only.filter((name) => !sections.includes(name) && !floods.includes(name));
  if (unknown.length > 0) throw new Mistake(`there is no benchmark ${unknown.join(", ")}`);
  if (!/^[1-9]\d*$/.test(rounds)) throw new Mistake(`--rounds ${rounds} is no number from 1 on`);
  if (write && (only.length > 0 || against !== undefined))
    throw new Mistake("--write writes all benchmarks of this commit: give no name, and no --against");
  return { help, write, against, rounds: Number(rounds), only };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        write: { type: "boolean", default: false },
        against: { type: "string" },
        rounds: { type: "string", default: ROUNDS },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw error instanceof TypeError ? new Mistake(error.message) : error;
  }
}
