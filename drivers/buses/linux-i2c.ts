import type { PromisifiedBus } from "i2c-bus";
import { DriverError } from "../errors.js";
import { Mutex } from "../mutex.js";
import { assertTransferable, type Clock, type I2cBus } from "../ports.js";
import { hasCode } from "../system-error.js";
import { hex, millis } from "../units.js";

/**
 * The kernel gives a transfer up after a second where its driver sets no other limit (i2c_register_adapter: HZ; so
 * i2c-bcm2835), and again where it retries. Half a second more, so that the kernel can speak first (a choice).
 */
export const TRANSFER_TIMEOUT = millis(1500);

/**
 * Nobody acknowledged: ENXIO by Documentation/i2c/fault-codes; EREMOTEIO by i2c-bcm2835 and i2c-designware, EIO and (i2c-stub)
 * ENODEV by others.
 */
const NACK = ["ENXIO", "EREMOTEIO", "EIO", "ENODEV"];
/** By open(2): no such file; no such adapter behind it. */
const NO_BUS = ["ENOENT", "ENODEV", "ENXIO"];
const NOT_ALLOWED = ["EACCES", "EPERM"];

/** The bus on GPIO 2 and 3, on the header of every Pi. */
export const HEADER_BUS = 1;

interface LinuxI2cOptions {
  readonly clock: Pick<Clock, "after">;
  /** In place of the package `i2c-bus`. */
  readonly openBus?: OpenBus;
  /** In place of those that all buses of this process share. */
  readonly threads?: PoolThreads;
}

/**
 * Opens /dev/i2c-N. Rejects with PACKAGE_UNAVAILABLE, with BUS_MISSING where there is no such bus, with BUS_FORBIDDEN
 * where we may not use it.
 */
export async function openLinuxI2c(busNumber: number, options: LinuxI2cOptions): Promise<LinuxI2cBus> {
  const { clock, openBus = openWithPackage, threads = THREADS } = options;
  const bus = new LinuxI2cBus(busNumber, clock, openBus, threads);
  await bus.ask();
  return bus;
}

/**
 * An I²C bus of the kernel, one transfer at a time: each occupies one of libuv's four threads while it lasts, of which all
 * buses together hold two at most. One that hangs is given up, and until it comes back, every other is refused at once and
 * none is begun; then the bus is opened anew.
 */
class LinuxI2cBus implements I2cBus {
  readonly name: string;
  private bus: KernelBus | undefined;
  private readonly mutex = new Mutex();
  private hanging = false;

  constructor(
    private readonly busNumber: number,
    private readonly clock: Pick<Clock, "after">,
    private readonly openBus: OpenBus,
    private readonly threads: PoolThreads,
  ) {
    this.name = `i2c-${busNumber}`;
  }

  /** Asks the kernel what the bus can do, which opens it and touches no chip. */
  ask(): Promise<void> {
    return this.transfer("the bus itself", async (bus) => void (await bus.i2cFuncs()));
  }

  readWord(address: number, register: number): Promise<number> {
    return this.transfer(hex(address), (bus) => bus.readWord(address, register));
  }

  writeWord(address: number, register: number, word: number): Promise<void> {
    return this.transfer(hex(address), (bus) => bus.writeWord(address, register, word));
  }

  async write(address: number, bytes: readonly number[]): Promise<void> {
    assertTransferable(bytes.length);
    const buffer = Buffer.from(bytes);
    const { bytesWritten } = await this.transfer(hex(address), (bus) =>
      bus.i2cWrite(address, buffer.length, buffer),
    );
    this.assertWhole(address, bytesWritten, bytes.length);
  }

  async read(address: number, length: number): Promise<number[]> {
    assertTransferable(length);
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await this.transfer(hex(address), (bus) => bus.i2cRead(address, length, buffer));
    this.assertWhole(address, bytesRead, length);
    return [...buffer];
  }

  /** After the transfer that runs; does not wait for one that hangs. */
  close(): Promise<void> {
    return this.mutex.run(async () => {
      if (!this.hanging) await this.reopenNext();
    });
  }

  private transfer<T>(whom: string, act: (bus: KernelBus) => Promise<T>): Promise<T> {
    return this.mutex.run(() => this.attempt(whom, act));
  }

  private async attempt<T>(whom: string, act: (bus: KernelBus) => Promise<T>): Promise<T> {
    if (this.hanging) throw this.timedOut(whom, "was not started: an earlier transfer still hangs");
    const release = await this.thread(whom);
    try {
      this.bus ??= await this.openBus(this.busNumber);
      return await this.inTime(whom, act(this.bus), release);
    } catch (cause) {
      throw await this.explained(whom, cause);
    } finally {
      if (!this.hanging) release();
    }
  }

  private thread(whom: string): Promise<Release> {
    return this.threads.take().catch((cause: unknown) => {
      throw this.timedOut(whom, "was not started: transfers on other buses hang", cause);
    });
  }

