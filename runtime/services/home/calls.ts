import { errorBody, TendrilError } from "../../errors.js";
import { type Answer, ApprovalPending, type Call, type Dialogue, untrustedIf } from "../../tools/tool.js";
import type { CallAnswer } from "../../wire/home.js";
import type { ServiceResult, serviceResult } from "../../wire/home-tools.js";
import { mayActAs } from "../../wire/identity.js";
import { approvalNeeded } from "../../wire/people.js";
import { approvals } from "../approvals/approvals.js";
import { type CallToApprove, keyOf } from "../approvals/request.js";
import { jobs } from "../bridge/jobs.js";
import { HOUSEHOLD } from "../household/household.js";
import { definePart, type House } from "../module.js";
import { CALL, SETTLE_S } from "./declarations.js";
import { listedHome } from "./feed.js";
import { parseCall, type ServiceInput } from "./parse.js";
import { type Listed, type Plan, planOf, type Touched, wishWordsOf } from "./plan.js";
import { lookupOf } from "./resolve.js";
import { isFreeText, SOURCE } from "./strangers.js";

/** journal/home.jsonl: every call of `call_ha_service` that was understood, and what became of it. */

type Status = "blocked" | "rejected" | "sent" | "success" | "unconfirmed" | "failed" | "unknown";

interface Asked {
  readonly timestamp: string;
  /** The token's name, and the agent's own. */
  readonly by: string;
  readonly instance?: string;
  /** Whose turn it was. */
  readonly person?: string;
  /** "lock.unlock" */
  readonly service: string;
  /** As they were resolved; as they were named if the call was blocked before. */
  readonly entity_ids: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: Status;
  readonly reason?: string;
}

/** A line of the journal. "sent" is written before the bridge can have it. */
type HomeEntry =
  | (Asked & { readonly of?: never; readonly erased?: never })
  | {
      readonly timestamp: string;
      readonly of: number;
      readonly status: Status;
      readonly reason?: string;
      readonly erased?: never;
    }
  // what an erasure has left of any of these
  | { readonly timestamp: string; readonly erased: true; readonly of?: never };

interface HomeRecord extends Asked {
  readonly erased?: true;
}

export const HOME_LOG = {
  name: "home",
  erasable: true,
  fold: (previous: HomeRecord | undefined, entry: HomeEntry): HomeRecord => {
    if (entry.erased) return erased(entry.timestamp);
    if (entry.of === undefined) return entry;
    if (!previous) throw new Error(`home.jsonl: call ${entry.of} ended before it began`);
    const { of: _, timestamp: __, ...outcome } = entry;
    return { ...previous, ...outcome };
  },
};

const erased = (timestamp: string): HomeRecord => ({
  ...{ timestamp, by: "", service: "", entity_ids: [], data: {}, status: "blocked", erased: true },
});

export const TOOL = "call_ha_service";

type Result = Answer<typeof serviceResult>;

/**
 * Calls of services. A call is planned, a person is asked where the plan needs it, and then it is planned again: what is
 * sent is what the person said yes to, as concrete entities. It is sent once, or nobody knows.
 */
export class HomeCalls {
  /** What a call may send, between its admission and its run. */
  private readonly admitted = new WeakMap<Call, Plan>();

  constructor(private readonly parts: Awaited<ReturnType<typeof partsOf>>) {}

  /**
   * Undefined once the call may be sent. Throws ApprovalPending with a question for the person in front of the client,
   * INVALID_ARGUMENT, RATE_LIMITED, and what the bridge throws.
   */
  async admit(input: ServiceInput, call: Call, dialogue?: Dialogue): Promise<Result | undefined> {
    const wish = parseCall(input);
    const replan = () => call.age.outside(planOf(wish, this.parts.listed, this.parts.lookup));
    let plan = await replan();
    for (;;) {
      if (plan.verdict === "blocked") return this.refused(call, plan, "blocked", plan.reason ?? "");
      if (!needsYes(plan, call)) break;
      const wanted = wantedBy(call, plan);
      const answer = await this.ask(call, plan, wanted, dialogue);
      if (answer) return answer;
      plan = await replan();
      // the yes was for what the call touched before
      if (plan.verdict !== "blocked" && wantedBy(call, plan).key === wanted.key) break;
    }
    this.admitted.set(call, plan);
    return undefined;
  }

