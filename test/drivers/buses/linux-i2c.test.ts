import t from "tap";
import {
  type KernelBus,
  openLinuxI2c,
  openWithPackage,
  PoolThreads,
  TRANSFER_TIMEOUT,
} from "../../../drivers/buses/linux-i2c.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { i2cBusContract } from "../i2c-bus-contract.js";

/** As Node and i2c-bus report what the kernel says. */
const errno = (code: string, syscall = "readWord") =>
  Object.assign(new Error(`${code}: , ${syscall}`), { code, syscall });

/** Shaped as a bus of the package i2c-bus, with one chip of four word registers at 0x48; every call can be made to fail or hang. */
class ScriptedBus implements KernelBus {
  readonly calls: string[] = [];
  closed = false;
  /** What the next calls do instead: an error, or a promise that they wait for. */
  readonly script: (Error | Promise<void>)[] = [];
  private readonly registers = [0, 0, 0, 0];
  private pointer = 0;

  async i2cFuncs() {
    await this.act("i2cFuncs", 0x48);
    return {};
  }
  async readWord(address: number, register: number) {
    await this.act("readWord", address);
    return this.registers[register] ?? 0;
  }
  async writeWord(address: number, register: number, word: number) {
    await this.act("writeWord", address);
    this.registers[register] = word;
  }
  async i2cRead(address: number, length: number, buffer: Buffer) {
    await this.act("i2cRead", address);
    buffer.writeUInt16LE(this.registers[this.pointer] ?? 0);
    return { bytesRead: Math.min(length, 2) };
  }
  async i2cWrite(address: number, length: number, buffer: Buffer) {
    await this.act("i2cWrite", address);
    this.pointer = buffer[0] ?? 0;
    if (length > 2) this.registers[this.pointer] = buffer.readUInt16LE(1);
    return { bytesWritten: length };
  }
  async close() {
    this.closed = true;
  }

  private async act(call: string, address: number): Promise<void> {
    this.calls.push(call);
    const next = this.script.shift();
    if (next instanceof Error) throw next;
    await next;
    if (address !== 0x48) throw errno("EREMOTEIO");
  }
}

async function rig() {
  const clock = new SimulatedClock();
  const opened: ScriptedBus[] = [];
  const openBus = async () => {
    const bus = new ScriptedBus();
    opened.push(bus);
    return bus;
  };
  const bus = await openLinuxI2c(1, { clock, openBus, threads: new PoolThreads(2) });
  const [first = new ScriptedBus()] = opened;
  return { clock, bus, opened, first };
}

/** Lets a transfer begin, and its time pass. */
async function timeOut(clock: SimulatedClock): Promise<void> {
  await clock.stand();
  await clock.advance(TRANSFER_TIMEOUT);
}

