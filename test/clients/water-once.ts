import type { Test } from "tap";

type Json = Readonly<Record<string, unknown>>;

/** What a tool answered, whichever client brought it. */
export interface Answer {
  readonly isError: boolean;
  /** The text content, parsed. */
  readonly value: Json;
  readonly structured: unknown;
}

/** What a care cycle needs of an MCP client. */
export interface ForeignClient {
  listTools(): Promise<readonly string[]>;
  call(tool: string, args?: Json): Promise<Answer>;
}

/** Reads MCP's CallToolResult. Throws where it carries no JSON text. */
export function answerOf(result: unknown): Answer {
  const { content, isError, structuredContent } = result as {
    content: readonly { readonly type: string; readonly text?: string }[];
    isError?: boolean;
    structuredContent?: unknown;
  };
  const text = content.find(({ type }) => type === "text")?.text;
  if (text === undefined) throw new Error(`a result without text: ${JSON.stringify(result)}`);
  return { isError: isError === true, value: JSON.parse(text) as Json, structured: structuredContent };
}

const NEEDED = [
  "read_moisture",
  "get_water_usage_24h",
  "get_light_status",
  "get_current_time",
  "write_plant_status",
  "dispense_water",
];

/** One care cycle as the contract wants it: measure, say what is meant to be done, water, look at the ledger. */
export async function waterOnce(t: Test, client: ForeignClient, ml: number): Promise<void> {
  const listed = await client.listTools();
  for (const tool of NEEDED) t.ok(listed.includes(tool), `${tool} is listed`);
  const get = (tool: string, args?: Json) => granted(t, client, tool, args);
  const [moisture, before, light, now] = await Promise.all([
    get("read_moisture"),
    get("get_water_usage_24h"),
    get("get_light_status"),
    get("get_current_time"),
  ]);
  const status = {
    timestamp: now.timestamp,
    sensor_reading: moisture.value,
    water_24h: before.used_ml,
    light_today: light.light_today,
    plant_state: "healthy",
    next_action_sequence: [{ order: 1, action: "water", value: ml }],
    reasoning: "one dose, to see that it arrives",
  };
  t.same(await get("write_plant_status", status), { proceed: true });
  const remaining = Number(before.remaining_ml) - ml;
  t.match(await get("dispense_water", { ml }), { dispensed: ml, remaining_24h: remaining });
  t.same(await get("get_water_usage_24h"), {
    used_ml: Number(before.used_ml) + ml,
    remaining_ml: remaining,
    events: Number(before.events) + 1,
  });
}

/** The value of a call that must succeed, the same as text and as structured content. */
async function granted(t: Test, client: ForeignClient, tool: string, args?: Json): Promise<Json> {
  const { isError, value, structured } = await client.call(tool, args);
  t.notOk(isError, `${tool}: ${JSON.stringify(value)}`);
  t.same(structured, value, `${tool} says the same twice`);
  return value;
}

/** The code of a call that must be refused: an error result, and nothing for an output schema to object to. */
export async function refused(t: Test, client: ForeignClient, tool: string, args?: Json): Promise<string> {
  const { isError, value, structured } = await client.call(tool, args);
  t.ok(isError, `${tool} is refused`);
  t.equal(structured, undefined);
  return (value as { error: { code: string } }).error.code;
}
