import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { outbox } from "../../../runtime/services/outbox/outbox.js";
import { type Rig, rigFor } from "../../rig.js";

const CONFIG = `server: { calls_per_second: 100000 }
people: [{ id: anna, quiet_hours: "22:00-07:00" }]
channels: { mail: { accounts: { anna: anna@example.org } }, ntfy: { accounts: { anna: phone } } }`;
const NOON = "2026-06-01T12:00:00.000Z";
const NIGHT = "2026-06-01T23:00:00.000Z";
const BRIDGE = "0123456789abcdef";
const AS = { as: "bridge" } as const;
const DONE = { outcome: "done", result: { ref: null } };
const FAILED = { outcome: "failed", code: "TRY_LATER", message: "the mail server says to try again later" };

interface Job {
  readonly job_id: string;
  readonly adapter: string;
  readonly arguments: { readonly to: string; readonly title: string; readonly buttons: readonly object[] };
}

async function rigAt(t: Parameters<typeof rigFor>[0], start: string): Promise<Rig> {
  const rig = await rigFor(t, { config: CONFIG, start, peopleToo: true });
  await take(rig, 0);
  await rig.pass(seconds(1));
  return rig;
}

const take = async (rig: Rig, wait_s: number): Promise<readonly Job[]> =>
  (await rig.get("take_jobs", { bridge: BRIDGE, version: "1", wait_s }, AS)).jobs as Job[];

/** Waits for a letter, and answers its job. */
async function letter(rig: Rig, answer: object): Promise<Job | undefined> {
  const [job] = await take(rig, 10);
  if (job) await rig.get("answer_job", { bridge: BRIDGE, job_id: job.job_id, ...answer }, AS);
  return job;
}

const leak = (rig: Rig) =>
  rig.core.get(outbox).tell({
    ...{ kind: "leak", severity: "urgent", key: "floor" },
    data: { input: "floor", plants: ["basil"] },
  });

t.test(
  "a letter that one channel does not take goes to the next, without buttons, and comes once",
  async (t) => {
    const rig = await rigAt(t, NOON);
    await leak(rig);
    t.match(await letter(rig, FAILED), {
      ...{ adapter: "mail", what: "deliver" },
      arguments: { to: "anna@example.org", title: "LEAK", severity: "urgent", buttons: [] },
    });
    t.match(await letter(rig, DONE), { adapter: "ntfy", arguments: { to: "phone" } });
    const more = take(rig, 10);
    await rig.pass(seconds(11));
    t.same(await more, []);
  },
);

t.test("what is urgent rings in quiet hours", async (t) => {
  const rig = await rigAt(t, NIGHT);
  await leak(rig);
  t.match(await letter(rig, DONE), { adapter: "mail", arguments: { title: "LEAK" } });
});

t.test("a channel's test goes to each account, and says what became of it", async (t) => {
  const rig = await rigAt(t, NOON);
  const asked = rig.get("test_channel", { channel: "ntfy" }, { as: "human" });
  t.match(await letter(rig, DONE), { adapter: "ntfy", arguments: { to: "phone" } });
  t.match(await asked, {
    channel: "ntfy",
    letters: [{ account: "phone", user_id: "anna", delivered: true }],
  });
});

t.test(
  "accounts of mail and ntfy stand in the configuration, and what is no account is refused there",
  (t) => {
    const read = (channels: string) => () =>
      parseConfig(`people: [{ id: anna }]\nchannels: ${channels}`, "tendril.yaml");
    t.doesNotThrow(read("{ ntfy: { accounts: { anna: phone } } }"));
    for (const bad of [
      "{ mail: {} }",
      "{ mail: { accounts: {} } }",
      "{ mail: { accounts: { anna: no-address } } }",
      "{ ntfy: { accounts: { anna: 'a b' } } }",
    ])
      t.throws(read(bad), bad);
    t.end();
  },
);
