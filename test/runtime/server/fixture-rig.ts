import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { Test } from "tap";
import { type ClientOptions, WebSocket } from "ws";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis } from "../../../drivers/units.js";
import type { Level, Log } from "../../../runtime/log.js";
import type { Limits } from "../../../runtime/server/limits.js";
import { startServer } from "../../../runtime/server/server.js";
import type { Material } from "../../../runtime/server/tls/material.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import { type TlsTrouble, tlsTroubleWords } from "../../../runtime/wire/tls-trouble.js";
import { FixtureHost, tokenOf } from "./fixture-host.js";

export interface LogLine {
  readonly level: Level;
  readonly message: string;
  readonly text: string;
}

export interface RigOptions {
  readonly limits?: Partial<Limits>;
  readonly allowedHosts?: readonly string[];
  /** A TLS port beside the plain one, with these. */
  readonly material?: () => Promise<Material>;
  readonly tlsPort?: number;
  /** An earlier state folder, to begin again on it. */
  readonly folder?: string;
  /** A folder of pages. */
  readonly pages?: string;
}

/** A server on a free loopback port with a fixture host; its heartbeat beats when the test moves `clock`. */
export async function serverRig(t: Test, options: RigOptions = {}) {
  const {
    limits = {},
    allowedHosts = [],
    material,
    tlsPort = 0,
    folder = freshFolder(t),
    ...others
  } = options;
  const clock = new SimulatedClock();
  const lines: LogLine[] = [];
  const log: Log = (level, message, fields) =>
    lines.push({ level, message, text: JSON.stringify(fields ?? {}) });
  const tokens = await TokenStore.open(`${folder}/tokens`, clock, log);
  const host = new FixtureHost();
  const troubles: string[] = [];
  const onTrouble = (trouble: TlsTrouble) => troubles.push(tlsTroubleWords(trouble));
  const tls = material && { host: "127.0.0.1", port: tlsPort, material, onTrouble };
  const listen = { port: 0 };
  const server = await startServer({
    host,
    tokens,
    clock,
    listen,
    tls,
    allowedHosts,
    limits,
    log,
    ...others,
  });
  const token = await tokenOf(folder, "agent");
  const stop = async () => {
    const closed = server.close();
    await clock.advance(millis(60_000));
    await closed;
  };
  t.teardown(async () => {
    host.finishDoses();
    await stop();
  });
  const http = server.url.replace("ws:", "http:");
  return {
    folder,
    clock,
    lines,
    troubles,
    tokens,
    host,
    server,
    token,
    stop,
    http,
    base: new URL(http).origin,
  };
}

function freshFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "tendril-server-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Rig = Awaited<ReturnType<typeof serverRig>>;

/** What a client needs of a server. */
export interface Served {
  readonly server: { readonly url: string };
  readonly http: string;
  readonly token: string;
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** A raw WebSocket, open. */
export function openSocket(
  rig: Rig,
  options: ClientOptions = {},
  protocol: string[] = ["mcp"],
): Promise<WebSocket> {
  const socket = dial(rig, options, protocol);
  return new Promise((resolve, reject) => socket.once("open", () => resolve(socket)).once("error", reject));
}

const dial = ({ server, token }: Served, options: ClientOptions, protocol: string[]): WebSocket =>
  new WebSocket(server.url, protocol, { headers: bearer(token), allowSynchronousEvents: false, ...options });

/** How the server answers an upgrade that it refuses. */
export function refusedUpgrade(
  rig: Rig,
  options: ClientOptions,
  path = "/mcp",
): Promise<{ status: number; body: Body }> {
  const socket = new WebSocket(rig.server.url.replace("/mcp", path), ["mcp"], options);
  return new Promise((resolve, reject) => {
    socket.once("open", () => reject(new Error("the upgrade was accepted")));
    socket.once("unexpected-response", async (_request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(String(Buffer.concat(chunks))) as Body });
    });
  });
}

export interface Body {
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

export const nextMessage = (socket: WebSocket): Promise<Record<string, unknown>> =>
  new Promise((resolve) => socket.once("message", (data) => resolve(JSON.parse(String(data)))));

export const closeOf = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => socket.once("close", (code, reason) => resolve({ code, reason: String(reason) })));

/** The least a client needs to speak MCP over `ws`. */
export class WsClientTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  readonly socket: WebSocket;

  constructor(rig: Served) {
    this.socket = dial(rig, {}, ["mcp"]);
  }

  start(): Promise<void> {
    this.socket.on("message", (data) => this.onmessage?.(JSON.parse(String(data)) as JSONRPCMessage));
    this.socket.on("close", () => this.onclose?.());
    return new Promise((resolve, reject) => this.socket.once("open", () => resolve()).once("error", reject));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.socket.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.socket.close();
  }
}

export const ERAS = ["2025", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];
export const WAYS = ["ws", "http"] as const;
export type Way = (typeof WAYS)[number];

/** A v2 SDK client, connected in the given era. */
export async function sdkClient(t: Test, rig: Served, way: Way, era: Era): Promise<Client> {
  const mode = era === "2025" ? "legacy" : { pin: era };
  const client = new Client({ name: "fixture", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: bearer(rig.token) };
  const transport =
    way === "ws"
      ? new WsClientTransport(rig)
      : new StreamableHTTPClientTransport(new URL(rig.http), { requestInit });
  await client.connect(transport as Transport);
  t.teardown(() => client.close());
  return client;
}