  private inTime<T>(whom: string, running: Promise<T>, release: Release): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(TRANSFER_TIMEOUT, () => {
        this.recoverAfter(running, release);
        reject(this.timedOut(whom, `has not ended after ${TRANSFER_TIMEOUT} ms`));
      });
      running.then(resolve, reject).finally(cancel);
    });
  }

  private recoverAfter(running: Promise<unknown>, release: Release): void {
    this.hanging = true;
    const isBack = this.threads.hang();
    const recover = async () => {
      await this.reopenNext();
      this.hanging = false;
      isBack();
      release();
    };
    running.then(recover, recover);
  }

  /** Errors of the close are ignored: the descriptors are useless now, and the next transfer opens new ones. */
  private async reopenNext(): Promise<void> {
    const { bus } = this;
    this.bus = undefined;
    await bus?.close().catch(() => undefined);
  }

  /**
   * After anything but a silent chip or a slow bus the next transfer opens the bus anew: i2c-bus keeps a descriptor
   * whose address the kernel has refused (EBUSY), and would go on with it to no address at all.
   */
  private async explained(whom: string, cause: unknown): Promise<DriverError> {
    if (cause instanceof DriverError) return cause;
    const at = `${whom} on ${this.name}`;
    if (isOpening(cause)) return this.notOpened(cause);
    if (hasAny(cause, NACK)) return new DriverError("BUS_NACK", `nothing answers at ${at}`, { cause });
    if (hasCode(cause, "ETIMEDOUT")) return this.timedOut(whom, "was given up by the kernel", cause);
    await this.reopenNext();
    return new DriverError("BUS_FAILED", `the transfer with ${at} failed (${reasonOf(cause)})`, { cause });
  }

  private async notOpened(cause: unknown): Promise<DriverError> {
    await this.reopenNext();
    const file = `/dev/${this.name}`;
    if (hasAny(cause, NO_BUS)) return new DriverError("BUS_MISSING", `there is no ${file}`, { cause });
    if (hasAny(cause, NOT_ALLOWED)) {
      const what = `no permission for ${file}, which belongs to the group i2c`;
      return new DriverError("BUS_FORBIDDEN", what, { cause });
    }
    return new DriverError("BUS_FAILED", `${file} cannot be opened (${reasonOf(cause)})`, { cause });
  }

  private timedOut(whom: string, how: string, cause?: unknown): DriverError {
    return new DriverError("BUS_TIMEOUT", `the transfer with ${whom} on ${this.name} ${how}`, { cause });
  }

  private assertWhole(address: number, moved: number, wanted: number): void {
    if (moved === wanted) return;
    const what = `${hex(address)} on ${this.name} moved ${moved} of ${wanted} bytes`;
    throw new DriverError("BUS_FAILED", what);
  }
}

const hasAny = (error: unknown, codes: readonly string[]): boolean =>
  codes.some((code) => hasCode(error, code));

/** i2c-bus opens the device at the first transfer with an address: Node then names the system call. */
const isOpening = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && error.syscall === "open";

/** "EBUSY", or what the error says of itself. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause ? String(cause.code) : cause.message;
};

/** Returns a thread to the pool. */
type Release = () => void;

interface Waiting {
  resolve(release: Release): void;
  reject(error: unknown): void;
}

/** No thread can become free: all of them hold work that hangs. */
class AllThreadsHang extends Error {}

/**
 * Limits how many of libuv's threads one kind of work holds at a time. Node has four for all files, for SQLite and for I2C
 * [nodejs.org/api/cli.html, UV_THREADPOOL_SIZE]; work that hangs in the kernel keeps its thread until it is back.
 */
export class PoolThreads {
  private free: number;
  private readonly waiting: Waiting[] = [];
  private hanging = 0;

  constructor(private readonly most: number) {
    this.free = most;
  }

  /** Resolves once a thread is free. Rejects with AllThreadsHang while all of them hang. */
  take(): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (this.hanging === this.most) return reject(new AllThreadsHang());
      this.waiting.push({ resolve, reject });
      this.serve();
    });
  }

  /** Call it when the work on a thread hangs; call what it returns when that work is back. */
  hang(): () => void {
    this.hanging += 1;
    if (this.hanging === this.most)
      for (const { reject } of this.waiting.splice(0)) reject(new AllThreadsHang());
    return () => {
      this.hanging -= 1;
    };
  }

  private serve(): void {
    while (this.free > 0) {
      const next = this.waiting.shift();
      if (!next) return;
      this.free -= 1;
      next.resolve(() => {
        this.free += 1;
        this.serve();
      });
    }
  }
}

/**
 * Of libuv's four: SQLite's connection holds one more at most (runtime/store/database.ts), so one is left for the ledger's
 * file whatever hangs. Two, so that one bus that hangs does not take another with it.
 */
const THREADS = new PoolThreads(2);

/** A bus as the package `i2c-bus` gives it. */
export type KernelBus = PromisifiedBus;
/** Opens /dev/i2c-N. The package does so at the first transfer: what is wrong with it shows then. */
type OpenBus = (busNumber: number) => Promise<KernelBus>;

/**
 * Opens a bus with the package `i2c-bus`, which is loaded only now: it is compiled where it is installed, and the bench
 * does without. Rejects with PACKAGE_UNAVAILABLE.
 */
export async function openWithPackage(
  busNumber: number,
  load: () => Promise<typeof import("i2c-bus")> = () => import("i2c-bus"),
): Promise<KernelBus> {
  const { default: package_ } = await load().catch((cause: unknown) => {
    const what = "the optional package i2c-bus is not installed, or its native part was not built";
    throw new DriverError("PACKAGE_UNAVAILABLE", what, { cause });
  });
  return package_.openPromisified(busNumber);
}
