import { z } from "zod";
import { lightStatus, moistureResult, waterUsage } from "../../../runtime/wire/plants.js";
import { parseJson, refusalBody } from "../../../runtime/wire/refusal.js";
import type { EpochMillis } from "../../clock.js";
import { type Arguments, readArguments } from "../../cycle/arguments.js";
import type { Message, ToolCall, ToolMessage } from "../model.js";

const time = z.object({ timestamp: z.iso.datetime() });
const reading = moistureResult.pick({ value: true, percent: true, timestamp: true });
const moisture = reading.extend({ quality: z.string().default("ok") });
const water = waterUsage.pick({ used_ml: true, remaining_ml: true });
const light = lightStatus.pick({ status: true, can_activate: true, light_today: true });
const note = z.object({ content: z.string() });
const photo = z.object({
  timestamp: z.iso.datetime().transform((text): EpochMillis => Date.parse(text)),
  dark: z.boolean().default(false),
  light_on: z.boolean().default(false),
});
const photos = z.object({ photos: z.array(photo) });
const messages = z.object({
  messages: z.array(z.object({ message_id: z.string(), timestamp: z.iso.datetime(), content: z.string() })),
});

export type Reading = z.output<typeof reading>;
export type WaterUsage = z.output<typeof water>;
export type LightStatus = z.output<typeof light>;
export type Photo = z.output<typeof photo>;
export type HumanMessage = z.output<typeof messages>["messages"][number];

/** Why the readings of a probe are not used: a stuck probe always reads the same, a reversed one reads wet for dry. */
export type Suspicion = "stuck" | "reversed";

/** The soil: a good reading, or the probe's fault with the last good reading, if there is one. */
export type Soil =
  | { readonly fault: undefined; readonly reading: Reading }
  | {
      readonly fault: string;
      /** What a person does about it, as the runtime says. */
      readonly remedy?: string;
      readonly reading: Reading | undefined;
      /** The probe answers, but its history shows that it is wrong. */
      readonly suspicion?: Suspicion;
    };

/** One decimal: the probe's noise is larger than the second. */
export const percent = (reading: Pick<Reading, "percent">): string => `${reading.percent.toFixed(1)} %`;

/** The answers of the tools; undefined without a usable answer. */
export interface Facts {
  readonly timestamp: string | undefined;
  readonly now: EpochMillis | undefined;
  readonly soil: Soil;
  readonly water: WaterUsage | undefined;
  readonly light: LightStatus | undefined;
  readonly messages: readonly HumanMessage[];
  readonly note: string | undefined;
  /** Oldest first, with the one of this cycle; undefined without a list of photos. */
  readonly photos: readonly Photo[] | undefined;
}

export function factsOf(exchanges: readonly Exchange[]): Facts {
  const answer = <T>(tool: string, schema: z.ZodType<T>) => answerOf(latest(exchanges, tool), schema);
  const timestamp = answer("get_current_time", time)?.timestamp;
  const taken = answer("capture_photo", photo);
  return {
    timestamp,
    now: timestamp === undefined ? undefined : Date.parse(timestamp),
    soil: soilOf(latest(exchanges, "read_moisture")),
    water: answer("get_water_usage_24h", water),
    light: answer("get_light_status", light),
    messages: answer("list_messages_from_human", messages)?.messages ?? [],
    note: answer("fetch_notes", note)?.content,
    photos: answer("get_recent_photos", photos)?.photos.concat(taken ?? []),
  };
}

function soilOf(exchange: Exchange | undefined): Soil {
  if (exchange?.error) {
    const { error } = exchange;
    const remedy = remedyOf(error);
    return {
      fault: error.message,
      reading: reading.safeParse(error.details?.last_good).data,
      ...(remedy !== undefined && { remedy }),
    };
  }
  const read = answerOf(exchange, moisture);
  if (!read) return { fault: "read_moisture gave no reading", reading: undefined };
  return read.quality === "ok"
    ? { fault: undefined, reading: read }
    : { fault: `the reading is ${read.quality}`, reading: read };
}

function remedyOf({ details }: Failure): string | undefined {
  const { data } = z.object({ cause: z.string(), remedy: z.string() }).safeParse(details);
  return data && `${data.remedy} (${data.cause})`;
}

const failure = z.object({ error: refusalBody.pick({ code: true, message: true, details: true }) });

type Failure = z.output<typeof failure>["error"];

export interface Call {
  readonly name: string;
  readonly arguments: Arguments;
}

export interface Exchange {
  readonly name: string;
  readonly args: Arguments;
  readonly value?: unknown;
  readonly error?: Failure;
}

/** All calls with their answers, in order. A call that has its answer is read once, however many replies follow. */
export function exchangesOf(conversation: readonly Message[]): readonly Exchange[] {
  const answers = new Map(
    conversation.flatMap((m) => (m.role === "tool" ? [[m.toolCallId, m] as const] : [])),
  );
  const calls = conversation.flatMap((m) => (m.role === "assistant" ? m.toolCalls : []));
  return calls.map((call) => {
    const answer = answers.get(call.id);
    const known = read.get(call);
    if (known && known.answer === answer) return known.exchange;
    const exchange = exchangeOf(call, answer && parseJson(answer.content));
    read.set(call, { answer, exchange });
    return exchange;
  });
}

const read = new WeakMap<
  ToolCall,
  { readonly answer: ToolMessage | undefined; readonly exchange: Exchange }
>();

function exchangeOf({ name, arguments: given }: ToolCall, answer: unknown): Exchange {
  const args = readArguments(given) ?? {};
  const isRefusal = typeof answer === "object" && answer !== null && "error" in answer;
  const failed = isRefusal ? failure.safeParse(answer).data : undefined;
  return failed ? { name, args, error: failed.error } : { name, args, value: answer };
}

/** The answer in a tool's form, read once; undefined if it has another, or there is none. */
export function answerOf<T>(exchange: Exchange | undefined, schema: z.ZodType<T>): T | undefined {
  if (!exchange) return undefined;
  const known = parsed.get(exchange);
  if (known?.schema === schema) return known.answer as T | undefined;
  const answer = schema.safeParse(exchange.value).data;
  parsed.set(exchange, { schema, answer });
  return answer;
}

const parsed = new WeakMap<Exchange, { readonly schema: z.ZodType; readonly answer: unknown }>();

/** The newest exchange of a tool. */
export const latest = (exchanges: readonly Exchange[], name: string): Exchange | undefined =>
  exchanges.findLast((each) => each.name === name);

export const allOf = (exchanges: readonly Exchange[], name: string): readonly Exchange[] =>
  exchanges.filter((each) => each.name === name);

/** Calls with their ids, which count on from the calls before. */
export const numbered = <C extends object>(before: readonly Exchange[], calls: readonly C[]) =>
  calls.map((call, index) => ({ id: `call-${before.length + index + 1}`, ...call }));

/** The exchanges after the newest of this tool; all if there is none. */
export const since = (exchanges: readonly Exchange[], name: string): readonly Exchange[] =>
  exchanges.slice(exchanges.findLastIndex((each) => each.name === name) + 1);
