import type { Clock } from "../../../drivers/ports.js";
import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { LONGEST_ANSWER } from "../../wire/bridge.js";
import {
  type CallAnswer,
  type CallArguments,
  type CatalogAnswer,
  type CatalogArguments,
  type HistoryAnswer,
  type HistoryArguments,
  HOME_LIMITS,
  type StatesAnswer,
  type StatesArguments,
} from "../../wire/home.js";
import { exponentialBackoff } from "../../wire/program.js";
import { type BridgeContext, JobFailure } from "../adapter.js";
import type { HomeConfig } from "./address.js";
import { callService } from "./call.js";
import { catalogOf, Registries } from "./catalog.js";
import { cut, instantOf, LiveStates, nameOf, shownAttributes } from "./live-states.js";
import { Mentions } from "./mentions.js";
import { CutOff, HomeRefusal, HomeSocket, type SocketOptions, TokenRefused, Unreachable } from "./socket.js";

interface ConnectionOptions extends SocketOptions {
  /** Its key in bridge.yaml: what a person has to mend. */
  readonly key: "read_token" | "act_token";
  /** What is done on each new connection before it is used. */
  readonly prepare: (socket: HomeSocket) => Promise<void>;
  /** [0, 1), for the jitter of the waits. */
  readonly random: () => number;
  /** A line for the log. */
  readonly say: (text: string) => void;
}

/** A choice: a connection that ended sooner did not work, and the waits go on growing. */
const STEADY: Millis = seconds(60);

/** Keeps one connection to Home Assistant open. Nothing waits in a queue for it. */
class Connection {
  /** Resolves when the first attempt has ended, well or not. */
  private readonly tried: Promise<void>;
  private firstIsOver: () => void = () => undefined;
  private current: HomeSocket | undefined;
  private trouble = new JobFailure("NOT_CONNECTED", "the connection to Home Assistant is not there yet");

  constructor(private readonly options: ConnectionOptions) {
    this.tried = new Promise((resolve) => {
      this.firstIsOver = resolve;
    });
    void this.keep().finally(() => this.firstIsOver());
  }

  /** The open connection. Throws JobFailure: NOT_CONNECTED or TOKEN_REFUSED. */
  get socket(): HomeSocket {
    if (this.current?.isOpen) return this.current;
    throw this.trouble;
  }

  /** As `socket`, but after a start it waits for the first attempt. */
  async ready(): Promise<HomeSocket> {
    await this.tried;
    return this.socket;
  }

  private async keep(): Promise<void> {
    const { clock, signal, random, key, say } = this.options;
    let waits = exponentialBackoff(random);
    while (!signal.aborted) {
      const since = clock.monotonic();
      if (!(await this.once())) return;
      if (clock.monotonic() - since > STEADY) waits = exponentialBackoff(random);
      if (!signal.aborted) say(`home: ${key}: ${this.trouble.message}`);
      await clock.sleep(millis(waits.next().value), signal).catch(() => undefined);
    }
  }

  /** One connection from its beginning to its end. False: no further one makes sense. */
  private async once(): Promise<boolean> {
    const { key, say } = this.options;
    try {
      const socket = await this.opened();
      this.current = socket;
      this.firstIsOver();
      say(`home: ${key}: connected to Home Assistant ${socket.version}`);
      await socket.closed;
      this.trouble = new JobFailure("NOT_CONNECTED", "the connection to Home Assistant was lost");
    } catch (error) {
      if (error instanceof TokenRefused) return this.refused();
      this.trouble = new JobFailure("NOT_CONNECTED", messageOf(error));
      this.firstIsOver();
    }
    return true;
  }

