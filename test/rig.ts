import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { SimulatedClock } from "../drivers/clock/simulated-clock.js";
import { benchOf } from "../drivers/open-board.js";
import { type Millis, millis, minutes, seconds } from "../drivers/units.js";
import type { Config } from "../runtime/configuration.js";
import { parseConfig } from "../runtime/configuration.js";
import { type Core, openCore } from "../runtime/core.js";
import { TendrilError } from "../runtime/errors.js";
import { defaultBackups } from "../runtime/places.js";
import type { CallRequest, RouteRequest } from "../runtime/tools/host.js";
import type { Dialogue, Question } from "../runtime/tools/tool.js";
import type { Kind } from "../runtime/wire/identity.js";
import { RigDisk } from "./rig-disk.js";

export interface RigOptions {
  /** Configuration as YAML. */
  readonly config?: string;
  /** The clock's wall time at the start. */
  readonly start?: string;
  readonly seed?: number;
  /** Of new plants, 0 to 100 (freshly watered, the default). */
  readonly hydration?: number;
  /** Whether the runtime's own limit on wet soil holds where `config` names none: most tests pour into freshly watered soil. */
  readonly wetLimit?: boolean;
  /** A recording to replay; `start` must be its first row. */
  readonly replay?: string;
  /** Whether the bench's cameras see the plant; by default small pictures that show only how light it is. */
  readonly pictures?: boolean;
  /** People live by the simulated clock too; otherwise by the machine's own. */
  readonly peopleToo?: boolean;
}

/** A refusal, as it comes over the wire. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retry_after_s?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly as?: Kind;
  /** The token's name; by default the role's. */
  readonly token?: string;
  readonly key?: unknown;
  /** The client's own name, in `_meta["tendril/agent"]`. */
  readonly instance?: unknown;
  /** `_meta["tendril/confirm"]`. */
  readonly confirm?: unknown;
  /** `_meta["tendril/turn"]`. */
  readonly turn?: unknown;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export type Result =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: Refusal };

type Args = Readonly<Record<string, unknown>>;

export interface Lateness {
  /** Seconds. */
  readonly wait: number;
  readonly meanwhile?: ((rig: Rig) => unknown) | undefined;
  /** How many lines that writes. */
  readonly lines?: number | undefined;
}

/** The whole runtime but the wire, on a bench whose time moves only when the test says so. */
export class Rig {
  readonly log: string[] = [];
  readonly disk = new RigDisk();
  private closers: Array<() => unknown> = [];
  private readonly revoked = new Set<string>();
  private readonly revocations = new Set<(name: string) => void>();

  private constructor(
    readonly state: string,
    readonly clock: SimulatedClock,
    private options: RigOptions,
    private current: Core | undefined,
  ) {}

  static async start(options: RigOptions = {}): Promise<Rig> {
    const state = await mkdtemp(join(tmpdir(), "tendril-rig-"));
    const rig = new Rig(state, new SimulatedClock(options.start), options, undefined);
    await rig.open().catch((error: unknown) => {
      rmSync(state, { recursive: true, force: true });
      throw error;
    });
    return rig;
  }

  get core(): Core {
    if (!this.current) throw new Error("the rig is stopped");
    return this.current;
  }

  get bench() {
    return benchOf(this.core.board);
  }

  /** Calls a tool as the wire would. */
  async call(name: string, args: Args = {}, options: CallOptions = {}): Promise<Result> {
    return readResult(await this.core.registry.call(requestOf(name, args, options)));
  }

  /** Calls a tool as the wire does for a client that can be asked in the middle of a call. */
  async callOrAsk(
    name: string,
    args: Args,
    dialogue: Dialogue = {},
    options: CallOptions = {},
  ): Promise<Result | Question> {
    const request = { ...requestOf(name, args, options), dialogue };
    const answer = await this.core.registry.callOrAsk(request);
    return "content" in answer ? readResult(answer) : answer;
  }

  /** Calls a tool that has to work; the value. */
  async get(
    name: string,
    args: Args = {},
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.call(name, args, options);
    if (result.ok) return result.value;
    throw new Error(`${name}: ${result.error.message}`);
  }

  /** Calls a tool that has to be refused; the error. */
  async refused(name: string, args: Args = {}, options: CallOptions = {}): Promise<Refusal> {
    const result = await this.call(name, args, options);
    if (!result.ok) return result.error;
    throw new Error(`${name} was not refused: ${JSON.stringify(result.value)}`);
  }

