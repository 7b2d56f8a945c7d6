import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { type WebSocket, WebSocketServer } from "ws";
import { type Entry, recorded, StandInHome } from "./stand-in-home.js";
import { SERVICES, StandInError, WITHOUT_TARGET } from "./stand-in-services.js";

type User = "owner" | "resident" | "viewer";
type Frame = Readonly<Record<string, unknown>>;

/** Of throw-away users. Real tokens have some 180 characters. */
const TOKENS: Readonly<Record<User, string>> = {
  owner: "token-of-the-stand-ins-owner",
  resident: "token-of-the-stand-ins-resident",
  viewer: "token-of-the-stand-ins-viewer",
};

/** What follows from another's words in the registry of areas and labels, as Home Assistant resolves a target. */
const TARGETS = ["entity_id", "device_id", "area_id", "floor_id", "label_id"] as const;

interface Client {
  readonly ws: WebSocket;
  readonly user: User;
  lastId: number;
  coalesces: boolean;
}

/**
 * A small Home Assistant: the WebSocket API as far as the adapter uses it, with the states, registries and texts of the
 * real home of test/home/real, and its traps. The tests of test/home/home-adapter.ts hold it against the real one.
 */
export class HomeStandIn {
  readonly tokens = TOKENS;
  /** Each `call_service` that came in, by whoever. */
  readonly calls: Frame[] = [];
  /** Log-ins that were refused: in a real home each is a notice to the owner. */
  refused = 0;
  /** Log-ins that were taken. */
  accepted = 0;
  /** Services such as "lock.unlock" that are done, and never answered. */
  readonly silent = new Set<string>();
  private readonly kept = recorded();
  readonly home = new StandInHome(this.kept);
  readonly registries: Record<string, Entry[]> = structuredClone(this.kept.registries) as Record<
    string,
    Entry[]
  >;
  readonly texts: Record<string, { config: unknown; related: unknown }> = { ...this.kept.texts };
  /** Whose history was asked for. */
  readonly remembered: string[] = [];
  private readonly clients = new Set<WebSocket>();
  private readonly callListeners = new Set<(event: object) => void>();
  private readonly registryListeners = new Set<(kind: string) => void>();

  private constructor(
    readonly url: string,
    private readonly http: Server,
  ) {}

  /** On a free port of loopback, until the test ends. */
  static async start(t: Test): Promise<HomeStandIn> {
    const http = createServer((_, response) => response.writeHead(404).end());
    const server = new WebSocketServer({ server: http, path: "/api/websocket" });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const standIn = new HomeStandIn(url, http);
    server.on("connection", (ws) => standIn.welcome(ws));
    t.teardown(() => {
      standIn.drop();
      server.close();
      return new Promise((resolve) => http.close(resolve));
    });
    return standIn;
  }

  /** Cuts all connections, as a restart does. */
  drop(): void {
    for (const ws of this.clients) ws.terminate();
  }

  /** As `kill -9`: what it has not read it never reads. */
  async kill(): Promise<void> {
    this.http.close();
    for (const ws of this.clients) ws.removeAllListeners("message");
    this.drop();
    await once(this.http, "close");
  }

  /** On the same port. */
  async boot(): Promise<void> {
    this.home.revive();
    this.http.listen(Number(new URL(this.url).port), "127.0.0.1");
    await once(this.http, "listening");
  }

  /** Connections stay open, and nothing is read from them any more: as if a cable was pulled. */
  mute(): void {
    for (const ws of this.clients) ws.pause();
  }

  unmute(): void {
    for (const ws of this.clients) ws.resume();
  }

  state(entityId: string): string | undefined {
    return this.home.stateOf(entityId);
  }

  /** Changes an entry, and tells it. */
  register(kind: string, id: string, change: Entry): void {
    const key = kind === "entity" ? "entity_id" : kind === "device" ? "id" : `${kind}_id`;
    const entry = this.registries[kind]?.find((each) => each[key] === id);
    if (!entry) throw new StandInError("not_found", "Entity not found");
    Object.assign(entry, change);
    for (const listener of this.registryListeners) listener(kind);
  }

