import type { SerialPort } from "serialport";
import { DriverError } from "../../errors.js";
import type { Cancel, Clock, SerialLine } from "../../ports.js";
import { millis, seconds } from "../../units.js";

/** firmware/PROTOCOL.md; 8 data bits, no parity, 1 stop bit are the package's defaults, and no flow control. */
const BAUD_RATE = 38_400;
/** A line that went away, as a USB adapter's does, is looked for again this often. */
const REOPEN = seconds(2);
/**
 * Bytes that may wait to be sent. A choice: a dozen lines, half a second of them; a line that takes no more than that is stuck,
 * and what is kept for it would grow for as long as it is.
 */
const BACKLOG = 256;
/** The last line, mostly "everything off", gets this long to be sent before the port is closed. A choice. */
const LAST_WORDS = millis(250);

type Port = Pick<SerialPort, "write" | "open" | "close" | "isOpen" | "writableLength"> & {
  on(event: "error" | "close", listener: () => void): unknown;
  on(event: "data", listener: (bytes: Uint8Array) => void): unknown;
};
type MakePort = (options: { path: string; baudRate: number; autoOpen: false }) => Port;

/**
 * The package `serialport`, loaded only where a line needs it: its addon is native. Rejects with PACKAGE_UNAVAILABLE.
 * @param load in place of the import, which takes the default: the names of CommonJS get lost in a bundle
 */
export async function loadSerialPort(
  load: () => Promise<{ readonly SerialPort: typeof SerialPort }> = async () =>
    (await import("serialport")).default,
): Promise<MakePort> {
  try {
    const { SerialPort } = await load();
    return (options) => new SerialPort(options);
  } catch (cause) {
    const what = "the optional package serialport is not installed, or has no native part for this machine";
    throw new DriverError("PACKAGE_UNAVAILABLE", what, { cause, facts: { part: "serialport" } });
  }
}

/** Opens a serial line of the system, and opens it again whenever it goes. Rejects with INTERLOCK_PORT, PACKAGE_UNAVAILABLE. */
export async function openSerialLine(path: string, clock: Clock, make?: MakePort): Promise<SerialLine> {
  const makePort = make ?? (await loadSerialPort());
  const line = new SystemSerialLine(
    path,
    () => makePort({ path, baudRate: BAUD_RATE, autoOpen: false }),
    clock,
  );
  await line.open();
  return line;
}

/** Each opening has a port of its own: one whose write has failed is destroyed, and neither reads nor writes any more. */
class SystemSerialLine implements SerialLine {
  private port: Port | undefined;
  private readonly listeners = new Set<(bytes: Uint8Array) => void>();
  private closing = false;
  private cancelReopen: Cancel = () => undefined;

  constructor(
    readonly name: string,
    private readonly makePort: () => Port,
    private readonly clock: Clock,
  ) {}

  async open(): Promise<void> {
    const cause = await this.tryOpen();
    if (!cause) return;
    const what = `the interlock's serial line ${this.name} cannot be opened (${cause.message})`;
    const facts = { part: this.name, reasons: [cause.message] };
    throw new DriverError("INTERLOCK_PORT", what, { cause, facts });
  }

  write(bytes: Uint8Array): void {
    // The package keeps what is written to a closed port for later: an old line is of no use
    if (this.port?.isOpen && this.port.writableLength < BACKLOG) this.port.write(Buffer.from(bytes));
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.listeners.add(listener);
  }

  async close(): Promise<void> {
    this.closing = true;
    this.cancelReopen();
    const { port } = this;
    if (port?.isOpen && port.writableLength > 0) await this.sentAll(port);
    if (port?.isOpen) await closed(port);
  }

  /** When a port is closed, the package drops what still waits. An empty write ends when all writes before it are sent. */
  private sentAll(port: Port): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(LAST_WORDS, resolve);
      port.write(Buffer.alloc(0), () => {
        cancel();
        resolve();
      });
    });
  }

  private async tryOpen(): Promise<Error | null> {
    const port = this.makePort();
    // Without a listener an error would end the process; what it breaks shows as an answer that does not come
    port.on("error", () => undefined);
    const error = await new Promise<Error | null>((resolve) => port.open((cause) => resolve(cause ?? null)));
    if (!error) await this.take(port);
    return error;
  }

  private async take(port: Port): Promise<void> {
    if (this.closing) return closed(port);
    this.port = port;
    port.on("close", () => this.lose(port));
    port.on("data", (bytes) => {
      for (const listener of this.listeners) listener(bytes);
    });
  }

  /** A port that was destroyed says so a second time. */
  private lose(port: Port): void {
    if (this.port !== port) return;
    this.port = undefined;
    this.reopenLater();
  }

  private reopenLater(): void {
    if (this.closing) return;
    this.cancelReopen = this.clock.after(REOPEN, () => {
      void this.tryOpen().then((error) => error && this.reopenLater());
    });
  }
}

const closed = (port: Port): Promise<void> => new Promise((resolve) => port.close(() => resolve()));
