import t, { type Test } from "tap";
import { ntfyAdapter } from "../../../runtime/bridge/ntfy/adapter.js";
import { until } from "./bridge-process.js";
import { letterTo, opened, PushServer, pushContract, signal } from "./push-contract.js";

const LINK = "https://tendril.local:8732/";
const TOPIC = "basil-0123456789abcdef";
const LETTER = letterTo("anna");

/** As docs.ntfy.sh says that a server answers. */
const NTFY = {
  adapter: ntfyAdapter,
  config: (server: unknown) => ({
    ...{ server, token: "tk_0123456789", link: LINK },
    topics: { anna: TOPIC, ben: "fern-0123456789abcdef" },
  }),
  ben: "fern-",
  letters: /^\/$/,
  answer: (path: string) =>
    path === "/v1/health" ? { healthy: true } : { id: "hwQ2YpKdmg", event: "message" },
  checks: 1,
  wrongKey: 403,
};

pushContract(t, NTFY);

const ntfyAt = (t: Test, { origin }: PushServer) => opened(t, ntfyAdapter, NTFY.config(origin));

t.test(
  "a push by ntfy: topic, title, priority by severity, and a button that only shows the page",
  async (t) => {
    const server = await PushServer.start(t, NTFY);
    const { deliver } = ntfyAt(t, server);
    await deliver(LETTER, signal());
    const id = server.sent[0]?.body.sequence_id;
    t.match(id, /^[0-9a-f]{32}$/);
    t.same(server.sent, [
      {
        path: "/",
        headers: { authorization: "Bearer tk_0123456789" },
        body: {
          topic: TOPIC,
          title: "LEAK",
          message: LETTER.text,
          priority: 5,
          tags: ["rotating_light"],
          sequence_id: id,
          click: LINK,
          actions: [{ action: "view", label: "Open the page", url: LINK }],
        },
      },
    ]);
    await deliver({ ...LETTER, letter: "13-1", severity: "info" }, signal());
    await ntfyAt(t, server).deliver(LETTER, signal());
    const [, other, again] = server.sent.map((each) => each.body);
    t.equal(other?.priority, 3);
    t.not(other?.sequence_id, id);
    t.equal(again?.sequence_id, id, "after a restart too: it replaces the first");
  },
);

t.test(
  "a long message is cut at a whole character, with a mark, so that ntfy makes no file of it",
  async (t) => {
    const server = await PushServer.start(t, NTFY);
    await ntfyAt(t, server).deliver({ ...LETTER, text: "🌱".repeat(2000) }, signal());
    const message = String(server.sent[0]?.body.message);
    t.ok(Buffer.byteLength(message) <= 4096, `${Buffer.byteLength(message)} bytes`);
    t.match(message, /^(🌱)+… \(the rest is on the page\)$/u);
  },
);

t.test("a topic that ntfy cannot have is told with its account, and is not shown", async (t) => {
  const server = await PushServer.start(t, NTFY);
  const { reports } = opened(t, ntfyAdapter, {
    server: server.origin,
    topics: { anna: "a topic", ben: TOPIC },
  });
  t.equal(
    (await until(() => reports.find(({ state }) => state === "down"))).message,
    "anna: the bridge's file has something wrong for this account under ntfy: topics: must be 1–64 of A–Z, a–z, 0–9, _ and -",
  );
});

t.test("bridge.yaml: `plain` beside the server as before; a link carries no secret", async (t) => {
  const read = (config: object) => ntfyAdapter.config.safeParse({ topics: { anna: TOPIC }, ...config });
  t.match(read({}).data, { server: { url: { href: "https://ntfy.sh/" }, plain: false } });
  t.match(read({ server: "http://nas.local", plain: true }).data, {
    server: { url: { href: "http://nas.local/" }, plain: true },
  });
  t.match(read({ plain: true }).data, { server: { url: { href: "https://ntfy.sh/" } } });
  for (const bad of [
    { server: "http://nas.local", plain: false },
    { server: "http://nas.local", plain: "yes" },
    { link: "https://tendril.local/?token=abc" },
    { link: "javascript:alert(1)" },
    { topics: ["a-topic"] },
    { token: "tk\n1" },
  ])
    t.notOk(read(bad).success, JSON.stringify(bad));
});