  private welcome(ws: WebSocket): void {
    this.clients.add(ws);
    ws.on("close", () => this.clients.delete(ws));
    const send = (frame: object) => ws.send(JSON.stringify(frame));
    send({ type: "auth_required", ha_version: this.kept.version });
    let client: Client | undefined;
    ws.on("message", (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      if (client) return void this.take(client, frame);
      const user = (Object.keys(TOKENS) as User[]).find((each) => TOKENS[each] === frame.access_token);
      if (user) {
        client = { ws, user, lastId: 0, coalesces: false };
        this.accepted += 1;
        return send({ type: "auth_ok", ha_version: this.kept.version });
      }
      this.refused += 1;
      send({ type: "auth_invalid", message: "Invalid access token or password" });
      ws.close(1000);
    });
  }

  private async take(client: Client, frame: Frame): Promise<void> {
    const id = Number(frame.id);
    try {
      if (id <= client.lastId) throw new StandInError("id_reuse", "Identifier values have to increase.");
      client.lastId = id;
      const first = this.subscription(client, frame);
      if (first) return this.sendAll(client, [{ id, type: "result", success: true, result: null }, ...first]);
      const result = await this.answer(client, frame);
      if (result !== SILENCE) this.sendAll(client, [{ id, type: "result", success: true, result }]);
    } catch (error) {
      if (!(error instanceof StandInError)) throw error;
      const { code, message } = error;
      this.sendAll(client, [{ id, type: "result", success: false, error: { code, message } }]);
    }
  }

  /** An answer and its first event come as one array, where the client understands that. */
  private sendAll({ ws, coalesces }: Client, frames: readonly object[]): void {
    if (ws.readyState !== ws.OPEN) return;
    if (coalesces && frames.length > 1) ws.send(JSON.stringify(frames));
    else for (const frame of frames) ws.send(JSON.stringify(frame));
  }

  /** The first events, if it is a subscription. */
  private subscription(client: Client, { id, type, event_type }: Frame): readonly object[] | undefined {
    const send = (event: object) => this.sendAll(client, [{ id, type: "event", event }]);
    if (type === "subscribe_entities") {
      this.home.listeners.add(send);
      client.ws.on("close", () => this.home.listeners.delete(send));
      return [{ id, type: "event", event: { a: Object.fromEntries(this.home.states) } }];
    }
    if (type !== "subscribe_events") return undefined;
    if (event_type === "call_service") {
      this.callListeners.add(send);
      client.ws.on("close", () => this.callListeners.delete(send));
      return [];
    }
    const listener = (kind: string) => event_type === `${kind}_registry_updated` && send({ event_type });
    this.registryListeners.add(listener);
    client.ws.on("close", () => this.registryListeners.delete(listener));
    return [];
  }

  private answer(client: Client, frame: Frame): unknown {
    const type = String(frame.type);
    const [, kind] = /^config\/(\w+)_registry\/list$/.exec(type) ?? [];
    if (kind) return this.registries[kind];
    if (type.startsWith("config/") && client.user !== "owner")
      throw new StandInError("unauthorized", "Unauthorized");
    const answer = this.answers[type];
    if (!answer) throw new StandInError("unknown_command", "Unknown command.");
    return answer(frame, client);
  }

  private readonly answers: Readonly<Record<string, (frame: Frame, client: Client) => unknown>> = {
    supported_features: (_, client) => {
      client.coalesces = true;
      return null;
    },
    "auth/current_user": (_, { user }) => ({
      name: user,
      is_admin: user === "owner",
      is_owner: user === "owner",
    }),
    get_states: () =>
      [...this.home.states].map(([entity_id, { s: state, a: attributes, lc, lu = lc }]) => ({
        entity_id,
        state,
        attributes,
        last_changed: iso(lc),
        last_updated: iso(lu),
      })),
    "automation/config": ({ entity_id }) => this.text(String(entity_id)),
    "script/config": ({ entity_id }) => this.text(String(entity_id)),
    "search/related": ({ item_id }) => this.texts[String(item_id)]?.related ?? {},
    "homeassistant/expose_entity/list": (_, { user }) => {
      if (user !== "owner") throw new StandInError("unauthorized", "Unauthorized");
      return { exposed_entities: this.kept.exposed };
    },
    "config/entity_registry/update": ({ id: _, type: __, entity_id, ...change }) => {
      this.register("entity", String(entity_id), change);
      return null;
    },
    "history/history_during_period": (frame) => this.history(frame),
    call_service: (frame, client) => this.call(frame, client),
  };

