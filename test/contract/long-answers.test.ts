import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import { ACTION_LOG } from "../../runtime/services/actions/index.js";
import { messages as messagesPart } from "../../runtime/services/people/messages.js";
import { THOUGHT_LOG } from "../../runtime/services/thinking/index.js";
import { wiredRig } from "../agent-client/agenda-rig.js";
import { tokenOf } from "../runtime/server/fixture-host.js";
import { requiredOf, TOOL_CONTRACTS } from "../services/contracts.js";

const MB = 1_000_000;
/** Records of 1 MiB in two forms, as text and as an object; the note of 1 MiB in two forms; a picture of 4 MiB as base64. */
const LONGEST_ANSWER = 6 * MB;
/** In long words: the knowledge takes each word to its stem. */
const LONG = `${"a".repeat(99)} `.repeat(1_000);
const WINDOW = {
  start_time: "2026-01-01T00:00:00Z",
  end_time: "2036-01-01T00:00:00Z",
};
/** The most that each of the growing tools can be asked for. */
const GREEDY: Readonly<Record<string, object>> = {
  get_recent_thoughts: { n: 50 },
  get_thoughts_in_range: WINDOW,
  search_thoughts: { keyword: "a", hours: 876_000 },
  get_recent_actions: { n: 50 },
  search_actions: { keyword: "a", hours: 876_000 },
  list_messages_from_agent: { limit: 50 },
  list_messages_from_human: { limit: 50 },
  list_tasks: { limit: 50 },
  list_memories: { n: 50 },
  list_approvals: { limit: 50 },
  get_recent_photos: { n: 50 },
};
const SAMPLED = ["first", "middle", "last"].map((aggregation) => ({
  hours: 1,
  samples_per_hour: 3600,
  aggregation,
}));

type Wired = Awaited<ReturnType<typeof wiredRig>>;

/** As many of each as are some times more than an answer may hold. */
const THOUGHTS = 30;
const MESSAGES = 25;

/** Each as long as clients may write it. */
async function fill({ rig }: Wired): Promise<void> {
  const { house } = rig.core;
  const thoughts = house.journal(THOUGHT_LOG);
  const actions = house.journal(ACTION_LOG);
  const messages = house.get(messagesPart);
  const { notes } = house.store;
  const stamp = (n: number) => ({
    timestamp: new Date(rig.clock.now() - 1000 * (THOUGHTS - n)).toISOString(),
    by: "agent",
  });
  const texts = { observation: LONG, hypothesis: LONG, reasoning: LONG, uncertainties: LONG };
  const written: Promise<unknown>[] = [notes.save("n".repeat(MB), "replace", rig.clock.now())];
  for (let n = 0; n < THOUGHTS; n += 1) {
    written.push(thoughts.append({ ...stamp(n), ...texts, candidate_actions: [], tags: [] }));
    const details = { [`a${n}`]: LONG, LONG };
    written.push(actions.append({ ...stamp(n), type: "observe", details }));
  }
  for (let n = 0; n < MESSAGES; n += 1) {
    written.push(messages.send("to_human", { content: "葉".repeat(50_000), by: "agent" }));
    written.push(messages.send("from_human", { content: "葉".repeat(50_000), by: "human" }));
  }
  await Promise.all(written);
}

