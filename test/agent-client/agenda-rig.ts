import { Client } from "@modelcontextprotocol/client";
import type { Test } from "tap";
import { SystemClock as AgentClock } from "../../agent-client/clock.js";
import type { AgendaNews } from "../../agent-client/link/agenda.js";
import { watchAgenda } from "../../agent-client/link/agenda.js";
import { openSocket, WebSocketTransport } from "../../agent-client/link/link.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { runtimeApi } from "../../runtime/core.js";
import { startServer } from "../../runtime/server/server.js";
import { TokenStore } from "../../runtime/server/tokens.js";
import type { Identity } from "../../runtime/wire/identity.js";
import { connectOnce } from "../connect-once.js";
import { type Rig, type RigOptions, rigFor } from "../rig.js";
import { tokenOf } from "../runtime/server/fixture-host.js";

/** The runtime of a rig, plant time at a standstill, behind a real server. */
export async function wiredRig(t: Test, options: RigOptions = {}) {
  const rig = await rigFor(t, options);
  const folder = t.testdir();
  const clock = new SystemClock();
  const log = () => undefined;
  const tokens = await TokenStore.open(`${folder}/tokens`, clock, log);
  const serve = async (port: number) => {
    const host = runtimeApi(rig.core);
    const server = await startServer({ host, tokens, clock, listen: { port }, log });
    t.teardown(() => server.close());
    return server;
  };
  const server = await serve(0);
  const token = await tokenOf(folder, "agent");
  return { rig, server, serve, folder, tokens, token };
}

export type WiredRig = Awaited<ReturnType<typeof wiredRig>>;

/** The agent's own client, connected. */
export async function agentOf(t: Test, { server, token }: WiredRig, instance?: string) {
  const runtime = await connectOnce({
    url: server.url,
    token,
    random: () => 0.9,
    patience: { toConnect: 0, toReconnect: 10_000 },
    ...(instance !== undefined && { instance }),
  });
  t.teardown(() => runtime.close());
  return runtime;
}

/** What comes in, waited for one by one. */
export class Inbox<T> {
  private readonly arrived: T[] = [];
  private readonly waiting: ((each: T) => void)[] = [];

  readonly take = (each: T): void => {
    const next = this.waiting.shift();
    if (next) next(each);
    else this.arrived.push(each);
  };

  next(): Promise<T> {
    const [each] = this.arrived.splice(0, 1);
    return each === undefined ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve(each);
  }

  get unread(): readonly T[] {
    return this.arrived;
  }
}

export const soon = (rig: Rig, ms: number): string => new Date(rig.clock.now() + ms).toISOString();

/** The agenda, as the wire shows it. */
export async function agendaOf(
  rig: Rig,
  caller: Identity = { name: "agent", role: "agent" },
): Promise<Record<string, unknown>> {
  const content = await runtimeApi(rig.core).resources.read("tendril://agenda", caller);
  if (!content || !("text" in content)) throw new Error("there is no agenda");
  return JSON.parse(content.text);
}

/** Both protocol eras, as the client takes them. */
export const ERAS = { "2025": "legacy", "2026-07-28": { pin: "2026-07-28" } } as const;
export type Era = keyof typeof ERAS;
export const eras = Object.keys(ERAS) as readonly Era[];

/** A client of one era, connected, that never opens its link anew. */
export async function clientOf(t: Test, { server, token }: WiredRig, era: Era): Promise<Client> {
  const socket = await openSocket({ url: server.url, token }, new AbortController().signal);
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: ERAS[era] } });
  await client.connect(new WebSocketTransport(socket, new AgentClock()));
  t.teardown(() => client.close());
  return client;
}

/** What a watch tells over a connection of one era. */
export async function watched(t: Test, wired: WiredRig, era: Era) {
  const client = await clientOf(t, wired, era);
  const link = { ready: async () => client, closed: () => new Promise<void>(() => undefined) };
  const news = new Inbox<AgendaNews>();
  const cancel = watchAgenda({ link, clock: new AgentClock(), random: () => 0, onNews: news.take });
  t.teardown(cancel);
  return { client, news, cancel };
}

export const kinds = (news: AgendaNews) => news.map(({ kind }) => kind);
