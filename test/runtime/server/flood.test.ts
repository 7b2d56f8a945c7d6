import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import type { WebSocket } from "ws";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Pace } from "../../../runtime/server/turns.js";
import { RateLimit } from "../../../runtime/tools/rate-limit.js";
import { tokenOf } from "./fixture-host.js";
import { ask, callMcp, codeOf, READ } from "./fixture-http.js";
import { bearer, closeOf, nextMessage, openSocket, serverRig } from "./fixture-rig.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (n: number) => {
  for (let each = 0; each < n; each += 1) await turn();
};
const list = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "resources/list" });
const call = (id: number, name: string) => JSON.stringify({ ...READ, id, params: { name, arguments: {} } });

/** A host whose lists are answered when the test says so; how many were begun. */
function slowLists(host: Awaited<ReturnType<typeof serverRig>>["host"]) {
  const waiting: (() => void)[] = [];
  const begun = { lists: 0 };
  host.resources.list = async () => {
    begun.lists += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return [];
  };
  const answerAll = () => {
    for (const answer of waiting.splice(0)) answer();
  };
  return { begun, answerAll };
}

const answersOf = (socket: WebSocket): { id: number; error?: { code: number; data: { code: string } } }[] => {
  const answers: { id: number }[] = [];
  socket.on("message", (data) => answers.push(JSON.parse(String(data))));
  return answers;
};

t.test(
  "of one token no more than 32 requests run at once; the others wait and are all answered",
  async (t) => {
    const rig = await serverRig(t);
    const { begun, answerAll } = slowLists(rig.host);
    const sockets = [await openSocket(rig), await openSocket(rig)];
    const answers = sockets.map(answersOf);
    for (let id = 1; id <= 500; id += 1) for (const socket of sockets) socket.send(list(id));
    await turns(300);
    t.equal(begun.lists, 32);
    while (answers.flat().length < 1000) {
      answerAll();
      await turn();
    }
    t.equal(begun.lists, 1000);
    t.equal(new Set(answers[0]?.map(({ id }) => id)).size, 500);
  },
);

t.test("a token that floods keeps no other token waiting", async (t) => {
  const rig = await serverRig(t);
  slowLists(rig.host);
  const flooding = await openSocket(rig);
  for (let id = 1; id <= 5000; id += 1) flooding.send(list(id));
  const human = await openSocket(rig, { headers: bearer(await tokenOf(rig.folder, "human")) });
  const answer = nextMessage(human);
  human.send(JSON.stringify(READ));
  t.match(await answer, { id: 1, result: {} });
});

t.test("POST /off and stop_all overtake what waits, on the flooding connection too", async (t) => {
  const rig = await serverRig(t);
  const { begun } = slowLists(rig.host);
  const socket = await openSocket(rig);
  for (let id = 1; id <= 100; id += 1) socket.send(list(id));
  const called = rig.host.called();
  socket.send(call(101, "stop_all"));
  t.match(await called, { name: "stop_all" });
  t.ok(begun.lists <= 32, "the others still wait");
  t.match(await ask(rig, "POST", "/off"), { status: 200 });
});

t.test(
  "of thousands of requests that a connection sends at once 33 are looked at: offs among them are obeyed, none behind them",
  async (t) => {
    const rig = await serverRig(t);
    const healthz = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    const off = "POST /off HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    const socket = connect(Number(new URL(rig.http).port), "127.0.0.1").on("error", () => undefined);
    socket.write(healthz.repeat(20) + off.repeat(1500));
    await once(socket.resume(), "close");
    await turns(5);
    t.equal(rig.host.offs.length, 13);
    t.match(await ask(rig, "POST", "/off"), { status: 200 }, "a later connection is served");
    t.equal(rig.host.offs.length, 14);
  },
);

t.test(
  "a body that no route reads is not thrown away for as long as it comes: the connection ends",
  async (t) => {
    const rig = await serverRig(t);
    const piece = Buffer.alloc(65_536);
    for (const target of ["POST /off", "GET /healthz", "GET /nothing"]) {
      const socket = connect(Number(new URL(rig.http).port), "127.0.0.1").on("error", () => undefined);
      const closed = new Promise((resolve) => socket.resume().once("close", resolve));
      socket.write(`${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\n`);
      let pieces = 0; // the kernel takes some MB for a server that does not read
      for (; pieces < 1000 && !socket.destroyed; pieces += 1)
        if (!socket.write(piece))
          await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      socket.destroy();
      t.ok(pieces < 1000, target);
    }
    t.equal(rig.host.offs.length, 1);
  },
);

