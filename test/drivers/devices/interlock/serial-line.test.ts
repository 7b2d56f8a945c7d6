import { SerialPortMock } from "serialport";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { loadSerialPort, openSerialLine } from "../../../../drivers/devices/interlock/serial-line.js";
import { seconds } from "../../../../drivers/units.js";

const PATH = "/dev/ttyTEST";

/** A line over the package's own stream, with its binding to nothing at the other end. */
async function opened(t: Test) {
  SerialPortMock.binding.reset();
  SerialPortMock.binding.createPort(PATH, { record: true });
  const made: SerialPortMock[] = [];
  const clock = new SimulatedClock();
  const line = await openSerialLine(PATH, clock, (options) => {
    const port = new SerialPortMock(options);
    made.push(port);
    return port;
  });
  t.teardown(() => line.close());
  const latest = () => {
    const port = made.at(-1);
    if (!port) throw new Error("no port was made");
    return port;
  };
  return { line, port: latest(), latest, made, clock };
}

const heardBy = (line: { onData(listener: (bytes: Uint8Array) => void): void }): string[] => {
  const heard: string[] = [];
  line.onData((bytes) => heard.push(Buffer.from(bytes).toString("latin1")));
  return heard;
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const turns = async () => {
  for (let n = 0; n < 10; n++) await turn();
};

t.test("bytes go both ways, at the protocol's 38400 baud", async (t) => {
  const { line, port } = await opened(t);
  const heard = heardBy(line);
  line.write(Buffer.from(":QAB24\n"));
  port.port?.emitData(":S00");
  await turns();
  t.equal(port.baudRate, 38_400);
  t.equal(port.port?.recording.toString(), ":QAB24\n");
  t.same(heard, [":S00"]);
});

t.test("a line that goes away is opened again, and nothing said meanwhile is sent late", async (t) => {
  const { line, port, latest, clock } = await opened(t);
  const heard = heardBy(line);
  port.close();
  await turns();
  line.write(Buffer.from("lost"));
  await clock.advance(seconds(2));
  await turns();
  t.equal(latest().isOpen, true);
  line.write(Buffer.from("new"));
  latest().port?.emitData("back");
  await turns();
  t.equal(latest().port?.recording.toString(), "new");
  t.same(heard, ["back"]);
});

/** What becomes of each write from now on. */
const writesEnd = (port: SerialPortMock, how: () => Promise<void>) => {
  if (port.port) port.port.write = how;
};

t.test(
  "a line that goes away amid a write, as an adapter that is pulled out does, speaks and hears again",
  async (t) => {
    const { line, port, latest, made, clock } = await opened(t);
    const heard = heardBy(line);
    await turns();
    writesEnd(port, () => Promise.reject(new Error("EIO: i/o error, write")));
    line.write(Buffer.from("lost"));
    await turns();
    t.equal(port.isOpen, false);
    await clock.advance(seconds(10));
    await turns();
    line.write(Buffer.from("new"));
    latest().port?.emitData("back");
    await turns();
    t.equal(latest().port?.recording.toString(), "new");
    t.same(heard, ["back"]);
    t.equal(made.length, 2, "and it is opened again once");
  },
);

t.test("what was said last is sent before a line is closed, also behind another line", async (t) => {
  const { line, port } = await opened(t);
  const wire = port.port;
  line.write(Buffer.from("beat"));
  line.write(Buffer.from("off"));
  await line.close();
  t.equal(wire?.recording.toString(), "beatoff");
});

t.test("a line that takes nothing is not fed for ever, nor waited for", async (t) => {
  const { line, port, clock } = await opened(t);
  writesEnd(port, () => new Promise(() => undefined));
  for (let n = 0; n < 1000; n++) line.write(Buffer.from(":QAB24\n"));
  t.ok(port.writableLength < 300, `${port.writableLength} bytes wait`);
  const closing = line.close();
  await clock.advance(seconds(1));
  await closing;
  t.equal(port.isOpen, false);
});

t.test("a line that was closed on purpose stays closed", async (t) => {
  const { line, port, clock } = await opened(t);
  await line.close();
  await clock.advance(seconds(10));
  await turns();
  t.equal(port.isOpen, false);
});

t.test("a line that is not there is INTERLOCK_PORT, with its name", async (t) => {
  SerialPortMock.binding.reset();
  const opening = openSerialLine(PATH, new SimulatedClock(), (options) => new SerialPortMock(options));
  await t.rejects(opening, { code: "INTERLOCK_PORT", message: /\/dev\/ttyTEST/ });
});

t.test("without the package it is PACKAGE_UNAVAILABLE", async (t) => {
  const loading = loadSerialPort(() => Promise.reject(new Error("Cannot find package 'serialport'")));
  await t.rejects(loading, { code: "PACKAGE_UNAVAILABLE", message: /serialport/ });
});
