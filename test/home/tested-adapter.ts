import type { Test } from "tap";
import type { z } from "zod";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { millis } from "../../drivers/units.js";
import type { JobFailure, JobResult } from "../../runtime/bridge/adapter.js";
import { homeAdapter } from "../../runtime/bridge/home/adapter.js";
import { HomeSocket } from "../../runtime/bridge/home/socket.js";
import { type CallAnswer, callAnswer } from "../../runtime/wire/home.js";

/** A home to test against: the stand-in, or the real one. */
export interface TestHome {
  /** http://127.0.0.1:PORT */
  readonly url: string;
  readonly tokens: Readonly<Record<"owner" | "resident" | "viewer", string>>;
}

export const CLOCK = new SystemClock();
/** A choice: the slowest lock of the real home takes 2 s. */
const SETTLE_S = 6;

export interface TestedAdapter {
  readonly said: string[];
  job<Answer>(what: string, args: object, schema: z.ZodType<Answer>): Promise<Answer>;
  call(service: string, entityIds: readonly string[], data?: object): Promise<CallAnswer>;
}

/** The adapter as the bridge opens it, until the test ends. */
export function adapterOf(
  t: Test,
  { url, tokens }: TestHome,
  {
    read_token = tokens.viewer,
    act_token = tokens.resident,
  }: { read_token?: string; act_token?: string } = {},
): TestedAdapter {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const said: string[] = [];
  const config = homeAdapter.config.parse({ url, read_token, act_token });
  const context = {
    clock: CLOCK,
    say: (text: string) => void said.push(text),
    onConnected: () => undefined,
    tellProblem: () => undefined,
    isAsked: () => true,
    upload: async () => "",
    call: async () => ({}),
    signal: stop.signal,
  };
  const jobs = homeAdapter.open(config, context);
  const job = async <Answer>(what: string, args: object, schema: z.ZodType<Answer>): Promise<Answer> => {
    const answer: JobResult | undefined = await jobs[what]?.(args, stop.signal);
    return schema.parse(answer);
  };
  const call = (service: string, entity_ids: readonly string[], service_data = {}) => {
    const [domain, name] = service.split(".");
    return job("call", { domain, service: name, entity_ids, service_data, settle_s: SETTLE_S }, callAnswer);
  };
  return { said, job, call };
}

/** A person of the home, beside the adapter: the judge. */
export const personOf = (t: Test, home: TestHome): Promise<HomeSocket> => socketOf(t, home, "owner");

/** A connection as this user, until the test ends. */
export async function socketOf(
  t: Test,
  { url, tokens }: TestHome,
  user: keyof TestHome["tokens"],
): Promise<HomeSocket> {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const socketUrl = `${url.replace(/^http/, "ws")}/api/websocket`;
  return HomeSocket.open({ url: socketUrl, token: tokens[user], clock: CLOCK, signal: stop.signal });
}

/** What Home Assistant itself says of these entities, in their order. */
export async function statesIn(person: HomeSocket, ...ids: readonly string[]): Promise<string[]> {
  const all = (await person.ask("get_states")) as { entity_id: string; state: string }[];
  return ids.map((id) => all.find(({ entity_id }) => entity_id === id)?.state ?? "none");
}

export async function failureOf(
  work: Promise<unknown>,
): Promise<Pick<JobFailure, "code" | "outcome" | "message">> {
  const error = await work.then(
    () => undefined,
    (each: JobFailure) => each,
  );
  return { code: error?.code ?? "none", outcome: error?.outcome ?? "failed", message: error?.message ?? "" };
}

/** Waits until it gives something that counts, with real time. */
export async function until<T>(is: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await is();
    if (found) return found;
    await CLOCK.sleep(millis(20));
  }
}