t.test("a connection that sends frames which are no message is closed after 32 answers", async (t) => {
  const rig = await serverRig(t);
  const no = (frame: string | Buffer, n: number) => Array.from({ length: n }, () => frame);
  for (const { frames, answered, code } of [
    { frames: no("x", 33), answered: 32, code: 1008 },
    { frames: [...no("x", 32), JSON.stringify(READ), ...no("x", 33)], answered: 65, code: 1008 },
    { frames: no("", 5000), answered: 32, code: undefined }, // it may be cut off before the peer reads why
    { frames: no(Buffer.alloc(0), 5000), answered: 0, code: undefined },
  ]) {
    const socket = await openSocket(rig);
    let answers = 0;
    socket
      .on("error", () => undefined)
      .on("message", () => {
        answers += 1;
      });
    const closed = closeOf(socket);
    for (const frame of frames) socket.send(frame);
    t.match(await closed, code === undefined ? {} : { code });
    t.ok(answers <= answered, `${answers} answers`);
  }
});

t.test(
  "frames of one connection leave room for others: a turn of the event loop reads once of each",
  async (t) => {
    const rig = await serverRig(t);
    const socket = await openSocket(rig);
    let pongs = 0;
    socket.on("pong", () => {
      pongs += 1;
    });
    for (let each = 0; each < 20_000; each += 1) socket.ping("p");
    t.match(await ask(rig, "POST", "/off"), { status: 200 });
    const last = once(socket, "message");
    socket.send(JSON.stringify(READ));
    await last;
    t.ok(pongs > 0 && pongs < 1000, `${pongs} pongs`);
  },
);

t.test("an answer does not wait for requests that cannot begin yet", async (t) => {
  const rig = await serverRig(t);
  const { begun } = slowLists(rig.host);
  const socket = await openSocket(rig);
  for (let id = 1; id <= 100; id += 1) socket.send(list(id));
  await turns(300);
  t.equal(begun.lists, 32);
  const answer = nextMessage(socket);
  socket.send(call(101, "stop_all"));
  t.match(await answer, { id: 101, result: {} });
});

t.test("a request that is cancelled while it waits is never begun", async (t) => {
  const rig = await serverRig(t);
  const { answerAll } = slowLists(rig.host);
  const socket = await openSocket(rig);
  for (let id = 1; id <= 32; id += 1) socket.send(list(id));
  socket.send(call(33, "dispense_water"));
  socket.send(
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 33 } }),
  );
  const answer = answersOf(socket);
  socket.send(call(34, "read_moisture"));
  while (!answer.some(({ id }) => id === 34)) {
    answerAll();
    await turn();
  }
  t.same(rig.host.calls, []);
});

t.test(
  "every message counts by token, not only calls; what is too much is refused with RATE_LIMITED",
  async (t) => {
    const rig = await serverRig(t);
    Object.assign(rig.host, { meter: new RateLimit(1, new SimulatedClock()) });
    const sockets = [await openSocket(rig), await openSocket(rig)];
    const answers = sockets.map(answersOf);
    for (const socket of sockets) for (let id = 1; id <= 4; id += 1) socket.send(list(id));
    while (answers.flat().length < 8) await turn();
    const refused = answers.flat().filter(({ error }) => error !== undefined);
    t.equal(refused.length, 4, "a second's worth, times four, passes");
    t.match(refused, [{ error: { code: -32000, data: { code: "RATE_LIMITED", retry_after_s: 1 } } }]);
    const told = rig.lines.filter(({ message }) => message === "message refused");
    t.equal(told.length, 1, "the log tells of it once in ten seconds");
    const listed = await callMcp(rig, bearer(rig.token), list(9));
    t.equal(codeOf(listed), "RATE_LIMITED", "over HTTP too");
  },
);

t.test("the log names a refused method only if it looks like one: it can be a token", async (t) => {
  const rig = await serverRig(t);
  Object.assign(rig.host, { meter: new RateLimit(1, new SimulatedClock()) });
  const socket = await openSocket(rig);
  const answers = answersOf(socket);
  for (let id = 1; id <= 5; id += 1)
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: rig.token, params: {} }));
  while (answers.length < 5) await turn();
  t.match(
    rig.lines.filter(({ message }) => message === "message refused"),
    [{ text: /"method":"unknown method"/ }],
  );
  t.notMatch(JSON.stringify(rig.lines), rig.token);
});