  private text(entityId: string): unknown {
    const text = this.texts[entityId];
    if (!text) throw new StandInError("not_found", "Entity not found");
    return { config: text.config };
  }

  private history({ entity_ids, start_time, end_time, include_start_time_state }: Frame): object {
    const [from, to] = [Date.parse(String(start_time)) / 1000, Date.parse(String(end_time)) / 1000];
    const answer: Record<string, object[]> = {};
    for (const id of entity_ids as readonly string[]) {
      this.remembered.push(id);
      const past = (this.home.past.get(id) ?? []).map(({ s, lc, lu = lc }) => ({ s, lu }));
      const before = include_start_time_state ? past.filter(({ lu }) => lu < from).slice(-1) : [];
      const found = [
        ...before.map(({ s }) => ({ s, lu: from })),
        ...past.filter(({ lu }) => lu >= from && lu < to),
      ];
      if (found.length > 0) answer[id] = found;
    }
    return answer;
  }

  private async call(frame: Frame, { user }: Client): Promise<unknown> {
    this.calls.push(frame);
    const [domain, service] = [String(frame.domain).toLowerCase(), String(frame.service).toLowerCase()];
    const name = `${domain}.${service}`;
    const alone = WITHOUT_TARGET[name];
    const work = alone ?? SERVICES[domain]?.[service];
    if (!work) throw new StandInError("not_found", `Service ${name} not found.`);
    const data = (frame.service_data ?? {}) as Entry;
    const target = { ...data, ...((frame.target ?? {}) as Entry) };
    assertTarget(frame, target, domain);
    if (user === "viewer") throw new StandInError("home_assistant_error", "Unauthorized");
    for (const tell of this.callListeners) tell({ data: { domain, service } });
    if (alone) await alone(this.home, "", data);
    else await Promise.all(this.resolved(target, domain).map((id) => work(this.home, id, data)));
    return this.silent.has(name) ? SILENCE : { context: { id: "stand-in", user_id: user } };
  }

  /** Entity ids of the service's domain that exist; what does not is skipped without a word. */
  private resolved(target: Entry, domain: string): string[] {
    const wanted = TARGETS.map((key) =>
      [target[key] ?? []].flat().flatMap((each) => String(each).split(",")),
    );
    const [ids = [], devices = [], areas = [], floors = [], labels = []] = wanted;
    const named = ids.map((each) => each.trim().toLowerCase());
    const found = new Set(
      named.includes("all") ? this.home.states.keys() : named.flatMap((id) => this.members(id)),
    );
    for (const entry of this.registries.entity ?? []) {
      const device = this.registries.device?.find(({ id }) => id === entry.device_id);
      const area = String(entry.area_id ?? device?.area_id);
      const floor = this.registries.area?.find((each) => each.area_id === area)?.floor_id;
      const tags = [entry.labels, device?.labels].flat();
      const isMeant =
        devices.includes(String(entry.device_id)) ||
        areas.includes(area) ||
        floors.includes(String(floor)) ||
        labels.some((label) => tags.includes(label));
      if (isMeant) for (const id of this.members(String(entry.entity_id))) found.add(id);
    }
    const isMeant = (id: string) => domain === "homeassistant" || id.startsWith(`${domain}.`);
    return [...found].filter((id) => isMeant(id) && this.home.states.has(id));
  }

  /** Groups are opened, also in groups. */
  private members(id: string): string[] {
    const inside = this.home.states.get(id)?.a.entity_id;
    const isGroup = Array.isArray(inside) && !id.startsWith("scene.");
    return isGroup ? inside.flatMap((each) => this.members(String(each))) : [id];
  }
}

/** Throws what Home Assistant answers to a target that is none. */
function assertTarget(frame: Frame, { entity_id, area_id }: Entry, domain: string): void {
  if (JSON.stringify([frame.target ?? {}, area_id ?? ""]).includes("{{"))
    throw new StandInError("invalid_format", "Templates are not supported here.");
  const ids = JSON.stringify(entity_id ?? "");
  const isNone = /^"[0-9a-f]{32}"$/.test(ids) || (domain === "homeassistant" && ids === '"all"');
  if (isNone) throw new StandInError("invalid_format", `Entity ID ${ids} is an invalid entity ID`);
}

const SILENCE = Symbol("no answer");
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
