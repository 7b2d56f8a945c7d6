import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import t from "tap";
import type { WebSocket } from "ws";
import { isPlainCall, parseMessage } from "../../../runtime/server/json-rpc.js";
import { PlainCalls } from "../../../runtime/server/plain-calls.js";
import { ToolCalls } from "../../../runtime/server/tool-call.js";
import { Turns } from "../../../runtime/server/turns.js";
import { FixtureHost } from "./fixture-host.js";
import { nextMessage, openSocket, serverRig } from "./fixture-rig.js";

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1", icons: [{ src: "https://x/1.png" }] },
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** The SDK lets it through, and nothing here knows it. */
const UNKNOWN = { "example.org/unknown": 1 };
const ERAS: Readonly<Record<string, object>> = { "2025": {}, "2026-07-28": ENVELOPE };

const call = (params: object, id: unknown = 1) => ({ jsonrpc: "2.0", id, method: "tools/call", params });
const reading = (meta: object, id?: unknown) =>
  call({ name: "read_moisture", arguments: {}, _meta: meta }, id);

async function answerTo(socket: WebSocket, message: object): Promise<Record<string, unknown>> {
  const answer = nextMessage(socket);
  socket.send(JSON.stringify(message));
  return answer;
}

const PICTURE: CallToolResult = {
  content: [
    { type: "text", text: "a leaf" },
    { type: "image", data: "/9j/2Q==", mimeType: "image/jpeg" },
  ],
  structuredContent: { width: 2 },
  _meta: { "tendril/untrusted": ["the web"] },
};
const REFUSAL: CallToolResult = { isError: true, content: [{ type: "text", text: '{"error":{}}' }] };

for (const [era, envelope] of Object.entries(ERAS)) {
  t.test(`a ${era} caller gets the same answer with and without the SDK`, async (t) => {
    const rig = await serverRig(t);
    const socket = await openSocket(rig);
    const both = async (params: object) => {
      const [plain, sdk] = [{ ...envelope }, { ...envelope, ...UNKNOWN }].map((_meta) => ({
        ...params,
        _meta,
      }));
      t.same(await answerTo(socket, call(plain ?? {})), await answerTo(socket, call(sdk ?? {})));
    };
    await answerTo(socket, reading(envelope)); // the SDK has the first
    for (const name of ["read_moisture", "write_plant_status", "broken"]) await both({ name });
    await both({ name: "fetch_notes", arguments: { length: 5 } });
    for (const result of [PICTURE, REFUSAL]) {
      rig.host.callTool = async () => result;
      await both({ name: "read_moisture", arguments: {} });
    }
    socket.terminate();
  });
}

t.test("a client that says something else of itself is judged by the SDK", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig);
  await answerTo(socket, reading(ENVELOPE));
  const { "io.modelcontextprotocol/clientCapabilities": _, ...without } = ENVELOPE;
  t.match(await answerTo(socket, reading(without, 2)), { id: 2, error: { code: -32602 } });
  t.match(await answerTo(socket, reading({}, 3)), { id: 3, error: { code: -32602 } });
  const later = { ...ENVELOPE, "io.modelcontextprotocol/clientInfo": 7 };
  t.match(await answerTo(socket, reading(later, 4)), { id: 4, error: { code: -32602 } });
  t.match(await answerTo(socket, reading(ENVELOPE, "five")), {
    id: "five",
    result: { resultType: "complete" },
  });
  socket.terminate();
});

t.test("what is unusual is left to the schemas", (t) => {
  const plain = { name: "read_moisture", arguments: {}, _meta: ENVELOPE };
  t.ok(isPlainCall(call(plain)));
  t.ok(isPlainCall(call({ name: "x" }, "id")));
  t.ok(isPlainCall(call({ ...plain, _meta: { progressToken: 3 } })));
  const others: unknown[] = [
    null,
    [call(plain)],
    { ...call(plain), jsonrpc: "1.0" },
    { ...call(plain), method: "tools/list" },
    { ...call(plain), more: 1 },
    call(plain, null),
    call(plain, 1.5),
    call([]),
    call({ ...plain, inputResponses: {} }),
    call({ ...plain, requestState: "x" }),
    call({ ...plain, task: {} }),
    call({ ...plain, name: 1 }),
    call({ ...plain, arguments: null }),
    call({ ...plain, arguments: [] }),
    call({ ...plain, _meta: null }),
    call({ ...plain, _meta: { progressToken: {} } }),
    call({ ...plain, _meta: { "io.modelcontextprotocol/related-task": 1 } }),
  ];
  for (const other of others) t.notOk(isPlainCall(other), JSON.stringify(other));
  const proto = parseMessage(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","__proto__":{}}}`,
  );
  t.notOk(isPlainCall(proto));
  t.end();
});

const NOTHING = () => undefined;

/** After the SDK's first call, with this envelope. */
function learnt(envelope: object) {
  const host = new FixtureHost();
  const turns = new Turns(1, { mayBegin: () => true } as never);
  const caller = { host, identity: { name: "agent", role: "agent" }, turns, log: () => undefined } as const;
  const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
  const plain = new PlainCalls({ begun: NOTHING, ended: NOTHING, send: NOTHING, open: new Map() }, undefined);
  plain.learn(new ToolCalls(server, caller, []), { mcpReq: { envelope } } as ServerContext);
  return plain;
}

t.test("it takes the calls that say what the first one said, and no others", (t) => {
  const info = "io.modelcontextprotocol/clientInfo";
  const takes = (meta: object) => learnt(ENVELOPE).take(reading(meta) as never);
  t.ok(takes({ ...ENVELOPE, "tendril/agent": "pi", "tendril/turn": "t1", progressToken: 1 }));
  t.ok(takes(JSON.parse(JSON.stringify(ENVELOPE))));
  t.notOk(takes({}));
  t.notOk(takes({ ...ENVELOPE, ...UNKNOWN }));
  t.notOk(takes({ ...ENVELOPE, [info]: { name: "test", version: "1", icons: [] } }));
  t.notOk(
    takes({ ...ENVELOPE, [info]: { name: "test", version: "1", icons: { 0: { src: "https://x/1.png" } } } }),
  );
  t.notOk(takes({ ...ENVELOPE, [info]: { name: "test", version: "2", icons: ENVELOPE[info].icons } }));
  t.notOk(takes({ ...ENVELOPE, [info]: null }));
  t.notOk(takes(JSON.parse(JSON.stringify(ENVELOPE).replace("{", '{"__proto__":{},'))));
  t.end();
});

t.test("after a new handshake the SDK has the first call again", (t) => {
  const plain = learnt({});
  t.ok(plain.take(reading({}) as never));
  t.notOk(plain.take({ jsonrpc: "2.0", id: 2, method: "initialize", params: {} }));
  t.notOk(plain.take(reading({}, 3) as never));
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;
  t.ok(plain.take(cancelled), "what it took before is cancelled here, since the SDK does not know it");
  t.end();
});

t.test("a cancellation of a call of the SDK's is left to the SDK", (t) => {
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;
  t.notOk(learnt({}).take(cancelled));
  t.end();
});
