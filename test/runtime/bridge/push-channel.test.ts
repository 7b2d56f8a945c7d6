import t from "tap";
import { z } from "zod";
import { outsideAddress } from "../../../runtime/bridge/http/address.js";
import { accountAddresses, cutTo, definePushChannel } from "../../../runtime/bridge/push-channel.js";
import { LONGEST_FAILURE } from "../../../runtime/wire/bridge.js";
import { until } from "./bridge-process.js";
import { codeOf, letterTo, opened, PushServer, pushContract, signal } from "./push-contract.js";

const taken = z.object({ status: z.literal(1) });

/** A service that is not like ntfy: its key is in what is posted, a wrong one is a 400, and it knows each account. */
const pager = definePushChannel({
  ...{ name: "pager", called: "Pager" },
  config: z.strictObject({
    server: outsideAddress(),
    token: z.string(),
    users: accountAddresses(z.string()),
  }),
  accounts: "users",
  secrets: ({ token }) => [token],
  wrongKey: { statuses: [400], lookAt: "token and users" },
  checks: ({ token }, accounts) => [
    { path: "1/health.json", answer: taken },
    ...accounts.map(({ account, address: user }) => ({
      ...{ account, path: "1/users.json", body: { token, user }, answer: taken },
    })),
  ],
  send: ({ text }, user, { token }) => ({
    path: "1/messages.json",
    body: { token, user, message: cutTo(10, text, (part) => [...part].length, "…") },
    answer: taken,
  }),
});

const PAGER = {
  adapter: pager,
  config: (server: unknown) => ({
    ...{ server, token: "app-0123456789", users: { anna: "user-anna-0123", ben: "user-ben-0123" } },
  }),
  ben: "user-ben",
  letters: /^(\/push)?\/1\/messages\.json$/,
  answer: () => ({ status: 1 }),
  checks: 3,
  wrongKey: 400,
};

pushContract(t, PAGER);

/** A chat's incoming webhooks: the account's key is in the path, and the answer is a text that is no JSON. */
const hooks = definePushChannel({
  ...{ name: "hooks", called: "Hooks" },
  config: z.strictObject({ server: outsideAddress(), hooks: accountAddresses(z.string()) }),
  accounts: "hooks",
  wrongKey: { statuses: [404], lookAt: "hooks" },
  checks: () => [{ path: "ping", answer: z.object({ status: z.literal("OK") }) }],
  send: ({ text }, hook) => ({
    ...{ path: `hooks/${encodeURIComponent(hook)}`, body: { text }, answer: z.literal("ok") },
  }),
});

const HOOKS = {
  adapter: hooks,
  config: (server: unknown) => ({ server, hooks: { anna: "hook-anna-0123", ben: "hook-ben-0123" } }),
  ben: "hook-ben",
  letters: /^\/hooks\//,
  answer: (path: string) => (path === "/ping" ? { status: "OK" } : "ok"),
  ...{ checks: 1, wrongKey: 404 },
};

pushContract(t, HOOKS);

/** A server whose answer has no text when it has taken a letter. */
const silent = definePushChannel({
  ...{ name: "silent", called: "Silent" },
  config: z.strictObject({ server: outsideAddress(), users: accountAddresses(z.string()) }),
  accounts: "users",
  wrongKey: { statuses: [404], lookAt: "users" },
  checks: () => [{ path: "ping", answer: z.undefined() }],
  send: ({ text }, user) => ({ path: user, body: { text }, answer: z.undefined() }),
});

t.test("a page of something else is no answer, neither in place of a word nor of no text", async (t) => {
  for (const [adapter, accounts] of [
    [hooks, "hooks"],
    [silent, "users"],
  ] as const) {
    const taken = adapter === hooks ? "ok" : "";
    for (const [answer, code] of [
      [taken, "sent"],
      ["<html>Welcome to your router</html>", "NOT_UNDERSTOOD"],
    ] as const) {
      const server = await PushServer.start(t, { ...HOOKS, adapter, answer: () => answer });
      const config = { server: server.origin, [accounts]: { anna: "hook-anna-0123" } };
      const { deliver } = opened(t, adapter, config);
      t.equal(await codeOf(deliver(letterTo("anna"), signal())), code, `${adapter.name}: ${answer}`);
    }
  }
});

t.test("a path of the server's address is kept, and a text is cut as the server counts", async (t) => {
  const server = await PushServer.start(t, PAGER);
  const { deliver } = opened(t, pager, PAGER.config(`${server.origin}/push`));
  await deliver({ ...letterTo("anna"), text: "🌱".repeat(10) }, signal());
  await deliver({ ...letterTo("anna"), letter: "2", text: "🌱".repeat(11) }, signal());
  t.same(
    server.sent.map(({ body }) => body.message),
    ["🌱".repeat(10), `${"🌱".repeat(9)}…`],
  );
});

t.test("an account that its server does not know is told before the first letter", async (t) => {
  for (const [status, code, words] of [
    [400, "LOGIN_REFUSED", "refused (400): look at token and users in bridge.yaml"],
    [404, "REFUSED", "refused to be checked: look at its address in bridge.yaml (404)"],
  ] as const) {
    const server = await PushServer.start(t, PAGER);
    server.trouble = ({ body }) => (body.user === "user-ben-0123" ? status : undefined);
    const { deliver, reports, said } = opened(t, pager, PAGER.config(`${server.origin}/push`));
    const down = await until(() => reports.find(({ state }) => state === "down"));
    t.match(down, { code, message: `ben: the Pager server ${words}` });
    await deliver(letterTo("anna"), signal());
    t.match(said.at(-1), /ben: /, "another's letter does not end it");
  }
});

t.test(
  "troubles of many accounts are one report that the runtime takes, and each is in the log",
  async (t) => {
    const server = await PushServer.start(t, PAGER);
    const { deliver, reports, said } = opened(t, pager, PAGER.config(`${server.origin}/push`));
    await until(() => reports[0]);
    for (let nth = 1; nth <= 9; nth += 1)
      await codeOf(deliver({ ...letterTo(`person-${nth}`), letter: `${nth}` }, signal()));
    t.equal(said.length, 1 + 9);
    const words = await until(() => {
      const message = String(reports.at(-1)?.message);
      return message.endsWith("…") ? message : undefined;
    });
    t.match(words, /^person-1: the bridge's file has nothing .*; person-2: /);
    t.ok(words.length <= LONGEST_FAILURE);
  },
);
