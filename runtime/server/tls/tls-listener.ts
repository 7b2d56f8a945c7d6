import { createServer, type Server } from "node:https";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, minutes, seconds } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { Log } from "../../log.js";
import type { TlsAddress } from "../../wire/proof.js";
import { TLS_VERSION } from "../../wire/secure-socket.js";
import { type TlsProblem, type TlsTrouble, tlsTroubleWords } from "../../wire/tls-trouble.js";
import { TlsSockets } from "../connections.js";
import { type Handlers, httpOptions, listen, serveOn } from "../http-server.js";
import type { Limits } from "../limits.js";
import { expiryTrouble, type Material, TlsFailure } from "./material.js";

export interface TlsOptions {
  /** Address or name to bind. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Reads key and certificates again. Rejects with what is wrong with them. */
  readonly material: () => Promise<Material>;
  /** Called once for each trouble that a person must solve: a certificate that cannot be used, or not for long. */
  readonly onTrouble: (trouble: TlsTrouble) => void;
  /** Called when the last trouble is over. */
  readonly onWell?: () => void;
}

/** Sockets allowed for each WebSocket: itself, some for HTTP, a handshake. A choice; 128 in all by default. */
const SOCKETS_EACH = 4;
/** How often key and certificates are read again, and failures tried again. A choice: nobody waits for a renewal. */
const LOOK_EVERY: Millis = minutes(1);
/**
 * Longest wait of a start. A host name that nobody resolves takes half a minute [resolv.conf(5): two tries of 5 s for
 * each of up to three servers], and `tendril off` does not know the plain port before the start is over. A choice: a
 * slow card needs a second.
 */
const PATIENCE: Millis = seconds(2);

/**
 * The second port, for the network. Its troubles never stop the runtime or the plain port: it is tried again until it
 * works. A renewed certificate serves new connections; open ones stay.
 */
export class TlsListener {
  private server: Server | undefined;
  private sockets: TlsSockets | undefined;
  private material: Material | undefined;
  private bound = { address: "", port: 0 };
  /** Words of the trouble that the last look found, and of the one that was told; empty if all is well. */
  private found = "";
  private told = "";
  private cancel: Cancel = () => undefined;
  private closed = false;

  constructor(
    private readonly options: TlsOptions,
    private readonly handlers: Handlers,
    private readonly limits: Limits,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  get address(): TlsAddress | undefined {
    return this.server && this.material && { ...this.bound, pin: this.material.pin };
  }

  /** Never rejects, and does not delay a start for long: troubles are told, and the port may come up later. */
  async begin(): Promise<void> {
    const looked = this.lookFirst();
    let cancel: Cancel = () => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.clock.after(PATIENCE, () => {
        this.log("warn", "TLS is not up yet; the start does not wait for it");
        resolve();
      });
    });
    await Promise.race([looked, late]);
    cancel();
  }

  /** Accepts nothing new at once. After the goodbyes it cuts off the rest, also sockets in their handshake. */
  async close(goodbyes: Promise<unknown>): Promise<void> {
    this.closed = true;
    this.cancel();
    const { server } = this;
    if (!server) return;
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    await goodbyes;
    this.sockets?.destroyAll();
    await stopped;
  }

  private async lookFirst(): Promise<void> {
    const trouble = await this.look();
    if (!this.closed) this.tell(trouble);
    this.arm();
  }

  private arm(): void {
    if (!this.closed) this.cancel = this.clock.after(LOOK_EVERY, () => void this.lookAgain());
  }

  /** A renewal writes files one after the other, so a trouble counts only if the next look finds it too. */
  private async lookAgain(): Promise<void> {
    const trouble = await this.look();
    const words = wordsOf(trouble);
    if (words === this.found || words === "") this.tell(trouble);
    this.found = words;
    this.arm();
  }

  private async look(): Promise<TlsTrouble | undefined> {
    try {
      await this.serve(await this.options.material());
    } catch (error) {
      return { problem: problemOf(error), serves: this.server ? "earlier" : "nothing" };
    }
    const problem = this.material && expiryTrouble(this.material.leaf, this.clock);
    return problem && { problem, serves: "this" };
  }

  private async serve(fresh: Material): Promise<void> {
    if (this.closed) return;
    const { key, cert, pin } = fresh;
    if (!this.server) await this.open(fresh);
    else if (cert !== this.material?.cert || key !== this.material.key) {
      this.server.setSecureContext({ key, cert, minVersion: TLS_VERSION });
      this.log("info", "a renewed certificate serves from now on", { pin });
    }
    this.material = fresh;
  }

  private async open(material: Material): Promise<void> {
    const server = this.make(material);
    const sockets = new TlsSockets(server, SOCKETS_EACH * this.limits.maxConnections, this.clock);
    const { address, port } = await listen(
      server,
      this.options.host,
      this.options.port,
      "server.tls.port of the configuration",
    );
    this.bound = { address, port };
    server.on("error", (error) => this.log("warn", "tls", { error: error.message }));
    if (this.closed) return void server.close();
    this.sockets = sockets;
    this.server = server;
  }

  private make({ key, cert }: Material): Server {
    const { handshakeTimeout } = this.limits;
    const http = httpOptions(this.limits);
    const server = createServer({ key, cert, minVersion: TLS_VERSION, handshakeTimeout, ...http });
    server.on("tlsClientError", (error, socket) => {
      this.log("debug", "tls", { error: error.message });
      socket.destroy();
    });
    return serveOn(server, this.handlers);
  }

  private tell(trouble: TlsTrouble | undefined): void {
    const words = wordsOf(trouble);
    if (trouble && words !== this.told) this.options.onTrouble(trouble);
    if (!trouble && this.told !== "") {
      this.log("info", "TLS is well again");
      this.options.onWell?.();
    }
    this.told = words;
    this.found = words;
  }
}

const wordsOf = (trouble: TlsTrouble | undefined): string => (trouble ? tlsTroubleWords(trouble) : "");

function problemOf(error: unknown): TlsProblem {
  if (error instanceof TlsFailure) return error.problem;
  return { is: "other", reason: error instanceof TendrilError ? error.what : messageOf(error) };
}
