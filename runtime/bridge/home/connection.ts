import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { exponentialBackoff } from "../../wire/backoff.js";
import { JobFailure } from "../adapter.js";
import { HomeSocket, type SocketOptions, TokenRefused } from "./socket.js";

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
export class Connection {
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
