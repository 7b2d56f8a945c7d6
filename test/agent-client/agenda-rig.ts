import type { Test } from "tap";
import { SystemClock as AgentClock } from "../../agent-client/clock.js";
import { connect } from "../../agent-client/connect.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { TokenStore } from "../../runtime/server/auth.js";
import { startServer } from "../../runtime/server/server.js";
import { wireHost } from "../../runtime/wire-host.js";
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
    const host = wireHost(rig.core);
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
  const runtime = await connect({
    url: server.url,
    token,
    signal: new AbortController().signal,
    clock: new AgentClock(),
    random: () => 0.9,
    patience: { toConnect: 0, toReconnect: 10_000 },
    onWait: () => undefined,
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