interface Answer {
  readonly bytes: number;
  readonly error: { readonly code: string; readonly message: string; readonly details: object } | undefined;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Asks as a client does, over a socket. */
async function person(t: Test, wired: Wired) {
  const token = await tokenOf(wired.folder, "human");
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(wired.server.url, ["mcp"], { headers });
  t.teardown(() => socket.terminate());
  await new Promise((resolve) => socket.once("open", resolve));
  const send = (method: string, params: object): Promise<string> => {
    const answer = new Promise<string>((resolve) => socket.once("message", (data) => resolve(String(data))));
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    return answer;
  };
  const call = async (name: string, args: object): Promise<Answer> => {
    const text = await send("tools/call", { name, arguments: args });
    const { result } = JSON.parse(text);
    const value = JSON.parse(result.content.at(-1).text);
    return { bytes: text.length, error: value.error, value };
  };
  return { send, call };
}

/** What a call must have, of its contract. */
const leastOf = (name: string): object => {
  const contract = TOOL_CONTRACTS.get(name);
  const required = contract ? requiredOf(contract) : [];
  return Object.fromEntries(required.map((parameter) => [parameter, contract?.valid[parameter]]));
};

/** To fill a house takes longer than to ask. In this order: the first reads nothing, and the last begins anew. */
t.test("where everybody has written as much as they may", async (t) => {
  const wired = await wiredRig(t);
  await fill(wired);
  const promise = (title: string, holds: (t: Test, wired: Wired) => Promise<void>) =>
    t.test(title, (t) => holds(t, wired));
  await promise("what is refused marks no message as read", marksNothing);
  await promise("no answer is longer than its bound, whatever is asked", isBounded);
  await promise("a refused answer says what fits instead, and that does fit", saysWhatFits);
  await promise(
    "all of a range that is too large can be read in the parts that the refusals name",
    isReadInParts,
  );
  await promise("of the records in memory no log has more than some megabytes", keepsFew);
});

async function isBounded(t: Test, wired: Wired): Promise<void> {
  const { call } = await person(t, wired);
  const { registry } = wired.rig.core;
  const reading = registry
    .list({ name: "human", role: "human" })
    .filter(({ annotations }) => annotations.readOnlyHint);
  t.ok(reading.length > 15);
  for (const { name, inputSchema } of reading) {
    const isHistory = "samples_per_hour" in (inputSchema.properties as object);
    for (const args of isHistory ? SAMPLED : [GREEDY[name] ?? leastOf(name)]) {
      const { bytes, error } = await call(name, args);
      t.ok(bytes <= LONGEST_ANSWER, `${name}: ${bytes} bytes`);
      const isFit = error === undefined || ["RESULT_TOO_LARGE", "NOT_FOUND"].includes(error.code);
      t.ok(isFit, `${name}: ${error?.message}`);
    }
  }
}

async function saysWhatFits(t: Test, wired: Wired): Promise<void> {
  const { call } = await person(t, wired);
  const pages = { get_recent_thoughts: "n", get_recent_actions: "n", list_messages_from_agent: "limit" };
  for (const [name, parameter] of Object.entries(pages)) {
    const { error } = await call(name, { [parameter]: MESSAGES });
    t.match(error, { code: "RESULT_TOO_LARGE", message: /one answer has at most .*: ask for \d+ at once/ });
    const { fits } = (error?.details ?? {}) as { fits: number };
    t.ok(fits > 1, `${name}: ${fits} fit`);
    t.equal((await call(name, { [parameter]: fits })).error, undefined);
    t.equal((await call(name, { [parameter]: fits + 1 })).error?.code, "RESULT_TOO_LARGE");
  }
  const headings = await call("list_messages_from_agent", { limit: 50, include_content: false });
  t.equal((headings.value.messages as object[]).length, MESSAGES);
}

async function isReadInParts(t: Test, wired: Wired): Promise<void> {
  const { call } = await person(t, wired);
  const range = { ...WINDOW };
  let read = 0;
  for (let parts = 0; parts < 30 && read < THOUGHTS; parts += 1) {
    const { error } = await call("get_thoughts_in_range", range);
    const { next_start_time: next } = (error?.details ?? {}) as { next_start_time?: string };
    const end_time = next ? new Date(Date.parse(next) - 1).toISOString() : range.end_time;
    read += (await call("get_thoughts_in_range", { ...range, end_time })).value.count as number;
    range.start_time = next ?? end_time;
  }
  t.equal(read, THOUGHTS);
}

async function marksNothing(t: Test, wired: Wired): Promise<void> {
  const { call } = await person(t, wired);
  await call("list_messages_from_agent", { limit: 50 });
  const { value } = await call("list_messages_from_agent", { limit: 1, include_content: false });
  t.match(value, { messages: [{ delivered_at: null, read_at: null }] });
}

async function keepsFew(t: Test, wired: Wired): Promise<void> {
  const thoughts = wired.rig.core.house.journal(THOUGHT_LOG);
  const { window } = thoughts as unknown as { window: Promise<{ records: readonly object[] }> };
  t.ok((await window).records.length < 10, "of so many of 400 kB");
  await wired.rig.restart();
  const again = wired.rig.core.house.journal(THOUGHT_LOG) as unknown as { window: typeof window };
  t.ok((await again.window).records.length < 10, "after a start too");
  t.equal(
    (await wired.rig.core.house.journal(THOUGHT_LOG).recent(1, THOUGHTS - 1)).length,
    1,
    "the others are in the index",
  );
}

t.test("a picture that is too large for an answer is not read; its link opens it", async (t) => {
  const wired = await wiredRig(t);
  const { rig } = wired;
  const { send, call } = await person(t, wired);
  const at = rig.clock.now();
  const file = join(rig.state, "photos", "large.jpg");
  await writeFile(file, Buffer.alloc(9 * MB));
  const shape = { width: 1, height: 1, light_on: false, dark: false };
  await rig.core.store.photos.add({ plant: "basil", at, file: "large.jpg", bytes: 9 * MB, ...shape });
  const uri = `tendril://photos/basil/${new Date(at).toISOString()}.jpg`;
  const answer = await send("resources/read", { uri });
  t.match(JSON.parse(answer), { error: { message: /RESULT_TOO_LARGE|9000000 bytes/ } });
  const { value } = await call("get_recent_photos", { n: 1 });
  t.match(value, { photos: [{ url: /\/photos\// }] });
});
