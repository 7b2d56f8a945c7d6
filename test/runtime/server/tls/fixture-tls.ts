import { once } from "node:events";
import { request } from "node:https";
import { type Socket, connect as tcp } from "node:net";
import { text } from "node:stream/consumers";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import type { Test } from "tap";
import { WebSocket } from "ws";
import { hours, minutes } from "../../../../drivers/units.js";
import type { Material } from "../../../../runtime/server/tls/material.js";
import { ownMaterial } from "../../../../runtime/server/tls/material.js";
import { pinOf } from "../../../../runtime/wire/proof.js";
import { authority, signedBy, type Wanted } from "../../../certificates.js";
import { bearer, type Rig, type RigOptions, serverRig } from "../fixture-rig.js";

/** In whose name the rigs' certificates are signed. */
export const BY = authority();
export const CA = BY.certificate.toString();

/** What an owner's files hold; a test changes `now`. */
export class OwnersFiles {
  now: Material | Error;

  constructor(wanted: Partial<Wanted> = {}) {
    this.now = materialOf(wanted);
  }

  read = async (): Promise<Material> => {
    if (this.now instanceof Error) throw this.now;
    return this.now;
  };
}

export function materialOf(wanted: Partial<Wanted> = {}): Material {
  const signed = signedBy({ by: BY, ...wanted });
  return { ...signed, pin: pinOf(signed.leaf) };
}

export async function tlsRig(t: Test, files = new OwnersFiles(), options: RigOptions = {}) {
  const limits = { heartbeat: hours(1), ...options.limits }; // these tests move the clock by minutes at once
  const rig = await serverRig(t, { ...options, limits, material: files.read });
  return { ...rig, files, portNow: () => rig.server.tls()?.port ?? 0 };
}

export type TlsRig = Awaited<ReturnType<typeof tlsRig>>;

/** With a key of its own, as a runtime makes it where the owner brings none. */
export const ownKeyRig = (t: Test) => {
  const state = t.testdir();
  return serverRig(t, { material: () => ownMaterial(state, ["localhost", "127.0.0.1"]) });
};

/** Lets the listener look at its files once more, and come to an end with it. */
export async function look(rig: Rig): Promise<void> {
  await rig.clock.advance(minutes(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A handshake as a client of that authority makes it. Rejects where the certificate does not hold. */
export async function shake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, ca: CA, ...options });
  await once(socket, "secureConnect");
  return socket;
}

/** A connection on which nothing is said. */
export async function silent(port: number) {
  const socket = tcp(port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Also by a reset. */
export const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.resume().once("close", () => resolve()));

export interface Said {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export function askTls(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = "",
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers, ca: CA, agent: false };
    const sent = request({ ...options, rejectUnauthorized: false }, async (response) =>
      resolve({ status: response.statusCode, headers: response.headers, body: await text(response) }),
    );
    sent.once("error", reject).end(body);
  });
}

export async function openSecurely(rig: TlsRig): Promise<WebSocket> {
  const socket = new WebSocket(`wss://127.0.0.1:${rig.portNow()}/mcp`, ["mcp"], {
    ca: CA,
    headers: bearer(rig.token),
  });
  await once(socket, "open");
  return socket;
}
