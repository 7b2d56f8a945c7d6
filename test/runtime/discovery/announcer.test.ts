import fc from "fast-check";
import t from "tap";
import { millis, seconds } from "../../../drivers/units.js";
import { readMessage, writeResponse } from "../../../runtime/wire/dns-message.js";
import { ALL_SERVICES, SERVICE } from "../../../runtime/wire/mdns-record.js";
import { query, runtimeOn, Segment, type Sent, WHO } from "./segment.js";

const A = { address: "192.168.1.20", target: "tendril-aaaaaaaa.local" };
const B = { address: "192.168.1.21", target: "tendril-bbbbbbbb.local" };
const ASKER = { address: "192.168.1.9", port: 5353 };
const NAME = `Tendril on raspberrypi.${SERVICE}`;

const kinds = ({ message }: Sent) => message.answers.map(({ type }) => type);
const ttls = ({ message }: Sent) => message.answers.map(({ ttl }) => ttl);

async function announced(options = A) {
  const segment = new Segment();
  const runtime = runtimeOn(segment, options);
  await segment.clock.advance(seconds(10));
  return { segment, ...runtime };
}

t.test("a runtime asks three times whether its name is free, then tells of itself three times", async (t) => {
  const { segment, told } = await announced();
  const times = segment.sent.map(({ at, message }) => [at, message.isResponse]);
  t.same(times, [
    [0, false],
    [250, false],
    [500, false],
    [750, true],
    [1750, true],
    [3750, true],
  ]);
  t.match(segment.sent[0]?.message, { questions: [{ name: NAME, type: "ANY" }], authorities: [{}, {}] });
  t.same(told, ['announced on the network as "Tendril on raspberrypi"']);
});

t.test("what it tells is its name, port, path and address, and nothing of plants or people", async (t) => {
  const { segment } = await announced();
  const { answers = [] } = segment.responses()[0]?.message ?? {};
  t.same(
    answers.map(({ name, type, ttl }) => [name, type, ttl]),
    [
      [SERVICE, "PTR", 4500],
      [NAME, "SRV", 120],
      [NAME, "TXT", 4500],
      [A.target, "A", 120],
      [ALL_SERVICES, "PTR", 4500],
    ],
  );
  t.equal(answers[2]?.rdata.toString("latin1"), "\x09txtvers=1\x09path=/mcp\x05tls=0");
  t.same([...(answers[3]?.rdata ?? [])], [192, 168, 1, 20]);
});

t.test("who asks for runtimes gets all that is needed to call it in one answer", async (t) => {
  const { segment } = await announced();
  segment.send(query(WHO), ASKER);
  await segment.clock.advance(seconds(1));
  const [answer, ...more] = segment.responses(10_000);
  t.same(more, []);
  t.equal(answer?.at, 10_021, "20 ms after it was heard: others may have an answer too");
  t.same(
    answer?.message.answers.map(({ type }) => type),
    ["PTR"],
  );
  t.same(
    answer?.message.additionals.map(({ type }) => type),
    ["SRV", "A", "TXT"],
  );
});

t.test("who asks for what it alone knows gets it at once, whatever the case of the letters", async (t) => {
  const { segment } = await announced();
  segment.send(query({ questions: [{ name: NAME.toUpperCase(), type: "SRV" }] }), ASKER);
  await segment.clock.advance(seconds(1));
  t.match(segment.responses(10_000), [{ at: 10_001 }]);
  t.same(segment.responses(10_000).map(kinds), [["SRV"]]);
});

t.test("who knows already is not told again, and nobody within a second", async (t) => {
  const { segment } = await announced();
  const known = [{ name: SERVICE, type: "PTR", ttl: 4000, data: NAME }];
  segment.send(query({ ...WHO, answers: known }), ASKER);
  await segment.clock.advance(seconds(1));
  t.same(segment.responses(10_000), []);
  for (let asked = 0; asked < 20; asked += 1) {
    segment.send(query(WHO), ASKER);
    await segment.clock.advance(millis(100));
  }
  t.equal(segment.responses(10_000).length, 2);
});

t.test("questions for other services are not answered", async (t) => {
  const { segment } = await announced();
  for (const name of ["_http._tcp.local", "raspberrypi.local", "", "tendril._tcp.local"])
    segment.send(query({ questions: [{ name, type: "ANY" }] }), ASKER);
  await segment.clock.advance(seconds(1));
  t.same(segment.responses(10_000), []);
});

t.test("a program that asks from a port of its own is answered there, with its number", async (t) => {
  const { segment } = await announced();
  segment.send(query({ id: 77, ...WHO }), { address: "192.168.1.9", port: 40_000 });
  await segment.clock.advance(seconds(1));
  const [answer] = segment.sent.filter(({ to }) => to !== undefined);
  t.match(answer, { to: { port: 40_000 }, message: { id: 77, questions: [{ name: SERVICE }] } });
  t.ok(answer?.message.additionals.every(({ ttl }) => ttl <= 10));
  t.same(segment.responses(10_000), []);
});

t.test("a runtime that stops says goodbye once, and then is silent", async (t) => {
  const { segment, announcer } = await announced();
  await announcer.stop();
  segment.send(query(WHO), ASKER);
  await segment.clock.advance(seconds(60));
  t.same(segment.responses(10_000).map(ttls), [[0, 0, 0, 0]]);
});

t.test("one that stops before it has told of itself says nothing", async (t) => {
  const segment = new Segment();
  const { announcer } = runtimeOn(segment, A);
  await segment.clock.advance(millis(400));
  await announcer.stop();
  await segment.clock.advance(seconds(60));
  t.same(segment.responses(), []);
});

