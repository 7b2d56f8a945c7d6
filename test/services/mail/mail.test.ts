import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, seconds } from "../../../drivers/units.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import { type CallOptions, type Rig, rigFor } from "../../rig.js";
import { TOOL_CONTRACTS } from "../contracts.js";

const BASE = `server: { calls_per_second: 100000 }
people: [{ id: anna, name: Anna, email: Anna@example.org, tokens: [human.anna] }, { id: ben, tokens: [human.ben] }]
mail: { allow: [shop@example.com], per_day: 3 }`;
const TO_ANNA = { to: "anna@example.org", subject: "The basil", body: "It is well." };
const TO_STRANGER = { ...TO_ANNA, to: "eve@example.net" };
const BRIDGE = "0123456789abcdef";
const AS_BRIDGE = { as: "bridge" } as const;
const SENT = { outcome: "done", result: { message_id: "<1@home.example>", server: "smtp.example.com" } };

interface Job {
  readonly job_id: string;
  readonly arguments: { readonly id: string; readonly to: string };
}

const take = async (rig: Rig, wait_s = 0): Promise<Job[]> =>
  (await rig.get("take_jobs", { bridge: BRIDGE, version: "1", wait_s }, AS_BRIDGE)).jobs as Job[];

async function rigOf(t: Test, config = BASE): Promise<Rig> {
  const rig = await rigFor(t, { config, peopleToo: true });
  await take(rig);
  return rig;
}

/** Calls `sendEmail`, and answers its job if there is one. */
async function send(rig: Rig, mail: object, options: CallOptions = {}, answer: object = SENT) {
  const call = rig.call("sendEmail", { ...mail }, options);
  const jobs = await jobsOf(rig, call);
  for (const { job_id } of jobs)
    await rig.call("answer_job", { bridge: BRIDGE, job_id, ...answer }, AS_BRIDGE);
  return { result: await call, jobs };
}

/** The jobs that come until the call has ended. */
async function jobsOf(rig: Rig, call: Promise<unknown>): Promise<Job[]> {
  const asked = take(rig, 10);
  await Promise.race([asked, call]);
  const late = await take(rig); // ends the other question
  return [...(await asked), ...late];
}

const journal = async (rig: Rig, name: string): Promise<string> =>
  readFile(join(rig.state, "journal", `${name}.jsonl`), "utf8").catch(() => "");
const answerRequest = (rig: Rig, approve: boolean, id = 1) =>
  rig.call("answer_approval", { id, approve }, { as: "human" });

t.test("a mail to a person of the house is sent unasked; the result says which server took it", async (t) => {
  const rig = await rigOf(t);
  const { result, jobs } = await send(rig, TO_ANNA);
  t.match(jobs, [
    {
      adapter: "mail",
      what: "send",
      arguments: { to: TO_ANNA.to, subject: "The basil", text: "It is well." },
    },
  ]);
  t.same(result, {
    ok: true,
    value: {
      message: "The mail to anna@example.org was accepted by smtp.example.com.",
      accepted: true,
      message_id: "<1@home.example>",
      server: "smtp.example.com",
    },
  });
  t.match((await send(rig, { ...TO_ANNA, to: "Shop@Example.com" })).result, { ok: true });
});

t.test("it is written down before the bridge has it, and the jobs' journal has no word of it", async (t) => {
  const rig = await rigOf(t);
  const call = rig.call("sendEmail", TO_ANNA);
  const [job] = await jobsOf(rig, call);
  t.match(await journal(rig, "mail"), new RegExp(`"mail":"${job?.arguments.id}","to":"anna@example.org"`));
  await rig.call("answer_job", { bridge: BRIDGE, job_id: job?.job_id, ...SENT }, AS_BRIDGE);
  await call;
  t.notMatch(await journal(rig, "jobs"), /anna|basil|well/);
});