  /** Sends what was admitted. If nothing was sent: throws BRIDGE_AWAY, JOBS_BUSY, STORE_FAILED, TOO_LATE, and what forbids it. */
  async send(call: Call): Promise<Result> {
    const plan = this.admitted.get(call);
    if (!plan) throw new Error(`${TOOL} runs without having been admitted`);
    this.admitted.delete(call);
    const { id } = await this.parts.log.append(this.lineOf(call, plan, "sent"));
    try {
      const { domain, service, data: service_data } = plan.wish;
      const args = { domain, service, entity_ids: idsOf(plan), service_data, settle_s: SETTLE_S };
      return await this.ended(id, plan, await this.parts.send(args, wishWordsOf(plan), call));
    } catch (error) {
      return this.notDone(id, plan, error);
    }
  }

  /** What a repeated call is told if the runtime ended before the first was over. */
  interrupted(): Result {
    return {
      status: "unknown",
      reason:
        "the runtime ended while it was sent; it is not repeated: read the states, or ask a person to look",
      entities: [],
    };
  }

  /** Undefined if the person says yes. */
  private async ask(
    call: Call,
    plan: Plan,
    wanted: CallToApprove,
    dialogue: Dialogue | undefined,
  ): Promise<Result | undefined> {
    try {
      if (dialogue) await this.parts.approvals.recordAnswer(wanted, dialogue);
      // the first question is refused at once; the second time it waits
      await this.waitFor(wanted, call, dialogue).catch((error: unknown) => {
        if (!(error instanceof ApprovalPending) || error.question) throw error;
        return this.waitFor(wanted, call);
      });
      return undefined;
    } catch (error) {
      if (error instanceof ApprovalPending && error.question) throw error;
      if (error instanceof ApprovalPending) return pending(plan, error, this.parts.listed);
      if (!(error instanceof TendrilError)) throw error;
      const reason = whyRejected(error);
      if (reason === undefined) throw error;
      return this.refused(call, plan, "rejected", reason);
    }
  }

  private waitFor(wanted: CallToApprove, call: Call, dialogue?: Dialogue): Promise<void> {
    return this.parts.approvals.waitForApproval(wanted, call, dialogue);
  }

  /** Nothing was sent. A refusal is the same without its line in the journal. */
  private async refused(
    call: Call,
    plan: Plan,
    status: "blocked" | "rejected",
    reason: string,
  ): Promise<Result> {
    await this.parts.log.append(this.lineOf(call, plan, status, reason)).catch(this.parts.complain);
    return shown({ status, reason, entities: plan.touched.map(untouched) }, this.parts.listed);
  }

  private async ended(id: number, plan: Plan, answer: CallAnswer): Promise<Result> {
    const { outcome, code, message, entities } = answer;
    const status = outcome === "done" ? "success" : outcome;
    const words = [code, message].filter((each) => each !== undefined).join(": ");
    await this.note(id, status, words);
    const now = new Map(entities.map((each) => [each.entity_id, each]));
    const touched = plan.touched.map((each) => ({
      ...untouched(each),
      ...pick(now.get(each.entity.entity_id)),
    }));
    return shown(
      { status, ...(words !== "" && { reason: words }), entities: touched },
      this.parts.listed,
      words,
    );
  }

  /** Only a call of which nothing was sent is an error. */
  private async notDone(id: number, plan: Plan, error: unknown): Promise<Result> {
    const code = error instanceof TendrilError ? error.code : "INTERNAL";
    const status = code === "JOB_UNKNOWN" ? "unknown" : "failed";
    const { message } = errorBody(error);
    await this.note(id, status, message);
    if (code !== "JOB_UNKNOWN" && code !== "JOB_FAILED") throw error;
    const entities = plan.touched.map(untouched);
    return shown({ status, reason: message, entities }, this.parts.listed, message);
  }

