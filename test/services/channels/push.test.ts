import t from "tap";
import { parseConfig } from "../../../runtime/configuration.js";
import { channelsConfig } from "../../../runtime/services/channels/declarations.js";
import { AS, DONE, FAILED, leak, letter, nothing, rigAt } from "./bridge-rig.js";

const CONFIG = `server: { calls_per_second: 100000 }
people: [{ id: anna, quiet_hours: "22:00-07:00" }]
channels: { mail: { accounts: { anna: anna@example.org } }, ntfy: { accounts: { anna: phone } } }`;
/** Whose accounts have their addresses in the bridge's file. */
const PUSH = Object.entries(channelsConfig.channels.unwrap().shape).flatMap(([name, settings]) =>
  settings.safeParse({ accounts: { anna: "phone" } }).success ? [name] : [],
);
const NOON = "2026-06-01T12:00:00.000Z";
const NIGHT = "2026-06-01T23:00:00.000Z";
t.test(
  "a letter that one channel does not take goes to the next, without buttons, and comes once",
  async (t) => {
    const rig = await rigAt(t, NOON, CONFIG);
    await leak(rig);
    t.match(await letter(rig, FAILED), {
      ...{ adapter: "mail", what: "deliver" },
      arguments: { to: "anna@example.org", title: "Leak", severity: "urgent", buttons: [] },
    });
    t.match(await letter(rig, DONE), { adapter: "ntfy", arguments: { to: "phone" } });
    t.ok(await nothing(rig));
  },
);

t.test("what is urgent rings in quiet hours", async (t) => {
  const rig = await rigAt(t, NIGHT, CONFIG);
  await leak(rig);
  t.match(await letter(rig, DONE), { adapter: "mail", arguments: { title: "Leak" } });
});

t.test("a wrong account is told to its person; a channel that is down to everybody", async (t) => {
  const rig = await rigAt(
    t,
    NOON,
    `server: { calls_per_second: 100000 }
people: [{ id: anna }, { id: ben }, { id: cleo }]
channels:
  ntfy: { accounts: { anna: phone, ben: tablet, cleo: tablet } }
  mail: { accounts: { anna: anna@example.org, ben: ben@example.org, cleo: cleo@example.org } }`,
  );
  const report = (state: string, ...wrong: string[]) => {
    const accounts = wrong.map((account) => ({ account, code: "LOGIN_REFUSED", message: `${account}: no` }));
    const down = { code: "LOGIN_REFUSED", message: "no", ...(wrong.length > 0 && { accounts }) };
    return rig.get("note_channel", { channel: "ntfy", state, ...(state === "down" && down) }, AS);
  };
  const told = async () => {
    const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
    return (notifications as { over_at: unknown; data: Record<string, string> }[])
      .filter(({ over_at }) => over_at === null)
      .map(({ data }) => `${data.user_id ?? "everybody"}: ${data.message}`)
      .sort();
  };
  await report("down", "phone");
  t.same(await told(), ["anna: phone: no"]);
  await report("down", "phone", "tablet");
  t.same(await told(), ["anna: phone: no", "ben: tablet: no", "cleo: tablet: no"]);
  await report("down", "tablet");
  t.same(await told(), ["ben: tablet: no", "cleo: tablet: no"], "the phone works again");
  await report("down");
  t.same(await told(), ["everybody: no"]);
  await report("ok");
  t.same(await told(), []);
  await report("down", "of-nobody");
  t.same(await told(), ["everybody: no"]);
});

t.test("a channel's test goes to each account, and says what became of it", async (t) => {
  const rig = await rigAt(t, NOON, CONFIG);
  const asked = rig.get("test_channel", { channel: "ntfy" }, { as: "human" });
  t.match(await letter(rig, DONE), { adapter: "ntfy", arguments: { to: "phone" } });
  t.match(await asked, {
    channel: "ntfy",
    letters: [{ account: "phone", user_id: "anna", delivered: true }],
  });
});

t.test("accounts of channels stand in the configuration, and what is no account is refused there", (t) => {
  const read = (channels: string) => () =>
    parseConfig(`people: [{ id: anna }]\nchannels: ${channels}`, "tendril.yaml");
  for (const channel of PUSH) {
    t.doesNotThrow(read(`{ ${channel}: { accounts: { anna: phone } } }`));
    t.throws(read(`{ ${channel}: { accounts: { anna: 'a b' } } }`), {
      message: /must be a name that bridge\.yaml has/,
    });
  }
  for (const bad of [
    "{ mail: {} }",
    "{ mail: { accounts: {} } }",
    "{ mail: { accounts: { anna: no-address } } }",
  ])
    t.throws(read(bad), bad);
  t.end();
});