t.test("anybody else is written to only after a person's yes, which is for this mail alone", async (t) => {
  const rig = await rigOf(t);
  const { result, jobs } = await send(rig, TO_STRANGER);
  t.match(result, { ok: false, error: { code: "APPROVAL_NEEDED" } });
  t.same(jobs, []);
  t.match((await rig.get("list_approvals", {}, { as: "human" })).approvals, [
    {
      arguments: TO_STRANGER,
      words: 'send a mail to eve@example.net with the subject "The basil" and the text "It is well."',
    },
  ]);
  t.match(await answerRequest(rig, true), { ok: true });
  t.match((await send(rig, { ...TO_STRANGER, body: "Something else." })).jobs, []);
  t.match((await send(rig, TO_STRANGER)).result, { ok: true });
  t.match((await send(rig, TO_STRANGER)).result, { ok: false, error: { code: "APPROVAL_NEEDED" } });
});

const TURNS = { skip: TOOL_CONTRACTS.has("send_chat_message") ? false : "without chats" };

t.test(
  "a mail of a person's turn is that person's to read; the owner sees where it goes",
  TURNS,
  async (t) => {
    const rig = await rigOf(t);
    const human = (token: string) => ({ as: "human", token }) as const;
    const { chat_id } = await rig.get("send_chat_message", { text: "write to Eve" }, human("human.anna"));
    const { turn_id: turn } = await rig.get("begin_turn", { kind: "conversation", chat_id });
    t.match((await send(rig, TO_STRANGER, { turn })).result, { error: { code: "APPROVAL_NEEDED" } });
    const seenBy = async (token: string) =>
      (await rig.get("list_approvals", {}, human(token))).approvals as readonly object[];
    t.match(await seenBy("human.anna"), [{ user_id: "anna", arguments: TO_STRANGER, words: /The basil/ }]);
    t.match(await seenBy("human"), [
      {
        arguments: {},
        words: "send a mail of 11 characters to eve@example.net for anna, who alone is shown the rest",
      },
    ]);
    t.same(await seenBy("human.ben"), []);
    const agent = { as: "agent" } as const;
    t.same((await rig.get("get_overview", {}, agent)).approvals, [], "an agent outside of her turn");
  },
);

t.test("a no is a no, and a configuration cannot take the question away", async (t) => {
  const rig = await rigOf(t, `${BASE}\nconfirm: { sendEmail: never }`);
  await send(rig, TO_STRANGER);
  await answerRequest(rig, false);
  const { result, jobs } = await send(rig, TO_STRANGER);
  t.match(result, { ok: false, error: { code: "APPROVAL_DENIED" } });
  t.same(jobs, []);
});

t.test("who has read words of strangers writes to nobody unasked", async (t) => {
  const rig = await rigOf(t);
  await rig.core.get(turns).taintOf({ name: "agent", role: "agent" }, undefined).add(["mail of eve"]);
  const { result, jobs } = await send(rig, TO_ANNA);
  t.match(result, {
    ok: false,
    error: { code: "APPROVAL_NEEDED", message: /after it has read words from outside \(mail of eve\)/ },
  });
  t.same(jobs, []);
});

t.test("a person's own call is not asked", async (t) => {
  const rig = await rigOf(t);
  t.match((await send(rig, TO_STRANGER, { as: "human" })).result, { ok: true });
});

t.test("what is no single plain address, or could begin a header, is refused by name", async (t) => {
  const rig = await rigOf(t);
  for (const [bad, where] of [
    [{ to: "anna@example.org\nBcc: eve@example.net" }, /to/],
    [{ to: "anna@example.org,eve@example.net" }, /to/],
    [{ to: "Anna <anna@example.org>" }, /to/],
    [{ subject: "Hi\r\nBcc: eve@example.net" }, /subject/],
    [{ subject: " " }, /subject/],
    [{ body: "a\u0007b" }, /body/],
    [{ body: "x".repeat(10_001) }, /body/],
    [{ cc: "eve@example.net" }, /cc/],
  ] as const)
    t.match(await rig.refused("sendEmail", { ...TO_ANNA, ...bad }), {
      code: "INVALID_ARGUMENT",
      message: where,
    });
});

