import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import { SystemClock } from "../../agent-client/clock.js";
import { WebSocketTransport } from "../../agent-client/link/link.js";
import { RuntimeHere } from "../process.js";
import { type Answer, answerOf } from "./water-once.js";

/** A cycle of 30 minutes lasts a minute and a half, a dose of 20 ml less than a second. */
const SPEED = 20;

const state = await mkdtemp(join(tmpdir(), "tendril-approvals-"));
await writeFile(
  join(state, "tendril.yaml"),
  "confirm: { dispense_water: always }\nconfirm_by: client\nwater: { daily_limit_ml: 500 }\n",
);
const runtime = await RuntimeHere.start({ state, speed: SPEED });
t.teardown(() => rm(state, { recursive: true, force: true }));

type Shown = { readonly message: string; readonly requestedSchema: object };
type Reply = { action: "accept" | "decline" | "cancel"; content?: Record<string, boolean> };

interface Asked {
  readonly client: Client;
  /** The forms that it was shown. */
  readonly forms: Shown[];
}

async function socketTo(token: string): Promise<Transport> {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(runtime.url, ["mcp"], { headers, allowSynchronousEvents: false });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return new WebSocketTransport(socket, new SystemClock());
}

async function overHttp(token: string): Promise<Transport> {
  const headers = { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(runtime.http), { requestInit: { headers } });
}

const WAYS = { ws: socketTo, http: overHttp } as const;

/** A client of an agent that shows forms, and somebody who answers each in the same way. */
async function clientWith(
  t: Test,
  way: keyof typeof WAYS,
  era: "2025" | "2026-07-28",
  reply?: Reply,
): Promise<Asked> {
  const forms: Shown[] = [];
  const client = new Client(
    { name: "desktop", version: "1" },
    {
      capabilities: reply ? { elicitation: {} } : {},
      versionNegotiation: { mode: era === "2025" ? "legacy" : { pin: era } },
    },
  );
  if (reply)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      forms.push(params as Shown);
      return reply;
    });
  await client.connect(await WAYS[way](await runtime.token("agent")));
  t.teardown(() => client.close());
  return { client, forms };
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> =>
  answerOf(await client.callTool({ name, arguments: args }));

/** Opens a cycle that plans for water, by a true status. */
async function openCycle(client: Client): Promise<void> {
  const get = async (tool: string) => (await call(client, tool)).value;
  const [now, moisture, water, light] = await Promise.all(
    ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"].map(get),
  );
  const status = {
    timestamp: now?.timestamp,
    sensor_reading: moisture?.value,
    water_24h: water?.used_ml,
    light_today: light?.light_today,
    plant_state: "healthy",
    next_action_sequence: [{ order: 1, action: "water", value: 25 }],
    reasoning: "a test",
  };
  t.match((await call(client, "write_plant_status", status)).value, { proceed: true });
}

const codeOf = ({ value }: Answer) => (value.error as { code: string }).code;
const used = async (client: Client) => Number((await call(client, "get_water_usage_24h")).value.used_ml);

const YES: Reply = { action: "accept", content: { approve: true } };
/** Each test asks for doses of its own: a no stands for a cycle's time. */
let ml = 10;
const dose = () => ({ ml: ml++ });

for (const [way, era] of [
  ["ws", "2026-07-28"],
  ["http", "2026-07-28"],
  ["ws", "2025"],
] as const)
  t.test(`a ${era} client over ${way} shows the form, and its yes lets the dose flow`, async (t) => {
    const { client, forms } = await clientWith(t, way, era, YES);
    await openCycle(client);
    const before = await used(client);
    const { ml } = dose();
    t.match((await call(client, "dispense_water", { ml })).value, { dispensed: ml });
    t.equal(forms.length, 1);
    t.match(forms[0]?.message, new RegExp(`agent wants to pour ${ml} ml for Basil \\(request \\d+, until`));
    t.equal(await used(client), before + ml);
  });

for (const [what, reply, code] of [
  ["declined", { action: "decline" }, "APPROVAL_DENIED"],
  ["sent back without a yes", { action: "accept", content: { approve: false } }, "APPROVAL_DENIED"],
  ["put away unanswered", { action: "cancel" }, "APPROVAL_NEEDED"],
] as const)
  t.test(`a form that is ${what} is not shown again, and nothing is poured`, async (t) => {
    const { client, forms } = await clientWith(t, "ws", "2026-07-28", reply);
    await openCycle(client);
    const before = await used(client);
    const args = dose();
    t.equal(codeOf(await call(client, "dispense_water", args)), code);
    if (code === "APPROVAL_DENIED") t.equal(codeOf(await call(client, "dispense_water", args)), code);
    t.equal(forms.length, 1);
    t.equal(await used(client), before);
  });

for (const [way, era] of [
  ["ws", "2026-07-28"],
  ["http", "2025"],
] as const)
  t.test(
    `a ${era} client over ${way} that shows no forms is told what to do, and goes on after it`,
    async (t) => {
      const { client } = await clientWith(t, way, era);
      const human = new Client({ name: "person", version: "1" });
      await human.connect(await overHttp(await runtime.token("human")));
      t.teardown(() => human.close());
      await openCycle(client);
      const args = dose();
      const { value } = await call(client, "dispense_water", args);
      const { code, details } = value.error as { code: string; details: { id: number } };
      t.equal(code, "APPROVAL_NEEDED");
      const again = call(client, "dispense_water", args);
      const { value: answer } = await call(human, "answer_approval", { id: details.id, approve: true });
      t.match(answer, { approved: true });
      t.match((await again).value, { dispensed: args.ml });
    },
  );

t.test("its runtime ends in order", async (t) => {
  t.match(await runtime.stop(), { code: 0 });
});
