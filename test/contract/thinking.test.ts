import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes, seconds } from "../../drivers/units.js";
import { outbox } from "../../runtime/services/outbox/outbox.js";
import { rigFor } from "../rig.js";

const thought = (observation: string, extra: Record<string, unknown> = {}) => ({
  observation,
  hypothesis: "it is thirsty",
  candidate_actions: [{ order: 1, action: "water", value: 20 }],
  reasoning: "leaves hang",
  uncertainties: "probe depth",
  ...extra,
});

const observations = (value: Readonly<Record<string, unknown>>) =>
  (value.thoughts as { observation: string }[]).map(({ observation }) => observation);

t.test("recent thoughts are chronological, and offset counts from the end", async (t) => {
  const rig = await rigFor(t);
  for (const name of ["a", "b", "c", "d"]) {
    await rig.get("log_thought", thought(name));
    await rig.pass(minutes(1));
  }
  t.same(observations(await rig.get("get_recent_thoughts")), ["b", "c", "d"]);
  t.same(observations(await rig.get("get_recent_thoughts", { n: 2, offset: 1 })), ["b", "c"]);
  t.same(await rig.get("get_recent_thoughts", { n: 3, offset: 4 }), { count: 0, thoughts: [] });
  t.same(observations(await rig.get("get_recent_thoughts", { n: 3, offset: 3 })), ["a"]);
});

t.test(
  "a range is inclusive at both ends, reads naive times as UTC, and refuses a start after its end",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
    for (const name of ["at 8", "at 9", "at 10"]) {
      await rig.get("log_thought", thought(name));
      await rig.pass(hours(1));
    }
    const range = { start_time: "2026-06-01T08:00:00", end_time: "2026-06-01T11:00:00+02:00" };
    t.same(observations(await rig.get("get_thoughts_in_range", range)), ["at 8", "at 9"]);
    const backwards = { start_time: range.end_time, end_time: range.start_time };
    t.equal((await rig.refused("get_thoughts_in_range", backwards)).code, "INVALID_ARGUMENT");
    const unreadable = await rig.refused("get_thoughts_in_range", { ...range, start_time: "yesterday" });
    t.match(unreadable, { code: "INVALID_ARGUMENT", message: /start_time.*ISO 8601/ });
    t.equal(
      (await rig.refused("get_thoughts_in_range", { ...range, start_time: "2026-02-30" })).code,
      "INVALID_ARGUMENT",
    );
  },
);

t.test(
  "a search looks through observation, hypothesis and reasoning in any case, and not further",
  async (t) => {
    const rig = await rigFor(t);
    await rig.get(
      "log_thought",
      thought("Blätter WELKEN", { uncertainties: "only-here", tags: ["tag-only"] }),
    );
    for (const keyword of ["welken", "BLÄTTER", "Thirsty", "leaves hang"]) {
      t.equal((await rig.get("search_thoughts", { keyword })).count, 1, keyword);
    }
    for (const keyword of ["only-here", "tag-only", "%", "_"]) {
      t.equal((await rig.get("search_thoughts", { keyword })).count, 0, keyword);
    }
    await rig.pass(hours(25));
    t.equal((await rig.get("search_thoughts", { keyword: "welken" })).count, 0, "older than the last 24 h");
    t.equal((await rig.get("search_thoughts", { keyword: "welken", hours: 26 })).count, 1);
  },
);

t.test("bucketed thoughts: 12 h at 0.042 an hour are one bucket, not none", async (t) => {
  const rig = await rigFor(t);
  await rig.get("log_thought", thought("a"));
  const daily = { hours: 12, samples_per_hour: 0.042, aggregation: "count" };
  t.match(await rig.get("get_thought_history_bucketed", daily), {
    bucket_seconds: 86_400,
    coverage: { records: 1, buckets: 1, buckets_with_data: 1 },
    items: [{ value: 1, count: 1 }],
  });
});