  private async note(of: number, status: HomeRecord["status"], reason: string): Promise<void> {
    const line = { timestamp: this.parts.timestamp(), of, status, ...(reason !== "" && { reason }) };
    await this.parts.log.append(line).catch(this.parts.complain);
  }

  private lineOf(call: Call, plan: Plan, status: HomeRecord["status"], reason = ""): HomeEntry {
    const { domain, service, data, ids } = plan.wish;
    const { identity, instance, turn } = call;
    return {
      timestamp: this.parts.timestamp(),
      by: identity.name,
      ...(instance !== undefined && { instance }),
      ...(turn && { person: turn.person }),
      service: `${domain}.${service}`,
      entity_ids: plan.touched.length > 0 ? idsOf(plan) : ids,
      data,
      status,
      ...(reason !== "" && { reason }),
    };
  }
}

/** Who has read words of strangers changes nothing in the home unasked. A person's own call needs no yes. */
function needsYes({ verdict }: Plan, { identity, taint }: Call): boolean {
  if (mayActAs(identity.role, "human")) return false;
  return verdict !== "allowed" || taint.sources.length > 0;
}

const idsOf = ({ touched }: Plan): string[] => touched.map(({ entity }) => entity.entity_id);

/** What a person is asked. Names and states are shown, and are not what the yes is bound to. */
function wantedBy({ identity, instance, taint }: Call, plan: Plan): CallToApprove {
  const { domain, service, data } = plan.wish;
  const asked = { domain, service, entity_ids: idsOf(plan), service_data: data };
  return {
    tool: TOOL,
    arguments: asked,
    words: wishWordsOf(plan),
    agent: identity.name,
    ...(instance !== undefined && { instance }),
    user_id: HOUSEHOLD,
    rule: "always",
    ...(taint.sources.length > 0 && { after_reading: [...taint.sources] }),
    key: keyOf({ agent: identity.name, tool: TOOL, arguments: asked }),
  };
}

function pending(plan: Plan, error: ApprovalPending, listed: Listed): Result {
  const { id, expires_in_s } = approvalNeeded.parse(error.particulars.details);
  const left = Math.ceil(expires_in_s);
  const waits = { status: "pending", request_id: id, expires_in_s: left } as const;
  const reason = "a person is asked; repeat the call with the same idempotency key";
  return shown({ ...waits, reason, entities: plan.touched.map(untouched) }, listed);
}

/** Undefined for what is no answer of a person. */
function whyRejected({ code, particulars }: TendrilError): string | undefined {
  if (code === "APPROVAL_EXPIRED")
    return "nobody answered in time, or the runtime was restarted: that is a no";
  if (code !== "APPROVAL_DENIED") return undefined;
  return particulars.details?.ids === undefined
    ? "a person said no"
    : "several requests were refused or not answered: nobody is asked again so soon";
}

const untouched = ({ entity, name }: Touched): ServiceResult["entities"][number] => ({
  entity_id: entity.entity_id,
  friendly_name: name,
  before: entity.state,
  after: null,
});

const pick = (entity: CallAnswer["entities"][number] | undefined) =>
  entity && { before: entity.before, after: entity.after };

/** The result, marked if it has words that the owner did not see when listing the entities. */
function shown(result: ServiceResult, listed: Listed, words = ""): Result {
  const isNew = ({ entity_id, before, after }: ServiceResult["entities"][number]) =>
    listed.get(entity_id)?.name === undefined ||
    [before, after].some((each) => each !== null && isFreeText(each));
  const isUntrusted = words !== "" || result.entities.some(isNew);
  return untrustedIf(isUntrusted ? [SOURCE] : [], result);
}

/** What calls work with. */
async function partsOf(house: House) {
  const { listed, catalog } = await house.use(listedHome);
  return {
    ...{ listed, lookup: lookupOf(catalog), log: house.journal(HOME_LOG) },
    send: (await house.use(jobs)).open(CALL),
    approvals: await house.use(approvals),
    ...{ timestamp: house.timestamp, complain: house.complain },
  };
}

export const homeCalls = definePart("home calls", async (house) => new HomeCalls(await partsOf(house)));