t.test(
  "a dose that is read in the same turn of the event loop as an off came before it, whatever the order",
  async (t) => {
    const { stops } = (await serverRig(t)).host;
    const early = stops.beforeThisTurn;
    stops.add("pump basil");
    const late = stops.beforeThisTurn;
    t.ok(stops.hasBeen("pump basil", early));
    t.ok(stops.hasBeen("pump basil", late));
    await turn();
    t.notOk(stops.hasBeen("pump basil", stops.beforeThisTurn), "a dose of a later turn may flow");
  },
);

t.test(
  "a call carries the stops there had been when it was read, and nothing that its client wrote there",
  async (t) => {
    const rig = await serverRig(t);
    rig.host.stops.add("pump basil");
    await turn();
    const forged = { name: "write_plant_status", arguments: {}, _meta: { "tendril/stops-before": 99 } };
    const frame = JSON.stringify({ ...READ, params: forged });
    const socket = await openSocket(rig);
    for (const send of [() => socket.send(frame), () => void callMcp(rig, bearer(rig.token), frame)]) {
      const called = rig.host.called();
      send();
      t.equal((await called).stopsBefore, 1);
    }
  },
);

const silent = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  return socket;
};

t.test(
  "silent sockets keep nobody out: of too many the oldest gives way, and none that is served",
  async (t) => {
    const rig = await serverRig(t, { limits: { maxConnections: 2 } });
    const served = await openSocket(rig);
    const sockets: Socket[] = [];
    while (sockets.length < 24) sockets.push(await silent(rig.server.port));
    const [oldest, second] = sockets;
    const gone = once(oldest as Socket, "close");
    t.match(await ask(rig, "POST", "/off"), { status: 200 });
    await gone;
    t.notOk(second?.destroyed);
    const answer = nextMessage(served);
    served.send(JSON.stringify(READ));
    t.match(await answer, { result: {} });
    for (const socket of sockets) socket.destroy();
  },
);

t.test("a call that waits to be let in is not cut off by silent sockets, however many come", async (t) => {
  const rig = await serverRig(t, { limits: { maxConnections: 2 } });
  const { tokens } = rig;
  const identify = tokens.identify.bind(tokens);
  const gate = new EventEmitter();
  const asked = once(gate, "asked");
  tokens.identify = async (token) => {
    gate.emit("asked");
    await once(gate, "open");
    return identify(token);
  };
  const answer = callMcp(rig, bearer(rig.token));
  await asked;
  const sockets: Socket[] = [];
  while (sockets.length < 100) sockets.push(await silent(rig.server.port));
  gate.emit("open");
  t.match(await answer, { status: 200 });
  for (const socket of sockets) socket.destroy();
});

