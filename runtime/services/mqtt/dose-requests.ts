import { errorBody, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { UNTAINTED } from "../../tools/taint.js";
import { ApprovalPending, type Call } from "../../tools/tool.js";
import { wishWords } from "../../wire/approval-words.js";
import type { MqttEvent } from "../../wire/mqtt.js";
import { approvalNeeded } from "../../wire/people.js";
import { refusalIn } from "../../wire/refusal.js";
import type { ApprovalEntry, ApprovalRecord } from "../approvals/declarations.js";
import { type CallToApprove, keyOf } from "../approvals/request.js";
import type { House } from "../module.js";
import { ANYBODY } from "./declarations.js";
import { shortened } from "./view.js";

const TOOL = "dispense_water";

interface DoseRequestParts {
  readonly house: Pick<House, "plants" | "stops" | "callTool" | "complain">;
  readonly approvals: { waitForApproval(wanted: CallToApprove, signal: AbortSignal): Promise<void> };
  readonly requests: Pick<RecordLog<ApprovalEntry, ApprovalRecord>, "get">;
  /** Throws what a person's dose would be refused for now. */
  readonly assertPossible: (plant: string, ml: number, call: Call) => Promise<void>;
  readonly tell: (event: MqttEvent) => void;
  /** Aborted when the runtime stops. */
  readonly signal: AbortSignal;
}

/**
 * Doses that somebody on the broker asks for. Each waits for a person's yes, and is then that person's own dose, with every
 * check. Nothing is repeated: what ends without a yes, or with a restart, has to be asked for again.
 */
export class DoseRequests {
  /** Plants for which one waits, or is poured. */
  private readonly open = new Set<string>();

  constructor(private readonly parts: DoseRequestParts) {}

  /** Resolves when a person will be asked. Throws what would refuse the dose in any case. */
  async ask(plant: string, ml: number): Promise<string> {
    const name = this.parts.house.plants.nameOf(plant);
    if (this.open.has(plant)) return `a dose for ${name} is asked for already`;
    this.open.add(plant);
    try {
      await this.assertPossible(plant, ml);
    } catch (error) {
      this.open.delete(plant);
      this.tell(plant, ml, "refused", error);
      throw error;
    }
    void this.carryOut(plant, ml).finally(() => this.open.delete(plant));
    return `a person is asked for ${ml} ml for ${name}`;
  }

  private assertPossible(plant: string, ml: number): Promise<void> {
    const { signal, house } = this.parts;
    return this.parts.assertPossible(plant, ml, {
      // a person's: whoever says yes pours it
      ...{ identity: { name: ANYBODY, role: "human" }, taint: UNTAINTED, signal },
      ...{ stopsBefore: house.stops.count, progress: () => undefined },
    });
  }

  /** Never rejects. */
  private async carryOut(plant: string, ml: number): Promise<void> {
    try {
      const who = await this.approved(plant, ml);
      await this.pour(plant, ml, who);
    } catch (error) {
      const { code } = errorBody(error);
      const isNo = code === "APPROVAL_DENIED" || code === "APPROVAL_EXPIRED";
      this.tell(plant, ml, isNo ? "declined" : "refused", error);
      if (!(error instanceof TendrilError)) this.parts.house.complain(error);
    }
  }

  /** Who said yes. Throws APPROVAL_DENIED, APPROVAL_EXPIRED, RATE_LIMITED, STOPPING. */
  private async approved(plant: string, ml: number): Promise<string> {
    const wanted = this.wanted(plant, ml);
    let id = 0;
    for (;;) {
      const waits = await this.waitsFor(wanted);
      if (waits === undefined) break;
      if (this.parts.signal.aborted) throw new TendrilError("STOPPING", "the runtime is stopping");
      id = waits;
    }
    const { answered_by = null } = (await this.parts.requests.get(id)) ?? {};
    if (answered_by === null) throw new Error(`request ${id} got a yes of nobody`);
    return answered_by;
  }

  /** The number of the request that waits; undefined once it has got its yes. The first call asks, the next ones wait. */
  private async waitsFor(wanted: CallToApprove): Promise<number | undefined> {
    try {
      await this.parts.approvals.waitForApproval(wanted, this.parts.signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof ApprovalPending)) throw error;
      return approvalNeeded.parse(error.particulars.details).id;
    }
  }

  private wanted(plant: string, ml: number): CallToApprove {
    const asked = { agent: ANYBODY, tool: TOOL, plant, arguments: { ml } };
    return {
      ...asked,
      plantName: this.parts.house.plants.nameOf(plant),
      words: wishWords(TOOL, asked.arguments),
      rule: "always",
      key: keyOf(asked),
    };
  }

  /** What flows is told by the ledger's own line. */
  private async pour(plant: string, ml: number, who: string): Promise<void> {
    const { house, signal } = this.parts;
    const { content, isError } = await house.callTool({
      name: TOOL,
      arguments: { ml, ...(house.plants.several && { plant }) },
      identity: { name: who, role: "human" },
      signal,
      progress: () => undefined,
    });
    if (!isError) return;
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : []))[0] ?? "";
    const refusal = refusalIn(text);
    this.tell(plant, ml, "refused", refusal ? `${refusal.code}: ${refusal.message}` : "the call failed");
  }

  private tell(plant: string, ml: number, type: "refused" | "declined", why: unknown): void {
    const words = typeof why === "string" ? why : errorBody(why).message;
    this.parts.tell({ about: "dose", plant, type, ml, reason: shortened(words) });
  }
}