  /** Calls a tool that takes the plant's time, and lets that time pass. */
  async during(name: string, args: Args = {}, options: CallOptions = {}): Promise<Result> {
    const pending = this.call(name, args, options);
    let done = false;
    void pending.finally(() => {
      done = true;
    });
    const before = this.pumpEdges().length;
    while (!done && this.pumpEdges().length === before) await this.beforeEdge();
    while (!done && this.isPouring()) await this.pass(seconds(1));
    return pending;
  }

  /** An interlock takes the plant's time before it lets the pump on: it rests, and its contact settles. */
  private beforeEdge(): Promise<void> {
    return this.bench.interlock ? this.pass(millis(20)) : diskTurn(this.disk);
  }

  private pumpEdges() {
    return [...this.core.board.plants.keys()].flatMap((id) => this.bench.pumpEdges(id));
  }

  private isPouring(): boolean {
    return [...this.core.board.plants.keys()].some((id) => this.bench.pumpEdges(id).at(-1)?.level === 1);
  }

  /** A dose that has to flow. */
  async water(ml: number, options: CallOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    const result = await this.during("dispense_water", { ml }, options);
    if (result.ok) return result.value;
    throw new Error(result.error.message);
  }

  /** A status that is true in every figure, with the given plan. */
  async status(
    plan: ReadonlyArray<{ action: string; value?: number }> = [],
    changes: Args = {},
    options: CallOptions = {},
  ) {
    const plant = "plant" in changes ? { plant: changes.plant } : {};
    const reading = await this.call("read_moisture", plant, options);
    const { used_ml } = await this.get("get_water_usage_24h", plant, options);
    const { light_today } = await this.get("get_light_status", plant, options);
    const status = {
      timestamp: new Date(this.clock.now()).toISOString(),
      sensor_reading: reading.ok ? reading.value.value : 0,
      water_24h: used_ml,
      light_today,
      plant_state: "healthy",
      next_action_sequence: plan.map((step, at) => ({ order: at + 1, ...step })),
      reasoning: "a test",
      ...changes,
    };
    return this.get("write_plant_status", status, options);
  }

  /** A disk that hangs: nobody knows whether a token is revoked. */
  tokensUnread = false;

  /** Takes a token away. By default there is each that is used. */
  revokeToken(name: string): void {
    this.revoked.add(name);
    for (const listener of this.revocations) listener(name);
  }

  /** The line of a call waits so long for a disk that hangs, and meanwhile something else happens, which writes lines or none. */
  async late(call: () => Promise<Result>, { wait, meanwhile, lines = 0 }: Lateness): Promise<Result> {
    const release = this.disk.hang();
    const answer = call();
    await this.disk.until((awaited) => awaited === 1);
    await this.pass(seconds(wait));
    const other = meanwhile?.(this);
    await this.disk.until((awaited) => awaited === 1 + lines);
    release();
    await other;
    return answer;
  }

  /** Lets plant time pass; disk writes that it sets off are waited for. */
  async pass(time: Millis): Promise<void> {
    await this.clock.advance(time);
    await diskTurn(this.disk);
  }

  /** Lets time pass with the sampler at work every `every`. */
  async passSampling(time: Millis, every: Millis = minutes(5)): Promise<void> {
    for (let left: number = time; left > 0; left -= every) {
      await this.pass(Math.min(left, every) as Millis);
      await this.core.sample();
    }
  }

  /** Makes every journal refuse to write, as a full disk does, until the returned function is called. */
  fillDisk(): () => void {
    return this.disk.fill();
  }

  /** Stops the process in good order. */
  async stop(): Promise<void> {
    if (!this.current) return;
    await this.core.house.stopEverything("test");
    for (const close of this.closers.splice(0).reverse()) await close();
    this.current = undefined;
  }

  /** Stops and starts again; with another configuration, if one is given. */
  async restart(config?: string): Promise<void> {
    await this.stop();
    if (config !== undefined) this.options = { ...this.options, config };
    await this.open();
  }

  /**
   * The process dies: no service is told, what is on disk is all there is. A call in flight is never answered.
   * The bench's relays go off, as at a power cut.
   */
  async crash(): Promise<void> {
    const { store, board } = this.core;
    this.closers = [];
    await store.close();
    await board.close();
    this.current = undefined;
  }