t.test(
  "slow bodies keep no other caller out, and of too many of one token the slowest is refused",
  async (t) => {
    const rig = await serverRig(t);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.token}\r\nContent-Length: 999\r\n\r\n`;
    const sockets: Socket[] = [];
    const first = await silent(rig.server.port);
    const refusal = once(first, "data");
    first.write(head);
    while (sockets.length < 40) {
      const socket = await silent(rig.server.port);
      socket.write(head);
      sockets.push(socket);
    }
    t.match(String((await refusal)[0]), /503.*RATE_LIMITED.*"retryable":true/s);
    const human = bearer(await tokenOf(rig.folder, "human"));
    t.match(await callMcp(rig, human), { status: 200 });
    t.match(await callMcp(rig, bearer(rig.token)), { status: 200 }, "also of the same token");
    for (const socket of sockets) socket.destroy();
  },
);

t.test("POST /off is carried out before requests that came earlier, on other connections", async (t) => {
  const { host, server } = await serverRig(t);
  const looked = { at: 0, atOff: Number.NaN };
  host.health = () => ({ at: ++looked.at });
  host.switchEverythingOff = async () => {
    looked.atOff = looked.at;
  };
  const sockets: Socket[] = [];
  while (sockets.length < 60) sockets.push(await silent(server.port));
  const off = sockets.pop() as Socket;
  const answer = once(off, "data");
  for (const socket of sockets) socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  off.write("POST /off HTTP/1.1\r\nHost: localhost\r\n\r\n");
  t.match(String((await answer)[0]), /200 OK/);
  t.ok(looked.atOff <= 16, `${looked.atOff} of 59 were looked at before`);
  for (const socket of sockets) socket.destroy();
});

t.test(
  "a connection that sends request after request without waiting for answers is cut off, and keeps nobody waiting",
  async (t) => {
    const rig = await serverRig(t);
    const socket = await silent(rig.server.port);
    const gone = once(socket, "close");
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000));
    t.match(await ask(rig, "POST", "/off"), { status: 200 });
    await gone;
    t.match(await callMcp(rig, bearer(rig.token)), { status: 200 });
  },
);

t.test("of a connection that leaves, no request is begun that waited behind another", async (t) => {
  const rig = await serverRig(t);
  const { begun, answerAll } = slowLists(rig.host);
  let looked = 0;
  rig.host.health = () => ({ looked: ++looked });
  const socket = await silent(rig.server.port);
  const head = `Host: localhost\r\nAuthorization: Bearer ${rig.token}\r\nContent-Length: ${list(1).length}\r\n`;
  const accept = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  socket.write(`POST /mcp HTTP/1.1\r\n${head}${accept}\r\n${list(1)}`);
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(10));
  while (begun.lists === 0) await turn();
  await turns(50);
  t.equal(looked, 0, "nor while the one before is being answered");
  socket.resetAndDestroy();
  await turns(50);
  answerAll();
  await turns(50);
  t.equal(looked, 0);
});

t.test("requests of one connection are answered one after the other, in their order", async (t) => {
  const rig = await serverRig(t);
  const socket = await silent(rig.server.port);
  const body = JSON.stringify(READ);
  const head = `Host: localhost\r\nAuthorization: Bearer ${rig.token}\r\n`;
  const accept = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  const post = `POST /mcp HTTP/1.1\r\n${head}${accept}Content-Length: ${body.length}\r\n\r\n`;
  socket.write(`${post}${body}`.repeat(3));
  socket.write(post);
  let answers = "";
  socket.on("data", (data) => {
    answers += String(data);
  });
  while (answers.split('"result"').length < 4) await turn();
  socket.write(body);
  while (answers.split('"result"').length < 5) await turn();
  t.equal(answers.split("HTTP/1.1 200").length, 5, "also the one whose body came later");
  socket.write("POST /off HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (rig.host.offs.length === 0) await turn();
  socket.destroy();
});

/** Live bytes, after a full collection. */
function liveBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const MB = 1_000_000;

t.test(
  "what a lost connection had waiting takes no memory, however long its token's turn takes",
  async (t) => {
    const rig = await serverRig(t);
    slowLists(rig.host);
    const busy = await openSocket(rig);
    for (let id = 1; id <= 32; id += 1) busy.send(list(id));
    await turns(100);
    const before = liveBytes();
    const long = JSON.stringify({
      ...READ,
      params: { ...READ.params, arguments: { text: "x".repeat(MB / 2) } },
    });
    for (let each = 0; each < 40; each += 1) {
      const socket = await openSocket(rig);
      socket.send(long);
      const posted = await silent(rig.server.port);
      posted.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rig.token}\r\nContent-Length: ${long.length}\r\n\r\n${long}`,
      );
      await turns(60);
      socket.terminate();
      posted.resetAndDestroy();
      while (rig.server.connections() > 1) await turn();
      await turns(20);
    }
    // on a busy machine the last sockets let go of their buffers some turns later; what is kept stays for as long as the list
    let grown = liveBytes() - before;
    for (let tries = 0; grown >= 10 * MB && tries < 40; tries += 1) {
      await turns(20);
      grown = liveBytes() - before;
    }
    t.ok(grown < 10 * MB, `${Math.round(grown / MB)} MB more than before`);
  },
);

t.test("while connections come in every turn, work is begun in one turn of sixteen", async (t) => {
  const pace = new Pace();
  const begun: boolean[] = [];
  for (let each = 0; each < 64; each += 1) {
    pace.connectionAccepted();
    begun.push(pace.mayBegin());
    await turn();
  }
  t.equal(begun.filter((may) => may).length, 4);
  await turn();
  t.ok(pace.mayBegin(), "and without newcomers in each");
  pace.connectionAccepted();
  t.notOk(pace.mayBegin());
});
