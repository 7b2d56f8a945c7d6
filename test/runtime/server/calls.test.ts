import t from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";
import { bearer, closeOf, ERAS, nextMessage, openSocket, sdkClient, serverRig, WAYS } from "./fixture-rig.js";

const DOSE = { name: "dispense_water", arguments: { ml: 20 } };
/** Long enough for a loopback disconnect to be noticed; nothing tells when it was. */
const NOTICE = millis(50);
const real = new SystemClock();
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The first call of a WebSocket is answered in another way than later ones. */
const CALLS = ["first", "later"] as const;

/** A client whose next call is its first, or a later one. */
async function clientBefore(
  which: (typeof CALLS)[number],
  ...[t, rig, way, era]: Parameters<typeof sdkClient>
) {
  const client = await sdkClient(t, rig, way, era);
  if (which === "later") await client.callTool({ name: "read_moisture" });
  return client;
}

const KINDS = ERAS.flatMap((era) => CALLS.map((which) => ({ era, which })));

for (const way of WAYS) {
  for (const { era, which } of KINDS) {
    t.test(
      `every progress note of a ${which} ${era} call over ${way} arrives, the last one too`,
      async (t) => {
        const rig = await serverRig(t);
        const client = await clientBefore(which, t, rig, way, era);
        const seen: unknown[] = [];
        const call = client.callTool(DOSE, { onprogress: (note) => seen.push(note) });
        await rig.host.called();
        rig.host.finishDoses();
        t.match(await call, { structuredContent: { dispensed: 20 } });
        t.match(seen, [
          { progress: 5, total: 20, message: "5 of 20 ml" },
          { progress: 20, total: 20, message: "20 of 20 ml" },
        ]);
      },
    );

    t.test(`a ${which} ${era} call over ${way} survives the loss of its connection`, async (t) => {
      const rig = await serverRig(t);
      const client = await clientBefore(which, t, rig, way, era);
      const call = client.callTool(DOSE, { onprogress: () => undefined });
      call.catch(() => undefined);
      const signal = (await rig.host.called()).signal();
      await client.close();
      while (rig.server.connections() > 0) await turn();
      await real.sleep(NOTICE);
      t.equal(signal.aborted, false, "nobody cancelled");
    });
  }
}

for (const { era, which } of KINDS) {
  t.test(`cancelling a ${which} ${era} call over ws reaches the host and no other call`, async (t) => {
    const rig = await serverRig(t);
    const client = await clientBefore(which, t, rig, "ws", era);
    const stop = new AbortController();
    const cancelled = client.callTool(DOSE, { signal: stop.signal });
    cancelled.catch(() => undefined);
    const first = await rig.host.called();
    const other = client.callTool(DOSE);
    const second = await rig.host.called();
    const aborted = new Promise((resolve) => first.signal().addEventListener("abort", resolve));
    stop.abort("the plant floats");
    await aborted;
    await t.rejects(cancelled);
    t.equal(second.signal().aborted, false);
    rig.host.finishDoses();
    t.match(await other, { structuredContent: { dispensed: 20 } });
  });
}

t.test("a call that was cut off goes on after the socket died without a goodbye", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig);
  const called = rig.host.called();
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: DOSE }));
  const signal = (await called).signal();
  const gone = closeOf(socket);
  socket.terminate();
  await gone;
  while (rig.server.connections() > 0) await turn();
  await real.sleep(NOTICE);
  t.equal(signal.aborted, false);
});

t.test("the host learns who calls and with which idempotency key", async (t) => {
  const rig = await serverRig(t);
  const client = await sdkClient(t, rig, "ws", "2026-07-28");
  rig.host.finishDoses();
  const _meta = { "tendril/idempotency-key": "dose-1" };
  await client.callTool({ name: "write_plant_status", arguments: { a: 1 }, _meta });
  await client.callTool({ name: "write_plant_status" });
  t.match(rig.host.calls[0], {
    identity: { name: "agent", role: "agent" },
    idempotencyKey: "dose-1",
    arguments: { a: 1 },
  });
  t.notOk(rig.host.calls[1] && "idempotencyKey" in rig.host.calls[1]);
  t.same(rig.host.calls[1]?.arguments, {});
});

t.test("a defect of the host is INTERNAL on the wire and whole in the log", async (t) => {
  const rig = await serverRig(t);
  const client = await sdkClient(t, rig, "http", "2026-07-28");
  const result = JSON.stringify(await client.callTool({ name: "broken" }));
  t.match(result, /"code\\":\\"INTERNAL/);
  t.notMatch(result, /secret detail/);
  t.ok(rig.lines.some(({ level, text }) => level === "error" && text.includes("secret detail")));
});

t.test("a request without a tool's name is a protocol error, not a crash", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig, { headers: bearer(rig.token) });
  const answer = nextMessage(socket);
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }));
  t.match(await answer, { id: 1, error: { code: Number } });
  socket.terminate();
});
