import { errorTable, final, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { asWritten } from "../../store/records.js";
import type { Tool } from "../../tools/tool.js";
import { type Identity, mayActAs } from "../../wire/identity.js";
import { definePart } from "../module.js";
import { type Hold, noted } from "./control.js";

export const PAUSE_ERRORS = errorTable({
  PAUSED: final(
    "a person has to let agents go on, with `tendril unpause`; until then read and report",
    "nothing",
  ),
});

interface PauseEntry {
  readonly timestamp: string;
  readonly paused: boolean;
  readonly by: string;
  readonly reason: string;
}

export const PAUSE_LOG = { name: "pause", keepsEnd: true, fold: asWritten<PauseEntry> };

type PauseLog = Pick<RecordLog<PauseEntry, PauseEntry>, "newestFirst" | "append">;

/**
 * Whether agents may act. While they are paused, only people pour, switch on, and act outside of the house; agents read, and
 * switch off. What an agent has switched on before is not ended: that is the hold's, and `tendril off`.
 */
class Pause {
  private current: Hold | undefined;

  private constructor(private readonly log: PauseLog) {}

  static async open(log: PauseLog): Promise<Pause> {
    const pause = new Pause(log);
    const [newest] = await log.newestFirst(1, 0);
    if (newest) pause.apply(newest.record);
    return pause;
  }

  /** Undefined while agents may act. */
  get now(): Hold | undefined {
    return this.current;
  }

  /** Throws PAUSED where an agent would act: with a tool that can need a person's yes. */
  assertMayAct({ confirmation, admission }: Tool, { role }: Identity): void {
    const acts = confirmation !== undefined || admission !== undefined;
    if (!this.current || !acts || mayActAs(role, "human")) return;
    const { since, reason } = this.current;
    throw new TendrilError(PAUSE_ERRORS.PAUSED, `agents are paused since ${since} (${reason})`);
  }

  /** A pause takes effect before it is durable, so that it works on a full disk. Its end takes effect after that. */
  async record(entry: PauseEntry): Promise<void> {
    if (entry.paused && !this.current) this.apply(entry);
    const write = this.log.append(entry);
    await (entry.paused ? noted("pause", write) : write);
    this.apply(entry);
  }

  private apply({ paused, timestamp: since, by, reason }: PauseEntry): void {
    this.current = paused ? { since, by, reason } : undefined;
  }
}

export const pause = definePart("pause", (house) => Pause.open(house.journal(PAUSE_LOG)));