/** A promise to be settled from outside. */
function held() {
  let release = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

i2cBusContract(t, async () => {
  const { bus } = await rig();
  return { bus, chip: { address: 0x48, register: 2 }, absent: 0x49, plain: true };
});

t.test("what the kernel says becomes one of our codes, with address, bus and cause", async (t) => {
  for (const [code, ours] of [
    ["ENXIO", "BUS_NACK"],
    ["EREMOTEIO", "BUS_NACK"],
    ["EIO", "BUS_NACK"],
    ["ENODEV", "BUS_NACK"],
    ["ETIMEDOUT", "BUS_TIMEOUT"],
    ["EAGAIN", "BUS_FAILED"],
    ["EBUSY", "BUS_FAILED"],
    ["EOPNOTSUPP", "BUS_FAILED"],
  ] as const) {
    const { bus, first } = await rig();
    first.script.push(errno(code));
    const expected = { code: ours, cause: { code }, message: /0x48 on i2c-1/ };
    await t.rejects(bus.readWord(0x48, 0), expected, code);
    t.equal(await bus.readWord(0x48, 0), 0, `after ${code} the bus works again`);
  }
});

t.test("a bus that is not there, or not ours to use, is told when it is opened", async (t) => {
  const opening = (code: string) => {
    const bus = new ScriptedBus();
    bus.script.push(errno(code, "open"));
    return openLinuxI2c(7, { clock: new SimulatedClock(), openBus: async () => bus });
  };
  const missing = { code: "BUS_MISSING", message: /no \/dev\/i2c-7.*config\.txt/ };
  await t.rejects(opening("ENOENT"), missing);
  const forbidden = { code: "BUS_FORBIDDEN", message: /\/dev\/i2c-7.*group i2c/ };
  await t.rejects(opening("EACCES"), forbidden);
  await t.rejects(opening("EMFILE"), {
    code: "BUS_FAILED",
    message: /\/dev\/i2c-7 cannot be opened \(EMFILE/,
  });
});

t.test("a missing or unbuilt package is told in one sentence, and what is loaded is used", async (t) => {
  const unbuilt = () => Promise.reject(new Error("Could not locate the bindings file. Tried:\n → …"));
  const expected = { code: "PACKAGE_UNAVAILABLE", message: /i2c-bus is not installed.*npm rebuild/ };
  await t.rejects(openWithPackage(1, unbuilt), expected);
  const bus = new ScriptedBus();
  const load = async () => ({ default: { openPromisified: async () => bus } });
  t.equal(await openWithPackage(1, load), bus);
});

t.test("a transfer that hangs is given up after its time, and none is begun while it does", async (t) => {
  const { bus, clock, first } = await rig();
  const hang = held();
  first.script.push(hang.promise);
  const calls = first.calls.length;
  const hanging = t.rejects(bus.readWord(0x48, 0), {
    code: "BUS_TIMEOUT",
    message: /0x48 on i2c-1 has not ended after 1500 ms/,
  });
  const waiting = t.rejects(bus.readWord(0x48, 0), { code: "BUS_TIMEOUT", message: /not started/ });
  await timeOut(clock);
  await Promise.all([hanging, waiting]);
  await t.rejects(bus.write(0x48, [0]), { code: "BUS_TIMEOUT", message: /not started/ });
  t.equal(first.calls.length, calls + 1, "the bus saw the first alone");
  t.equal(first.closed, false, "and is not closed under it");
});

t.test("once the hanging transfer is back, the bus is closed, opened anew, and works", async (t) => {
  const { bus, clock, first, opened } = await rig();
  const hang = held();
  first.script.push(hang.promise);
  const hanging = t.rejects(bus.readWord(0x48, 0), { code: "BUS_TIMEOUT" });
  await timeOut(clock);
  await hanging;
  hang.release();
  await clock.stand();
  t.equal(first.closed, true);
  await bus.writeWord(0x48, 1, 0xabcd);
  t.equal(await bus.readWord(0x48, 1), 0xabcd);
  t.equal(opened.length, 2);
  t.same(opened[1]?.calls, ["writeWord", "readWord"]);
});

/** Some buses that share two threads. */
async function sharing(numbers: readonly number[]) {
  const clock = new SimulatedClock();
  const threads = new PoolThreads(2);
  const kernel = numbers.map(() => new ScriptedBus());
  const open = (each: ScriptedBus, at: number) =>
    openLinuxI2c(numbers[at] ?? 0, { clock, threads, openBus: async () => each });
  return { clock, kernel, buses: await Promise.all(kernel.map(open)) };
}

t.test(
  "all buses together hold two threads at most: others wait, and are refused once both hang",
  async (t) => {
    const { clock, kernel, buses } = await sharing([1, 3, 4, 5]);
    const hangs = [held(), held()];
    for (const [at, { promise }] of hangs.entries()) kernel[at]?.script.push(promise);
    const asked = buses.map((bus) => bus.readWord(0x48, 0).catch((error: Error) => error));
    await clock.stand();
    t.equal(kernel.filter(({ calls }) => calls.at(-1) === "readWord").length, 2, "the others have not begun");
    await clock.advance(TRANSFER_TIMEOUT);
    t.match(await Promise.all(asked), [
      { code: "BUS_TIMEOUT", message: /i2c-1 has not ended/ },
      { code: "BUS_TIMEOUT", message: /i2c-3 has not ended/ },
      { code: "BUS_TIMEOUT", message: /i2c-4 was not started: transfers on other buses hang/ },
      { code: "BUS_TIMEOUT", message: /i2c-5 was not started/ },
    ]);
    hangs[0]?.release();
    await clock.stand();
    for (const bus of [buses[0], buses[2], buses[3]]) t.equal(await bus?.readWord(0x48, 0), 0, "one is back");
    t.match(await buses[1]?.readWord(0x48, 0).catch((error: Error) => error), {
      message: /i2c-3 was not started/,
    });
  },
);

t.test("one bus that hangs takes no other with it", async (t) => {
  const { clock, kernel, buses } = await sharing([1, 3, 4]);
  kernel[0]?.script.push(held().promise);
  const hanging = buses[0]?.readWord(0x48, 0).catch(() => undefined);
  await timeOut(clock);
  await hanging;
  t.same(await Promise.all(buses.slice(1).map((bus) => bus.readWord(0x48, 0))), [0, 0]);
});

t.test("a transfer in time leaves no timer behind", async (t) => {
  const { bus, clock, first } = await rig();
  await bus.readWord(0x48, 0);
  await clock.advance(TRANSFER_TIMEOUT);
  await bus.readWord(0x48, 0);
  t.equal(first.closed, false);
});

t.test("an address that the kernel refuses is not written to through a descriptor without one", async (t) => {
  const { bus, first, opened } = await rig();
  first.script.push(errno("EBUSY"));
  await t.rejects(bus.readWord(0x48, 0), { code: "BUS_FAILED", message: /EBUSY/ });
  t.equal(first.closed, true, "i2c-bus would go on with the descriptor it has");
  await bus.readWord(0x48, 0);
  t.equal(opened.length, 2);
});

t.test("a chip that does not answer costs no new opening", async (t) => {
  const { bus, opened } = await rig();
  await t.rejects(bus.readWord(0x20, 0), { code: "BUS_NACK" });
  await bus.readWord(0x48, 0);
  t.equal(opened.length, 1);
});

t.test("fewer bytes than were asked for are no answer", async (t) => {
  const { bus } = await rig();
  await t.rejects(bus.read(0x48, 4), { code: "BUS_FAILED", message: /moved 2 of 4 bytes/ });
});

t.test("closing waits for the transfer that runs, and not for one that hangs", async (t) => {
  const { bus, clock, first } = await rig();
  const slow = held();
  first.script.push(slow.promise);
  const reading = bus.readWord(0x48, 0);
  let closed = false;
  const closing = bus.close().then(() => {
    closed = true;
  });
  await clock.stand();
  t.equal(closed, false);
  slow.release();
  await Promise.all([reading, closing]);
  t.equal(first.closed, true);

  const stuck = await rig();
  stuck.first.script.push(held().promise);
  const hanging = t.rejects(stuck.bus.readWord(0x48, 0), { code: "BUS_TIMEOUT" });
  await timeOut(stuck.clock);
  await hanging;
  await stuck.bus.close();
  t.equal(stuck.first.closed, false);
});