  private async opened(): Promise<HomeSocket> {
    const socket = await HomeSocket.open(this.options);
    try {
      await this.options.prepare(socket);
      return socket;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Each refused log-in is a notice in the owner's home: there is no second one. */
  private refused(): false {
    const { key, say } = this.options;
    const fix = `make a new one in Home Assistant (profile, security), put it into bridge.yaml as home: ${key}, and restart the bridge`;
    this.trouble = new JobFailure("TOKEN_REFUSED", `Home Assistant does not know the ${key}: ${fix}`);
    say(`home: ${this.trouble.message}`);
    return false;
  }
}

/** What is read on one connection. */
interface Reading {
  readonly registries: Registries;
  readonly mentions: Mentions;
  readonly since: string;
  /** Absent once Home Assistant has said that this user may not. */
  mayReadExposed: boolean;
}

/** A home: one connection that reads, and one that acts. */
export class Home {
  private readonly live: LiveStates;
  private readonly reader: Connection;
  private readonly actor: Connection | undefined;
  private readonly clock: Clock;
  private reading: Reading | undefined;

  constructor({ url, read_token, act_token }: HomeConfig, { clock, say, signal }: BridgeContext) {
    this.clock = clock;
    this.live = new LiveStates(clock);
    const options = { url: url.href, clock, say, signal, random: Math.random };
    const prepare = (socket: HomeSocket) => this.prepare(socket);
    this.reader = new Connection({ ...options, token: read_token, key: "read_token", prepare });
    const prepareActor = async () => undefined;
    if (act_token !== undefined)
      this.actor = new Connection({ ...options, token: act_token, key: "act_token", prepare: prepareActor });
  }

  async catalog({ only }: CatalogArguments): Promise<CatalogAnswer> {
    const socket = await this.reader.ready();
    const { reading } = this;
    if (!reading) throw new JobFailure("NOT_CONNECTED", "the connection to Home Assistant is not there yet");
    const states = this.live.all();
    const [entries, mentions, exposed] = await Promise.all([
      reading.registries.entries(),
      reading.mentions.read(states),
      exposedIn(socket, reading),
    ]).catch(failed);
    const catalog = catalogOf({ states, ...entries, mentions, exposed }, only && new Set(only));
    const answer = { ...catalog, version: socket.version, connected_since: reading.since };
    const count = catalog.entities.length;
    if (count > HOME_LIMITS.catalog || JSON.stringify(answer).length > LONGEST_ANSWER)
      throw new JobFailure("TOO_LARGE", `${count} entities do not fit one answer: ask for some by \`only\``);
    return answer;
  }

  async states({ entity_ids }: StatesArguments): Promise<StatesAnswer> {
    await this.reader.ready();
    const found = entity_ids.flatMap((id) => {
      const live = this.live.get(id);
      return live ? [[id, live] as const] : [];
    });
    return {
      states: found.map(([id, live]) => ({
        entity_id: id,
        friendly_name: nameOf(id, live),
        state: cut(live.state, HOME_LIMITS.state),
        attributes: shownAttributes(live.attributes) as StatesAnswer["states"][number]["attributes"],
        last_changed: instantOf(live.changed),
        last_updated: instantOf(live.updated),
      })),
    };
  }

  async history(args: HistoryArguments, signal: AbortSignal): Promise<HistoryAnswer> {
    return historyOf(await this.reader.ready(), args, signal).catch(failed);
  }

  /** Nothing waits for a connection here: a call that comes late is worse than none. */
  async call(args: CallArguments, signal: AbortSignal): Promise<CallAnswer> {
    if (!this.actor)
      throw new JobFailure(
        "NOT_CONFIGURED",
        "bridge.yaml has no act_token under home: the home can only be read",
      );
    await Promise.all([this.reader.ready(), this.actor.ready()]);
    return callService(args, this.actor.socket, this.live, signal);
  }

  private async prepare(socket: HomeSocket): Promise<void> {
    await socket.ask("supported_features", { features: { coalesce_messages: 1 } });
    const registries = await Registries.follow(socket);
    await this.live.follow(socket);
    const since = new Date(this.clock.now()).toISOString();
    this.reading = { registries, mentions: new Mentions(socket), since, mayReadExposed: true };
  }
}

/** Administrators may read this, others are refused. */
async function exposedIn(socket: HomeSocket, reading: Reading): Promise<ReadonlySet<string> | undefined> {
  if (!reading.mayReadExposed) return undefined;
  try {
    const { exposed_entities: by = {} } = (await socket.ask("homeassistant/expose_entity/list")) as {
      exposed_entities?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
    };
    return new Set(Object.keys(by).filter((id) => Object.values(by[id] ?? {}).some(Boolean)));
  } catch (error) {
    if (!(error instanceof HomeRefusal)) throw error;
    reading.mayReadExposed = false;
    return undefined;
  }
}

/** A reading that did not work, as the runtime is told. */
function failed(error: unknown): never {
  if (error instanceof HomeRefusal)
    throw new JobFailure(
      "HOME_ASSISTANT",
      `${cut(error.code, HOME_LIMITS.name)}: ${cut(error.message, 200)}`,
    );
  if (error instanceof CutOff || error instanceof Unreachable)
    throw new JobFailure("NOT_CONNECTED", `Home Assistant did not answer: ${error.message}`);
  throw error;
}

/** A recorded state; `lu` in seconds since 1970. */
interface Recorded {
  readonly s: string;
  readonly lu: number;
}

/** Milliseconds. A choice: a day of a chatty sensor is some 10,000 changes, half a megabyte. */
const STRETCH = 24 * 3_600_000;

/** Reads what Home Assistant has recorded of one entity. Rejects as HomeSocket's `ask`. */
async function historyOf(
  socket: HomeSocket,
  { entity_id, from, to }: HistoryArguments,
  signal: AbortSignal,
): Promise<HistoryAnswer> {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const recorded: Recorded[] = [];
  for (let start = first; start < last; start += STRETCH) {
    const answer = (await socket.ask(
      "history/history_during_period",
      {
        start_time: new Date(start).toISOString(),
        end_time: new Date(Math.min(last, start + STRETCH)).toISOString(),
        entity_ids: [entity_id],
        minimal_response: true,
        no_attributes: true,
        significant_changes_only: false,
        include_start_time_state: start === first,
      },
      { signal },
    )) as Readonly<Record<string, readonly Recorded[]>>;
    recorded.push(...(answer[entity_id] ?? []));
  }
  return answerOf(recorded, first, last);
}

function answerOf(recorded: readonly Recorded[], from: number, to: number): HistoryAnswer {
  const kept = recorded.length > HOME_LIMITS.changes ? thinned(recorded, HOME_LIMITS.changes) : recorded;
  const [oldest] = recorded;
  return {
    changes: kept.map(({ s, lu }) => ({ state: cut(s, HOME_LIMITS.state), timestamp: instantOf(lu) })),
    total: recorded.length,
    truncated: kept.length < recorded.length,
    coverage: oldest
      ? { from: instantOf(Math.max(from / 1000, oldest.lu)), to: new Date(to).toISOString() }
      : null,
  };
}

/** Two of each of `most` / 2 stretches with equally many changes, in order of time. */
export function thinned(recorded: readonly Recorded[], most: number): readonly Recorded[] {
  const stretches = Math.floor(most / 2);
  const kept: Recorded[] = [];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const start = Math.floor((stretch * recorded.length) / stretches);
    const end = Math.floor(((stretch + 1) * recorded.length) / stretches);
    kept.push(...ends(recorded.slice(start, end)));
  }
  return kept;
}

/** The lowest and the highest number, in order of time; without numbers the first and the last. */
function ends(stretch: readonly Recorded[]): readonly Recorded[] {
  const numbers = stretch.filter(({ s }) => s.trim() !== "" && Number.isFinite(Number(s)));
  const sorted = numbers.length > 0 ? [...numbers].sort((a, b) => Number(a.s) - Number(b.s)) : [...stretch];
  const two = new Set([sorted[0], sorted.at(-1)].filter((each) => each !== undefined));
  return [...two].sort((a, b) => a.lu - b.lu);
}
