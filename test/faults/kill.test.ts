import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { KillRounds, type Sent } from "./kill-rounds.js";

const ROUNDS = 8;
const DOSE_ML = 10;

interface Books {
  /** Every key that is in a record, as often as it is there. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly doses: number;
  readonly used_ml: number;
}

t.test(
  "whenever the process is killed, what was answered is kept once and what was not moves nothing twice",
  async (t) => {
    const state = t.testdir();
    const rounds = new KillRounds(state, 20261121);
    t.teardown(() => rounds.end());
    for (let round = 0; round < ROUNDS; round += 1) {
      await rounds.start();
      await settleEarlier(t, rounds, state);
      await rounds.workUntilKilled(round, 450);
      if (round % 4 === 2) await rounds.killWhileStarting();
    }
    await rounds.start();
    await settleEarlier(t, rounds, state);
    await checkRecords(t, rounds, state);
    await checkWater(t, rounds, state);
  },
);

/** The other answers of a call that got none before: nobody knows what came of it, or it never began and the soil is wet now. */
const FAIR: readonly string[] = ["OUTCOME_UNKNOWN", "SOIL_WET"];

/** Repeats every call that got no answer: it is answered as the first would have been, or fairly refused. */
async function settleEarlier(t: Test, rounds: KillRounds, state: string): Promise<void> {
  for (const call of rounds.sent.filter(({ answer }) => answer === undefined)) {
    const before = dosesIn(state);
    call.answer = await rounds.repeat(call);
    t.ok(call.answer.ok || FAIR.includes(call.answer.error.code), JSON.stringify(call.answer));
    const moved = dosesIn(state) - before;
    t.ok(moved === 0 || (moved === 1 && call.answer.ok), `${call.key} poured ${moved} times on repetition`);
    const again = await rounds.repeat(call);
    if (call.answer.ok) t.same(again, call.answer, "and so it stays");
    else t.match(again, { error: { code: call.answer.error.code } }, "and so it stays, while the soil dries"); // in its figures
    t.equal(dosesIn(state) - before, moved, `${call.key} pours no second time`);
  }
}

async function checkRecords(t: Test, rounds: KillRounds, state: string): Promise<void> {
  const { keys } = await books(rounds, state);
  const logged = rounds.sent.filter(({ tool }) => tool !== "dispense_water");
  const [answered, unknown] = [logged.filter(isDone), logged.filter((call) => !isDone(call))];
  t.ok(answered.length > ROUNDS, `${answered.length} records were acknowledged`);
  for (const { tool, key } of answered) t.equal(timesIn(keys, tool, key), 1, `${tool} ${key} is there once`);
  for (const { tool, key } of unknown)
    t.ok(timesIn(keys, tool, key) <= 1, `${tool} ${key} is not there twice`);
  const known = new Set(logged.map(({ key }) => key));
  for (const found of [...keys.values()].flat()) t.ok(known.has(found), `${found} was sent`);
}

async function checkWater(t: Test, rounds: KillRounds, state: string): Promise<void> {
  const { doses, used_ml } = await books(rounds, state);
  const poured = rounds.sent.filter(({ tool }) => tool === "dispense_water");
  const acknowledged = poured.filter(isDone).length;
  const unknown = poured.filter(
    ({ answer }) => answer?.ok === false && answer.error.code === "OUTCOME_UNKNOWN",
  );
  t.ok(acknowledged > 0, `${acknowledged} doses were acknowledged`);
  t.ok(unknown.length > 0, `${unknown.length} doses were cut off by a kill`);
  t.ok(doses >= acknowledged && doses <= acknowledged + unknown.length, `${doses} doses in the ledger`);
  t.equal(used_ml, doses * DOSE_ML, "each counts in full");
  t.same(await rounds.ask("get_water_usage_24h"), { used_ml, remaining_ml: 500 - used_ml, events: doses });
}

const isDone = ({ answer }: Sent): boolean => answer?.ok === true;

const timesIn = (keys: Books["keys"], tool: string, key: string): number =>
  (keys.get(tool) ?? []).filter((found) => found === key).length;

async function books(rounds: KillRounds, state: string): Promise<Books> {
  const thoughts = await pages<{ observation: string }>(rounds, "get_recent_thoughts", "thoughts", "n");
  const actions = await pages<{ details: { key: string } }>(rounds, "get_recent_actions", "actions", "n");
  const messages = await pages<{ content: string }>(rounds, "list_messages_from_agent", "messages", "limit");
  const { content } = await rounds.ask<{ content: string }>("fetch_notes");
  const { used_ml } = await rounds.ask<{ used_ml: number }>("get_water_usage_24h");
  const keys = new Map([
    ["log_thought", thoughts.map(({ observation }) => observation)],
    ["log_action", actions.map(({ details }) => details.key)],
    ["send_message_to_human", messages.map(({ content: text }) => text)],
    ["save_notes", content.split("\n").filter((line) => line !== "")],
  ]);
  return { keys, doses: dosesIn(state), used_ml };
}

async function pages<T>(rounds: KillRounds, tool: string, field: string, size: string): Promise<T[]> {
  const all: T[] = [];
  for (let offset = 0; ; offset += 50) {
    const page = await rounds.ask<Record<string, T[]>>(tool, { [size]: 50, offset });
    const items = page[field] ?? [];
    all.push(...items);
    if (items.length < 50) return all;
  }
}

/** Intents in the journal itself. */
const dosesIn = (state: string): number =>
  readFileSync(join(state, "journal", "water.jsonl"), "utf8").split('"kind":"intent"').length - 1;
