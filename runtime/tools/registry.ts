import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { DriverError } from "../../drivers/errors.js";
import type { Clock } from "../../drivers/ports.js";
import { type ErrorBody, errorBody, excerpt, invalidArgument, notAllowed, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import type { Plants } from "../plants.js";
import { visible } from "../wire/approval-words.js";
import { type Identity, isAllowed, KINDS, type Kind, neededWords } from "../wire/identity.js";
import { TOOL_META } from "../wire/names.js";
import { isObject } from "../wire/refusal.js";
import { wantsOff } from "../wire/stop-words.js";
import { validArguments, validConfirmation, validInstance } from "./arguments.js";
import { failure, success } from "./call-result.js";
import type { CallRequest, ToolListing, WrittenCall } from "./host.js";
import { type IdempotentCalls, validKey } from "./idempotency.js";
import { isoUtc } from "./iso-time.js";
import { CallAge, type Stops } from "./late-calls.js";
import { listedSchema } from "./parameters.js";
import type { RateLimit } from "./rate-limit.js";
import { type TurnGate, UNTAINTED } from "./taint.js";
import {
  type ApprovalGate,
  ApprovalPending,
  type Call,
  type CallToApprove,
  type ConfirmableCode,
  type Dialogue,
  labelOf,
  type Question,
  type Tool,
  type ToolContext,
  Untrusted,
} from "./tool.js";

interface Entry {
  readonly tool: Tool;
  readonly toolset: string;
  readonly input: z.ZodObject;
  readonly listing: ToolListing;
  /** By name, for a tool with several operations. */
  readonly operations?: ReadonlyMap<unknown, Entry>;
}

/** Why a tool of a family of services is missing. */
export interface MissingTool {
  readonly family: string;
  /** Switched off; else the configuration gives it nothing to do. */
  readonly isOff: boolean;
  /** A clause after the tool's name. */
  readonly why: string;
}

interface RegistryParts {
  readonly tools: readonly { readonly tool: Tool; readonly toolset: string }[];
  /** Every toolset that there can be, also of modules that are off. */
  readonly toolsets: readonly string[];
  readonly off: ReadonlyMap<string, MissingTool>;
  serviceOf(tool: Tool): unknown;
  /** The plants' clock. */
  readonly clock: Clock;
  readonly realClock: Clock;
  readonly plants: Plants;
  readonly approvals: ApprovalGate;
  readonly turns: TurnGate;
  readonly tokens: {
    has(name: string): boolean;
    confirm(): Promise<void> | undefined;
    assertSure(): void;
  };
  /** Throws while agents are paused. */
  readonly assertMayAct: (tool: Tool, identity: Identity) => void;
  /** Throws DISK_NEARLY_FULL. */
  readonly assertRoom: (tool: Tool, identity: Identity) => void;
  readonly idempotency: IdempotentCalls;
  readonly rateLimit: RateLimit;
  readonly stops: Stops;
  /** Switches everything off at once: a person's words have said so. */
  readonly stopAll: (by: string) => Promise<void>;
  readonly log: Log;
}

/**
 * Lists the tools to callers that may see them, and runs calls: checks who, what and how often, then calls the handler.
 */
export class Registry {
  private readonly entries = new Map<string, Entry>();
  private closing = false;
  private readonly listed: Readonly<Record<Kind, readonly Entry[]>>;
  private readonly toolsets: ReadonlySet<string>;

  constructor(private readonly parts: RegistryParts) {
    for (const { tool, toolset } of parts.tools)
      this.entries.set(tool.name, entryOf(tool, toolset, parts.plants));
    const listed = (kind: Kind) =>
      [...this.entries.values()].filter(({ tool: { listedTo, role, scopes = [], scopesOnly = false } }) =>
        isAllowed(kind, { role: listedTo ?? role, scopes, scopesOnly }),
      );
    this.listed = Object.fromEntries(KINDS.map((kind) => [kind, listed(kind)])) as Record<Kind, Entry[]>;
    this.toolsets = new Set([CARE, ...parts.toolsets]);
  }

  /** The tools of these toolsets that the caller may see; all if none is named. */
  list({ role }: Identity, toolsets?: readonly string[]): readonly ToolListing[] {
    const entries = this.listed[role];
    if (toolsets === undefined) return entries.map(({ listing }) => listing);
    for (const name of toolsets) this.assertToolset(name);
    return entries
      .filter((entry) => toolsets.some((name) => isIn(entry, name)))
      .map(({ listing }) => listing);
  }

  /** Never rejects: a refusal is a result with `isError` and the error as JSON text. */
  async call(request: CallRequest): Promise<CallToolResult> {
    try {
      return success(await this.run(request));
    } catch (error) {
      return this.refusal(error, request);
    }
  }

  /** As `call`, but gives a question if a person's yes is needed and the caller can be asked. */
  async callOrAsk(request: CallRequest): Promise<CallToolResult | Question> {
    try {
      return success(await this.run(request));
    } catch (error) {
      const question = error instanceof ApprovalPending ? error.question : undefined;
      return question ?? this.refusal(error, request);
    }
  }

  /** Whether the call waits for nothing. */
  isUrgent(call: WrittenCall): boolean {
    const tool = this.entries.get(call.name)?.tool;
    return tool?.switchesOff === true || tool?.holds !== undefined || saysOff(tool, call);
  }

  private assertToolset(name: string): void {
    if (this.toolsets.has(name)) return;
    const known = [...this.toolsets].join(", ");
    throw invalidArgument(`there is no toolset "${excerpt(name)}", only ${known}`);
  }

  /** From now on only tools that switch off are served. */
  close(): void {
    this.closing = true;
    this.parts.approvals.close();
    this.parts.turns.close();
  }

  /** Has no await of its own, as `carryOut`: each await takes as long as parsing a call. */
  private run(request: CallRequest): Promise<unknown> {
    const named = this.entries.get(request.name);
    if (named?.tool.switchesOff) return this.switchOff(named, request);
    // first of all off: whatever refuses the call then is no reason to go on
    if (saysOff(named?.tool, request))
      return this.parts.stopAll(request.identity.name).then(() => this.runNamed(named, request));
    return this.runNamed(named, request);
  }

  private runNamed(named: Entry | undefined, request: CallRequest): Promise<unknown> {
    const tooMany = this.parts.rateLimit.refusal(request.identity.name);
    if (tooMany && !named?.tool.holds) throw tooMany;
    if (!named) throw this.unknown(request.name);
    return this.runEntry(operationOf(named, request.arguments), request, tooMany);
  }

  private async runEntry(entry: Entry, request: CallRequest, tooMany?: TendrilError): Promise<unknown> {
    const { tool } = entry;
    assertAllowed(tool, request.identity);
    const { args, plant, named } = this.read(entry, request.arguments);
    if (tooMany && !tool.holds?.(args)) throw tooMany;
    const confirmed = validConfirmation(tool, request);
    const isPermitted = request.ofHouse || needsNoSureToken(tool, args);
    const call = this.callInTurn(tool, request, confirmed, isPermitted);
    const context = this.contextOf(tool, { call, plant, named });
    const shown = call.turn?.showCall(labelOf(tool), tool.facts.title);
    try {
      const carryOut = () => this.carryOut(request, tool, args, context);
      const output = await (isPermitted ? carryOut() : this.onceSure(call, carryOut));
      if (output instanceof Untrusted) await this.noteUntrusted(output, tool, call);
      shown?.("done");
      return output;
    } catch (error) {
      shown?.(errorBody(error).code);
      const words = strangersWordsIn(error);
      if (words) await this.noteUntrusted(words, tool, call);
      await tool.refused?.(args, context, error);
      throw error;
    }
  }

  /** Notes that the caller has read these words. If they look like an order, the log says so. */
  private async noteUntrusted(
    output: Untrusted<unknown>,
    tool: Tool,
    { taint, identity }: Call,
  ): Promise<void> {
    await taint.add(output.sources);
    const { sources, suspicions } = output;
    if (suspicions.length === 0) return;
    const fields = { tool: labelOf(tool), by: identity.name, sources, suspicious: suspicions };
    this.parts.log("warn", "words from outside read like instructions", fields);
  }

  /** If nobody knows whether the token is revoked, nothing is done and nobody is asked. */
  private onceSure(call: Call, carryOut: () => unknown): unknown {
    const goOn = () => {
      call.assertStands();
      return carryOut();
    };
    const waiting = this.parts.tokens.confirm();
    return waiting ? waiting.then(goOn) : goOn();
  }

  private carryOut(
    request: CallRequest,
    tool: Tool,
    args: Record<string, unknown>,
    context: ToolContext<unknown>,
  ): unknown {
    this.parts.assertMayAct(tool, context.call.identity);
    const wanted = this.parts.approvals.callToApprove({ tool, args, context });
    // where nothing is waited for there is no await: a stop in between would come before the call
    if (!wanted && !tool.admission && tool.facts.annotations.readOnlyHint)
      return this.handle(tool, args, context);
    return this.admitted(request, tool, args, context, wanted);
  }

  private async admitted(
    request: CallRequest,
    tool: Tool,
    args: Record<string, unknown>,
    context: ToolContext<unknown>,
    wanted: CallToApprove | undefined,
  ): Promise<unknown> {
    const { confirmed, turn } = context.call;
    const handle = () => this.handle(tool, args, context);
    if (wanted && request.dialogue) await this.parts.approvals.recordAnswer(wanted, request.dialogue);
    const admit = wanted
      ? () => this.admit(wanted, tool, context, request.dialogue)
      : tool.admission && (() => tool.admission?.before(args, context, request.dialogue));
    const interrupted = tool.admission && (() => tool.admission?.interrupted(args, context));
    const key = isSafeAgain(tool, args) ? undefined : validKey(request.idempotencyKey);
    // a call that is repeated writes nothing
    const admitWithRoom = () => {
      this.parts.assertRoom(tool, context.call.identity);
      return admit?.();
    };
    if (key === undefined) {
      const answer = admitWithRoom();
      return (answer && (await answer)) ?? handle();
    }
    return this.parts.idempotency.once(
      { key, token: request.identity.name, tool: tool.name, plant: context.plant },
      confirmed === undefined && turn === undefined ? args : { args, confirmed, turn: turn?.id },
      handle,
      { admit: admitWithRoom, interrupted },
    );
  }

  private unknown(name: string): TendrilError {
    const missing = this.parts.off.get(name);
    if (!missing) return new TendrilError("UNKNOWN_TOOL", `there is no tool "${excerpt(name)}"`);
    const { family, isOff, why } = missing;
    return new TendrilError("UNKNOWN_TOOL", `${name} ${why}`, { details: { family, is_off: isOff } });
  }

  /** Called before any wait: a stop from now on ends this call too. */
  private callOf(
    tool: Tool,
    request: CallRequest,
    of: Pick<Call, "instance" | "confirmed" | "turn" | "taint">,
    isPermitted: boolean,
  ): Call {
    const { identity, signal, progress, stopsBefore = this.parts.stops.count } = request;
    const age = new CallAge(this.parts.realClock);
    const assertStands = () => {
      this.assertStands(tool, request, of.turn);
      if (!isPermitted) this.parts.tokens.assertSure();
    };
    return { identity, signal, progress, stopsBefore, age, assertStands, ...of };
  }

  private assertStands(tool: Tool, { identity, ofHouse }: CallRequest, turn: Call["turn"]): void {
    if (this.closing) throw new TendrilError("STOPPING", "the runtime is stopping");
    if (!ofHouse && !this.parts.tokens.has(identity.name))
      throw new TendrilError("UNAUTHORIZED", `the token ${identity.name} is gone`);
    turn?.assertOpen();
    this.parts.assertMayAct(tool, identity);
  }

  private callInTurn(
    tool: Tool,
    request: CallRequest,
    confirmed: ConfirmableCode | undefined,
    isPermitted: boolean,
  ): Call {
    const { turns } = this.parts;
    const { identity } = request;
    const instance = validInstance(request.instance);
    const turn = turns.turnOf({ identity, instance, turn: request.turn });
    const of = { instance, confirmed, turn, taint: turns.taintOf(identity, turn) };
    return this.callOf(tool, request, of, isPermitted);
  }

  private contextOf(
    tool: Tool,
    { call, plant, named }: Pick<ToolContext<unknown>, "call" | "plant" | "named">,
  ): ToolContext<unknown> {
    const { clock, plants } = this.parts;
    const isoNow = () => isoUtc(clock.now());
    return { service: this.parts.serviceOf(tool), clock, plants, isoNow, call, plant, named };
  }

  /** Resolves once a call that needs a person's yes has it. Nobody is asked for a call that would be refused anyway. */
  private async admit(
    wanted: CallToApprove,
    { confirmation }: Tool,
    context: ToolContext<unknown>,
    dialogue: Dialogue | undefined,
  ): Promise<void> {
    await confirmation?.check(wanted.arguments, context);
    await this.parts.approvals.waitForApproval(wanted, context.call, dialogue);
  }

  /** No role, rate, key or closing can refuse it. With wrong arguments it is carried out for every plant. */
  private async switchOff(entry: Entry, request: CallRequest): Promise<unknown> {
    const turn = this.turnIfAny(entry.tool, request);
    const call = this.callOf(entry.tool, request, { instance: undefined, turn, taint: UNTAINTED }, true);
    const off = (plant: string) =>
      entry.tool.run({}, this.contextOf(entry.tool, { call, plant, named: plant }));
    try {
      return await off(this.read(entry, request.arguments).plant);
    } catch (mistake) {
      if (!(mistake instanceof TendrilError)) throw mistake;
      await Promise.all(this.parts.plants.ids.map(off));
      const what = `${mistake.what} (it was carried out for every plant all the same)`;
      throw new TendrilError(mistake.kind, what, mistake.particulars);
    }
  }

  /** For the record of who switched off. A missing or ended turn is no reason to refuse that. */
  private turnIfAny(tool: Tool, request: CallRequest): Call["turn"] {
    try {
      return this.callInTurn(tool, request, undefined, true).turn;
    } catch {
      return undefined;
    }
  }

  /** The tool's own arguments, and the plant. */
  private read(
    { tool, input, listing }: Entry,
    given: unknown,
  ): { args: Record<string, unknown>; plant: string; named: string | undefined } {
    const all = validArguments(labelOf(tool), input, given ?? {}, listing);
    const { plant: named, ...own } = all as Record<string, unknown> & { plant?: string };
    const plant = this.parts.plants.resolve(named);
    return { args: tool.perPlant ? own : all, plant, named: named === undefined ? undefined : plant };
  }

  /** The call may have waited for the disk or for a person since it was admitted. */
  private handle(tool: Tool, input: Record<string, unknown>, context: ToolContext<unknown>): unknown {
    context.call.assertStands();
    return tool.run(input, context);
  }

  private refusal(error: unknown, { name, identity }: CallRequest): CallToolResult {
    const body = errorBody(error);
    const refusals = body.code === "RATE_LIMITED" ? this.parts.rateLimit.refusalsToTell(identity.name) : 1;
    const words = strangersWordsIn(error);
    if (refusals === 0) return failure(body, words);
    const cause = body.code === "INTERNAL" || !(error instanceof Error) ? error : error.cause;
    this.parts.log(body.code === "INTERNAL" ? "error" : "info", "call refused", {
      tool: this.entries.has(name) ? name : "unknown tool", // what a caller puts there by mistake can be a secret
      by: identity.name,
      code: body.code,
      ...(refusals > 1 && { times: refusals }),
      ...(cause !== undefined && { cause: explained(cause) }),
    });
    return failure(body, words);
  }
}

/**
 * The error as the caller gets it, if it can contain words of strangers: a mail server's answer, or names of areas of
 * the home.
 */
function strangersWordsIn(error: unknown): Untrusted<ErrorBody> | undefined {
  const sources = error instanceof TendrilError ? (error.particulars.untrusted ?? []) : [];
  return sources.length === 0 ? undefined : new Untrusted(errorBody(error), sources);
}

/** Characters of an error's words in the log, which can be those of a server outside. A choice: a few lines. */
const LONGEST_CAUSE = 1000;

/** An error with a code is written for people; any other is logged with its stack. */
export function explained(cause: unknown): string {
  if (cause instanceof DriverError || cause instanceof TendrilError) {
    const words = visible(cause.message);
    return words.length > LONGEST_CAUSE
      ? `${words.slice(0, LONGEST_CAUSE)}… (${words.length} characters)`
      : words;
  }
  return (cause instanceof Error && cause.stack) || String(cause);
}

function assertAllowed(tool: Tool, { role }: Identity): void {
  if (isAllowed(role, tool)) return;
  throw notAllowed(`${labelOf(tool)} needs ${neededWords(tool)}; this token is ${role}`);
}

/** Whether a person's own words say off: an agent may think for long, or not run. A turn is an agent's, also with a person's token. */
function saysOff(tool: Tool | undefined, { identity, arguments: given, turn }: WrittenCall): boolean {
  if (tool?.words === undefined || identity.role !== "human" || turn !== undefined) return false;
  if (!isObject(given) || given.forwarded === true) return false;
  const written = given[tool.words];
  return typeof written === "string" && wantsOff(written);
}

/** What reads, switches off or keeps off is never refused because a disk hangs. */
const needsNoSureToken = ({ facts, switchesOff, holds }: Tool, args: Record<string, unknown>): boolean =>
  facts.annotations.readOnlyHint === true || switchesOff === true || holds?.(args) === true;

/** A key changes nothing: what is read, and a hold or a pause, which counts again also where it was lifted since. */
const isSafeAgain = ({ facts: { annotations }, holds }: Tool, args: Record<string, unknown>): boolean =>
  annotations.readOnlyHint === true || (annotations.idempotentHint === true && holds?.(args) === true);

/** The toolset for a care cycle, from all families. */
const CARE = "care";

const isIn = ({ tool, toolset }: Entry, name: string): boolean =>
  name === CARE ? tool.inCare === true : toolset === name;

/** The operation that the call names; else the tool, whose check of the arguments says what is wrong. */
function operationOf(entry: Entry, given: unknown): Entry {
  const operation = isObject(given) && Object.hasOwn(given, "operation") && given.operation;
  return entry.operations?.get(operation) ?? entry;
}

function entryOf(tool: Tool, toolset: string, plants: Plants): Entry {
  const { name, description, facts } = tool;
  const meta = {
    ...(facts.speaks && { [TOOL_META.speaks]: true }),
    ...(tool.inCare && { [TOOL_META.care]: true }),
  };
  const operations = tool.operations?.map((each) => {
    const { operation } = each.input.shape;
    return [(operation as z.ZodLiteral).value, entryOf(each, toolset, plants)] as const;
  });
  let input: z.ZodObject | undefined;
  const entry: Entry = {
    tool,
    toolset,
    ...(operations && { operations: new Map(operations) }),
    // schemas are made when somebody asks: a start does not wait for them
    get input() {
      input ??= withPlant(tool, plants);
      return input;
    },
    listing: {
      name,
      title: facts.title,
      description,
      annotations: facts.annotations,
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
      get inputSchema() {
        return listedSchema(entry.input, "input");
      },
      get outputSchema() {
        return listedSchema(tool.output, "output");
      },
    },
  };
  return entry;
}

/** The tool's parameters; with several plants also the choice of one. */
function withPlant({ input, perPlant }: Tool, plants: Plants): z.ZodObject {
  if (!perPlant || !plants.several) return input;
  const choice = z
    .string()
    .optional()
    .meta({
      description: `which plant, by id or name; ${perPlant === "or all" ? "all" : "the first"} by default`,
      examples: [...plants.ids],
    });
  return input.extend({ plant: choice });
}