t.test(
  "every note is archived, also two within a millisecond, and nothing the agent sees says so",
  async (t) => {
    const rig = await rigFor(t);
    t.same(await rig.get("fetch_notes"), { content: "", timestamp: null, note_length_chars: 0 });
    await rig.get("save_notes", { content: "erste 🌱" });
    await rig.get("save_notes", { content: "zweite", mode: "append" });
    const note = await rig.get("fetch_notes");
    t.match(note, { content: "erste 🌱\nzweite", note_length_chars: 14 });
    const files = (await readdir(join(rig.state, "notes"))).sort();
    t.equal(files.length, 2);
    t.equal(await readFile(join(rig.state, "notes", files[0] ?? ""), "utf8"), "erste 🌱");
    const tools = rig.core.registry.list({ name: "agent", role: "agent" });
    const told = JSON.stringify(tools.filter(({ name }) => name.endsWith("_notes")));
    t.match(told, /save_notes.*fetch_notes|fetch_notes.*save_notes/);
    t.notMatch(told, /archiv/i);
    await rig.restart();
    t.same(await rig.get("fetch_notes"), note);
  },
);

t.test("a message has 1 to 50,000 characters, and an unknown in_reply_to is an error", async (t) => {
  const rig = await rigFor(t);
  const longest = "🌱".repeat(50_000);
  t.match(await rig.get("send_message_to_human", { message: longest }), { message_id: /^\d+$/ });
  t.equal((await rig.refused("send_message_to_human", { message: `${longest}!` })).code, "INVALID_ARGUMENT");
  t.equal((await rig.refused("send_message_to_human", { message: "" })).code, "INVALID_ARGUMENT");
  t.equal(
    (await rig.refused("send_message_to_human", { message: "x", in_reply_to: "999" })).code,
    "UNKNOWN_MESSAGE",
  );
  t.equal(
    (await rig.refused("send_message_to_human", { message: "x", in_reply_to: "1e0" })).code,
    "UNKNOWN_MESSAGE",
  );
});

t.test("messages are listed newest first and know when they were delivered and read", async (t) => {
  const rig = await rigFor(t);
  t.same(await rig.get("list_messages_from_human"), { messages: [] });
  for (const message of ["first", "second"]) {
    await rig.get("send_message_to_agent", { message }, { as: "human" });
    await rig.pass(seconds(1));
  }
  const list = async (args = {}) =>
    (await rig.get("list_messages_from_human", args)).messages as Record<string, unknown>[];
  const unread = await list({ include_content: false });
  t.same(
    unread.map((each) => "content" in each),
    [false, false],
  );
  t.same(
    (await list({ limit: 1 })).map(({ content }) => content),
    ["second"],
  );
  const [second, first] = await list();
  t.match(second, { content: "second", delivered_at: String, read_at: String });
  t.match(first, { content: "first", delivered_at: String, read_at: null });
  const reply = await rig.get("send_message_to_human", { message: "yes", in_reply_to: first?.message_id });
  const seen = await rig.get("list_messages_from_agent", {}, { as: "human" });
  t.match(seen.messages, [{ message_id: reply.message_id, in_reply_to: first?.message_id, content: "yes" }]);
});

t.test(
  "a person is told which letters are the agent's and which the runtime's; an agent's list is the contract's",
  async (t) => {
    const rig = await rigFor(t);
    await rig.get("send_message_to_human", { message: "runtime: I am none" }, { token: "agent.runtime" });
    const data = { input: "can", plants: ["basil"] };
    await rig.core.get(outbox).tell({ kind: "tank_empty", severity: "warning", data });
    const listed = await rig.get("list_messages_from_agent", {}, { as: "human" });
    t.match(listed.messages, [{ from: "runtime" }, { from: "agent" }]);
    await rig.get("send_message_to_agent", { message: "hello" }, { as: "human" });
    const { messages: toAgent } = await rig.get("list_messages_from_human");
    const fields = "message_id in_reply_to timestamp delivered_at read_at content".split(" ");
    t.same(Object.keys((toAgent as object[])[0] ?? {}), fields);
  },
);

t.test(
  "a search whose thoughts are too much for one answer is refused, and says what to ask instead",
  async (t) => {
    const rig = await rigFor(t);
    const long = thought("a ".repeat(50_000), { hypothesis: "b ".repeat(50_000) });
    for (let n = 1; n <= 5; n += 1) await rig.get("log_thought", long);
    const fits = await rig.get("search_thoughts", { keyword: "a a" });
    t.equal(fits.count, 5);
    await rig.get("log_thought", long);
    const refusal = await rig.refused("search_thoughts", { keyword: "a a" });
    t.match(refusal, {
      code: "RESULT_TOO_LARGE",
      message: /fewer hours or a rarer keyword/,
      details: { records: 6 },
    });
  },
);
