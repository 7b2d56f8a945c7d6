import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { errorBody, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { wordsOfRefusal } from "../../tools/call-result.js";
import { ApprovalPending, type Waiting } from "../../tools/tool.js";
import { wishWords } from "../../wire/approval-words.js";
import { MQTT_MAY, type MqttShown, mqttShown } from "../../wire/mqtt.js";
import type { ApprovalEntry, ApprovalRecord } from "../approvals/declarations.js";
import { type CallToApprove, keyOf } from "../approvals/request.js";
import type { JobKind } from "../bridge/job.js";
import type { House } from "../module.js";

/** Configuration: the house as a device of Home Assistant. Broker and password are the bridge's (docs/mqtt.md). */
export const mqttConfig = {
  mqtt: z
    .strictObject({
      may: z
        .array(z.enum(MQTT_MAY))
        .default([...MQTT_MAY])
        .describe("what a client of the broker may ask for, beside switching off, which it always may"),
      photos: z
        .boolean()
        .default(false)
        .describe("show the last photo of each plant to all clients of the broker"),
    })
    .nullable()
    .default(null)
    .describe("show the plants on an MQTT broker, for Home Assistant (docs/mqtt.md)"),
};

/** A choice: a broker in the house answers within a second; a photo over a slow Wi-Fi takes some. */
const WITHIN = seconds(20);

const shows = (what: "show" | "photo"): JobKind<MqttShown> => ({
  ...{ adapter: "mqtt", what, effects: false, within: WITHIN, most: 100, answer: mqttShown },
});

export const SHOW = shows("show");
export const PHOTO = shows("photo");

/** Who asks over MQTT: anybody who may write to the broker. No token can have such a name. */
export const ANYBODY = "anybody@mqtt";

/** Requests that are searched for the one that has just got its yes. A choice: more than can wait at once. */
const LOOKED_AT = 100;

const isOf = (record: ApprovalRecord, { agent, tool, plant }: CallToApprove): boolean =>
  record.agent === agent && record.tool === tool && record.plant === plant;

/** A call that a person shall make. */
interface Wish {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly plant?: string;
}

/** How a request ended without what it asked for. "declined": by a no, or because nobody answered. */
type Told = (type: "declined" | "refused", why: string) => void;

interface RequestParts {
  readonly house: Pick<House, "plants" | "callTool" | "complain">;
  readonly approvals: { waitForApproval(wanted: CallToApprove, call: Waiting): Promise<void> };
  readonly log: Pick<RecordLog<ApprovalEntry, ApprovalRecord>, "newestFirst">;
  /** Aborted when the runtime stops. */
  readonly signal: AbortSignal;
}

/**
 * What somebody on the broker asks for. It waits for a person's yes, and is then that person's own call, with every check.
 * Nothing is repeated: what ends without a yes, or with a restart, has to be asked for again.
 */
export class Requests {
  /** By tool and plant: what waits, or is being carried out. */
  private readonly open = new Set<string>();

  constructor(private readonly parts: RequestParts) {}

  /**
   * Resolves once the person is about to be asked; false if the same is asked for already. `check` throws what would refuse
   * it in any case.
   */
  async ask(wish: Wish, told: Told, check: () => Promise<void> = async () => undefined): Promise<boolean> {
    const key = `${wish.tool} ${wish.plant}`;
    if (this.open.has(key)) return false;
    this.open.add(key);
    try {
      await check();
    } catch (error) {
      this.open.delete(key);
      told("refused", errorBody(error).message);
      throw error;
    }
    void this.carryOut(wish, told).finally(() => this.open.delete(key));
    return true;
  }

  /** Never rejects. */
  private async carryOut(wish: Wish, told: Told): Promise<void> {
    try {
      const who = await this.approved(wish);
      const refusal = await this.call(wish, who);
      if (refusal !== undefined) told("refused", refusal);
    } catch (error) {
      const { code, message } = errorBody(error);
      const isNo = code === "APPROVAL_DENIED" || code === "APPROVAL_EXPIRED";
      told(isNo ? "declined" : "refused", message);
      if (!(error instanceof TendrilError)) this.parts.house.complain(error);
    }
  }

  /** Who said yes. Throws APPROVAL_DENIED, APPROVAL_EXPIRED, RATE_LIMITED, STOPPING. */
  private async approved(wish: Wish): Promise<string> {
    const wanted = this.wanted(wish);
    while (await this.waits(wanted))
      if (this.parts.signal.aborted) throw new TendrilError("STOPPING", "the runtime is stopping");
    // the newest: only one of the same tool and plant is open at a time
    const newest = await this.parts.log.newestFirst(LOOKED_AT, 0);
    const used = newest.find(({ record }) => record.state === "used" && isOf(record, wanted));
    const by = used?.record.answered_by;
    if (by === undefined || by === null) throw new Error(`${wanted.words}: a yes of nobody`);
    return by;
  }

  /** Whether it waits still; false once it has got its yes. The first call asks, the next ones wait. */
  private async waits(wanted: CallToApprove): Promise<boolean> {
    try {
      await this.parts.approvals.waitForApproval(wanted, { signal: () => this.parts.signal });
      return false;
    } catch (error) {
      if (!(error instanceof ApprovalPending)) throw error;
      return true;
    }
  }

  private wanted({ tool, arguments: args, plant }: Wish): CallToApprove {
    const asked = { agent: ANYBODY, tool, arguments: { ...args }, ...(plant !== undefined && { plant }) };
    return {
      ...asked,
      ...(plant !== undefined && { plantName: this.parts.house.plants.nameOf(plant) }),
      words: wishWords(tool, args),
      rule: "always",
      key: keyOf(asked),
    };
  }

  /** Why it was refused; undefined if it was carried out. */
  private async call({ tool, arguments: args, plant }: Wish, who: string): Promise<string | undefined> {
    const { house, signal } = this.parts;
    const result = await house.callTool({
      name: tool,
      arguments: { ...args, ...(plant !== undefined && house.plants.several && { plant }) },
      identity: { name: who, role: "human" },
      signal: () => signal,
      progress: () => undefined,
    });
    return result.isError ? wordsOfRefusal(result) : undefined;
  }
}