t.test("a newcomer gives way to a runtime of its name, and takes nothing from it", async (t) => {
  const { segment } = await announced();
  const { told } = runtimeOn(segment, B);
  await segment.clock.advance(seconds(10));
  t.same(told, ['announced on the network as "Tendril on raspberrypi (2)"']);
  t.notOk(segment.responses().some((sent) => ttls(sent).includes(0)));
  segment.send(query(WHO), ASKER);
  const asked = segment.clock.monotonic();
  await segment.clock.advance(seconds(1));
  t.same(
    segment
      .responses(asked)
      .map(({ from }) => from)
      .sort(),
    [A.address, B.address],
  );
});

t.test("of two that start at the same moment with one name, each ends up with one of its own", async (t) => {
  const segment = new Segment();
  const [one, other] = [runtimeOn(segment, A), runtimeOn(segment, B)];
  await segment.clock.advance(seconds(20));
  t.same(
    [...one.told, ...other.told].sort(),
    [" (2)", ""].map((tail) => `announced on the network as "Tendril on raspberrypi${tail}"`),
  );
});

t.test("two that were announced apart and then meet do not keep one name", async (t) => {
  const [one, other] = [new Segment(), new Segment()];
  const [first, second] = [runtimeOn(one, A), runtimeOn(other, B)];
  await one.clock.advance(seconds(10));
  await other.clock.advance(seconds(10));
  const [kept] = other.responses();
  one.send(kept?.bytes ?? Buffer.alloc(0), { ...ASKER, address: B.address });
  await one.clock.advance(millis(5));
  t.match(one.sent.at(-1)?.message, { isResponse: false, questions: [{ name: NAME }] }, "it asks anew");
  one.send(kept?.bytes ?? Buffer.alloc(0), { ...ASKER, address: B.address });
  await one.clock.advance(seconds(10));
  t.same(
    [first.told.at(-1), second.told.at(-1)],
    [
      'announced on the network as "Tendril on raspberrypi (2)"',
      'announced on the network as "Tendril on raspberrypi"',
    ],
  );
});

t.test("a network that comes late, and an address that changes, are told of", async (t) => {
  const segment = new Segment();
  const { host, told } = runtimeOn(segment, { target: A.target });
  await segment.clock.advance(seconds(30));
  t.same([segment.sent, told], [[], ["not announced: there is no network yet"]]);
  for (const address of ["192.168.1.20", "192.168.1.77"]) {
    const since = segment.clock.monotonic();
    host.plugIn(address);
    await segment.clock.advance(seconds(10));
    const last = segment
      .responses(since)
      .at(-1)
      ?.message.answers.find(({ type }) => type === "A");
    t.equal([...(last?.rdata ?? [])].join("."), address);
  }
});

t.test("its own words that come back to it, as through a repeater, are no rival's", async (t) => {
  const { segment, told } = await announced();
  for (const { bytes } of [...segment.sent]) segment.send(bytes, { ...ASKER, address: A.address });
  await segment.clock.advance(seconds(10));
  t.equal(told.length, 1);
});

t.test("whatever anybody sends, it neither throws nor ceases to answer", async (t) => {
  const { segment } = await announced();
  const [real] = segment.responses();
  const spoiled = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }).map((changes) => {
    const bytes = Buffer.from(real?.bytes ?? []);
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    return bytes;
  });
  const any = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(spoiled, any), async (bytes) => {
      segment.send(bytes, ASKER);
      await segment.clock.advance(millis(20));
    }),
    { numRuns: 300, seed: 6762 },
  );
  await segment.clock.advance(seconds(30));
  const asked = segment.clock.monotonic();
  segment.send(query(WHO), ASKER);
  await segment.clock.advance(seconds(1));
  t.equal(segment.responses(asked).length, 1);
});

t.test("one packet with thousands of questions gets no answer, a hundred of them one", async (t) => {
  const { segment } = await announced();
  const [question] = WHO.questions;
  for (const [count, answers] of [
    [2000, 0],
    [100, 1],
  ] as const) {
    const asked = segment.clock.monotonic();
    segment.send(query({ questions: Array.from({ length: count }, () => question) }), ASKER);
    await segment.clock.advance(seconds(5));
    t.equal(segment.responses(asked).length, answers, `${count} questions`);
  }
});

t.test("who claims every name it tries makes it slow, not busy", async (t) => {
  const { segment } = await announced();
  const claim = (name: string) =>
    writeResponse({
      answers: [{ name, ttl: 120, type: "SRV", data: { port: 1, target: "thief.local" } }],
    });
  const since = segment.clock.monotonic();
  for (let heard = segment.sent.length, ticks = 0; ticks < 6000; ticks += 1) {
    for (const { message } of segment.sent.slice(heard)) {
      const [probed] = message.isResponse ? [] : message.questions;
      if (probed) segment.send(claim(probed.name), ASKER);
    }
    if (ticks === 0) segment.send(claim(NAME), ASKER);
    heard = segment.sent.length;
    await segment.clock.advance(millis(10));
  }
  const probes = segment.sent.filter(({ at, message }) => at > since && !message.isResponse).length;
  t.ok(probes < 15 + 60, `${probes} messages in a minute`);
});

t.test("messages are read as they were written", async (t) => {
  const written = writeResponse({
    answers: [{ name: NAME, ttl: 120, flush: true, type: "SRV", data: { port: 8731, target: A.target } }],
  });
  t.match(readMessage(written), {
    id: 0,
    isResponse: true,
    answers: [{ name: NAME, type: "SRV", ttl: 120 }],
  });
});