t.test("a day has so many mails, also over a restart; what failed for certain does not count", async (t) => {
  const rig = await rigOf(t);
  const refused = { outcome: "failed", code: "TRY_LATER", message: "the mail server says to try again" };
  // a person's, since an agent that has read a server's words would be asked for the next mail
  const { result } = await send(rig, TO_ANNA, { as: "human" }, refused);
  t.match(result, { ok: false, error: { code: "JOB_FAILED", details: { cause: "TRY_LATER" } } });
  for (let at = 0; at < 3; at += 1) t.match((await send(rig, TO_ANNA)).result, { ok: true });
  t.match(await rig.refused("sendEmail", TO_ANNA), { code: "MAIL_LIMIT", retry_after_s: 86_400 });
  await rig.restart();
  await take(rig);
  t.match(await rig.refused("sendEmail", TO_ANNA), { code: "MAIL_LIMIT" });
  await rig.pass(hours(24));
  await take(rig);
  t.match((await send(rig, TO_ANNA)).result, { ok: true });
});

t.test("the same call with the same key sends one mail", async (t) => {
  const rig = await rigOf(t);
  const first = await send(rig, TO_ANNA, { key: "one" });
  const again = await send(rig, TO_ANNA, { key: "one" });
  t.same(again.jobs, []);
  t.same(again.result, first.result);
  const changed = await send(rig, { ...TO_ANNA, body: "Other." }, { key: "one" });
  t.match(changed.result, { ok: false, error: { code: "IDEMPOTENCY_CONFLICT" } });
});

t.test("a mail that a dying bridge had is unknown: told, counted, and not sent again", async (t) => {
  const rig = await rigOf(t);
  const call = rig.call("sendEmail", TO_ANNA, { key: "one" });
  t.equal((await jobsOf(rig, call)).length, 1);
  await rig.pass(seconds(61));
  t.match(await call, { ok: false, error: { code: "JOB_UNKNOWN" } });
  t.match(await journal(rig, "mail"), /"state":"unknown"/);
  await take(rig);
  t.match(await rig.refused("sendEmail", TO_ANNA, { key: "one" }), { code: "OUTCOME_UNKNOWN" });
  const news = (await rig.get("list_notifications", {}, { as: "human" })).notifications as object[];
  t.match(news[0], { kind: "job_unknown", data: { words: "send mail 1 of journal/mail.jsonl" } });
});

t.test("a runtime that is killed with a mail under way does not send it again", async (t) => {
  const rig = await rigOf(t);
  const call = rig.call("sendEmail", TO_ANNA, { key: "one" });
  await jobsOf(rig, call);
  await rig.crash();
  await rig.open();
  t.same(await take(rig), []);
  t.match(await rig.refused("sendEmail", TO_ANNA, { key: "one" }), { code: "OUTCOME_UNKNOWN" });
});

t.test("without a bridge nobody is asked, and nothing is kept for later", async (t) => {
  const rig = await rigFor(t, { config: BASE, peopleToo: true });
  for (const mail of [TO_ANNA, TO_STRANGER])
    t.match(await rig.refused("sendEmail", mail), { code: "BRIDGE_AWAY" });
  t.same(await take(rig), []);
});

t.test("without `mail:` there is no such tool", async (t) => {
  const rig = await rigFor(t, {});
  t.match((await rig.refused("sendEmail", TO_ANNA)).message, /sendEmail needs `mail:` in the configuration/);
});

t.test("what is erased of a person takes her mails along, also those that others wrote to her", async (t) => {
  const rig = await rigOf(t);
  await send(rig, { ...TO_ANNA, subject: "Geheimwort" });
  await rig.get("erase_person", { user_id: "anna" }, { as: "human" });
  t.notMatch(await journal(rig, "mail"), /Geheimwort|anna/);
});
