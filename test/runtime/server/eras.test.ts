import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import t from "tap";
import { WebSocket } from "ws";
import { PHOTO, TOOLS } from "./fixture-host.js";
import { bearer, ERAS, sdkClient, serverRig, WAYS } from "./fixture-rig.js";

const names = TOOLS.map(({ name }) => name);
const READING = { value: 0.4321, timestamp: "2026-06-01T08:00:00.000Z" };
const BLOB = Buffer.from(PHOTO.bytes).toString("base64");

for (const way of WAYS) {
  for (const era of ERAS) {
    t.test(`a ${era} client over ${way} lists, calls and reads`, async (t) => {
      const rig = await serverRig(t);
      const client = await sdkClient(t, rig, way, era);
      t.match(client.getServerVersion(), { name: "tendril", version: "0.1.0" });
      t.match(client.getInstructions(), /write_plant_status/);
      t.same(
        (await client.listTools()).tools.map(({ name }) => name),
        names,
      );
      t.match(await client.callTool({ name: "read_moisture", arguments: {} }), {
        structuredContent: READING,
      });
      t.match((await client.listResources()).resources, [{ uri: PHOTO.uri, mimeType: "image/jpeg" }]);
      t.match((await client.readResource({ uri: PHOTO.uri })).contents, [{ uri: PHOTO.uri, blob: BLOB }]);
      await t.rejects(client.readResource({ uri: "photo://none" }), { message: /photo:\/\/none/ });
    });

    t.test(`a ${era} client over ${way} accepts a result whose schema is a union`, async (t) => {
      const client = await sdkClient(t, await serverRig(t), way, era);
      await client.listTools();
      const result = await client.callTool({ name: "write_plant_status", arguments: {} });
      t.match(result.content, [{ type: "text", text: '{"proceed":false}' }]);
    });
  }
}

t.test("the v1 SDK's WebSocket client lists the tools and calls one", async (t) => {
  const rig = await serverRig(t);
  Object.assign(globalThis, {
    WebSocket: class extends WebSocket {
      constructor(url: URL, protocol: string) {
        super(url, protocol, { headers: bearer(rig.token), allowSynchronousEvents: false });
      }
    },
  });
  const client = new V1Client({ name: "v1", version: "1" });
  t.teardown(() => client.close());
  await client.connect(new WebSocketClientTransport(new URL(rig.server.url)));
  t.same(
    (await client.listTools()).tools.map(({ name }) => name),
    names,
  );
  const result = await client.callTool({ name: "read_moisture", arguments: {} });
  t.match(result, { structuredContent: READING });
});

t.test("connections of both eras are served side by side", async (t) => {
  const rig = await serverRig(t);
  const modern = await sdkClient(t, rig, "ws", "2026-07-28");
  const legacy = await sdkClient(t, rig, "ws", "2025");
  t.equal(rig.server.connections(), 2);
  const answers = await Promise.all(
    [modern, legacy].map((client) => client.callTool({ name: "read_moisture" })),
  );
  t.match(answers, [{ structuredContent: READING }, { structuredContent: READING }]);
});
