import type { Client } from "@modelcontextprotocol/client";
import t from "tap";
import { PHOTO } from "./fixture-host.js";
import { type Rig, sdkClient, serverRig, WAYS } from "./fixture-rig.js";

const OTHER = "photo://other";

/** What a client is told, one after the other. */
function toldTo(client: Client): () => Promise<string> {
  const told: string[] = [];
  let arrived: () => void = () => undefined;
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
    arrived();
  });
  return async () => {
    while (told.length === 0)
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    return told.shift() ?? "";
  };
}

/** The one that is told of shows that what came before it was not. */
async function nothingIsToldBefore(client: Client, rig: Rig, next: () => Promise<string>): Promise<void> {
  rig.host.changed(OTHER);
  rig.host.changed(PHOTO.uri);
  if ((await next()) !== PHOTO.uri) throw new Error("told of what it did not ask for");
  await client.listTools();
}

t.test("a 2025 client over ws is told of what it subscribed to, until it takes that back", async (t) => {
  const rig = await serverRig(t);
  const client = await sdkClient(t, rig, "ws", "2025");
  t.equal(client.getServerCapabilities()?.resources?.subscribe, true);
  const next = toldTo(client);
  rig.host.changed(PHOTO.uri);
  await client.subscribeResource({ uri: PHOTO.uri });
  await nothingIsToldBefore(client, rig, next);
  await t.rejects(client.subscribeResource({ uri: OTHER }), { message: /photo:\/\/other/ });
  await client.unsubscribeResource({ uri: PHOTO.uri });
  rig.host.changed(PHOTO.uri);
  await client.subscribeResource({ uri: PHOTO.uri });
  await nothingIsToldBefore(client, rig, next);
});

for (const way of WAYS) {
  t.test(`a 2026-07-28 client over ${way} is told of what it listens to, until it ends that`, async (t) => {
    const rig = await serverRig(t);
    const client = await sdkClient(t, rig, way, "2026-07-28");
    const next = toldTo(client);
    rig.host.changed(PHOTO.uri);
    const listening = await client.listen({ resourceSubscriptions: [PHOTO.uri] });
    t.same(listening.honoredFilter, { resourceSubscriptions: [PHOTO.uri] });
    await nothingIsToldBefore(client, rig, next);
    await listening.close();
    await client.listTools();
    rig.host.changed(PHOTO.uri);
    const again = await client.listen({ resourceSubscriptions: [PHOTO.uri] });
    await nothingIsToldBefore(client, rig, next);
    await again.close();
  });
}

t.test("a 2025 client over http is told that it cannot subscribe there", async (t) => {
  const client = await sdkClient(t, await serverRig(t), "http", "2025");
  t.notOk(client.getServerCapabilities()?.resources?.subscribe);
  await t.rejects(client.subscribeResource({ uri: PHOTO.uri }));
});

t.test("a connection that is over is watched for no more", async (t) => {
  const rig = await serverRig(t);
  const before = rig.host.watchers.size;
  const [old, young] = [await sdkClient(t, rig, "ws", "2025"), await sdkClient(t, rig, "ws", "2026-07-28")];
  await old.subscribeResource({ uri: PHOTO.uri });
  await young.listen({ resourceSubscriptions: [PHOTO.uri] });
  t.equal(rig.host.watchers.size, before + 2);
  await Promise.all([old.close(), young.close()]);
  while (rig.server.connections() > 0) await new Promise((resolve) => setImmediate(resolve));
  t.equal(rig.host.watchers.size, before);
});