  /** Runs `meanwhile` while a journal writes its next line: between a check and what it permits. */
  duringNextWrite(meanwhile: () => Promise<unknown>): void {
    this.disk.duringNextWrite(meanwhile);
  }

  /** Stops for good and deletes the state. */
  async end(): Promise<void> {
    await this.stop();
    for (const folder of [this.state, defaultBackups(this.state)])
      rmSync(folder, { recursive: true, force: true });
  }

  private config(): Config {
    const { config = "server: { calls_per_second: 100000 }", wetLimit = false } = this.options;
    const parsed = parsedOnce(config);
    const plants = parsed.plants.map((plant) => ({
      ...plant,
      water: { not_above: "off" as const, ...plant.water },
    }));
    return wetLimit ? parsed : { ...parsed, plants };
  }

  /** If a step fails, what was opened is closed again, as at a start. */
  async open(): Promise<void> {
    try {
      await this.openAll();
    } catch (error) {
      for (const close of this.closers.splice(0).reverse())
        await Promise.resolve(close()).catch(() => undefined);
      this.current = undefined;
      throw error;
    }
  }

  private async openAll(): Promise<void> {
    this.current = await openCore(
      {
        config: this.config(),
        state: this.state,
        board: {
          clock: this.clock,
          speed: 1,
          seed: this.options.seed ?? 1,
          startHydration: this.options.hydration ?? 100,
          coarsePictures: !this.options.pictures,
          ...(this.options.replay !== undefined && { replay: { file: this.options.replay, zone: "UTC" } }),
        },
        ...(this.options.peopleToo && { realClock: this.clock }),
        log: (level, message, fields) => this.log.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`),
        publicUrl: () => "http://127.0.0.1:8731",
        openJournal: this.disk.openJournal,
        askSpace: async () => ({ bavail: this.disk.freeBytes, bsize: 1, blocks: 32e9 }),
        tokens: {
          has: (name) => !this.revoked.has(name),
          confirm: () => undefined,
          assertSure: () => {
            if (this.tokensUnread) throw new TendrilError("TOKENS_UNREAD", "the tokens cannot be read anew");
          },
          watchGone: (listener) => {
            this.revocations.add(listener);
            return () => void this.revocations.delete(listener);
          },
        },
      },
      (close) => this.closers.push(close),
    );
    await this.core.sample();
  }
}

/** Most rigs have one of a few configurations. They are frozen: no rig can change that of another. */
const parsedConfigs = new Map<string, Config>();

function parsedOnce(text: string): Config {
  const parsed = parsedConfigs.get(text) ?? frozen(parseConfig(text, "rig.yaml"));
  parsedConfigs.set(text, parsed);
  return parsed;
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}

/** `name` may be that of an operation, "list_tool add_item": the arguments name it too. */
const requestOf = (
  name: string,
  args: Args,
  { as = "agent", token = as, key, instance, confirm, turn, signal, onProgress }: CallOptions,
): CallRequest => ({
  name: name.split(" ")[0] ?? name,
  arguments: args,
  identity: { name: token, role: as },
  signal: () => signal ?? new AbortController().signal,
  progress: (done, total) => onProgress?.(done, total),
  ...(key !== undefined && { idempotencyKey: key }),
  ...(instance !== undefined && { instance }),
  ...(confirm !== undefined && { confirm }),
  ...(turn !== undefined && { turn }),
});

function readResult({ content, isError }: CallToolResult): Result {
  const text = content.findLast((part) => part.type === "text")?.text ?? "{}";
  const parsed = JSON.parse(text);
  return isError ? { ok: false, error: parsed.error } : { ok: true, value: parsed };
}

/** Real disk writes take a few turns of the event loop, which simulated time knows nothing of. */
async function diskTurn(disk: RigDisk): Promise<void> {
  for (let quiet = 0; quiet < 4; quiet = disk.isBusy ? 0 : quiet + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

/** A rig that ends with the test. */
export async function rigFor(
  t: { teardown(fn: () => Promise<void>): unknown },
  options: RigOptions = {},
): Promise<Rig> {
  const rig = await Rig.start(options);
  t.teardown(() => rig.end());
  return rig;
}

/** A request to a route of a module, as the server makes it: over TLS, or from this machine. */
export const routeRequest = (path: string, headers: Readonly<Record<string, string>> = {}): RouteRequest => ({
  path,
  query: new URLSearchParams(),
  isPrivate: true,
  header: (name) => headers[name],
});
