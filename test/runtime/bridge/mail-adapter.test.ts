import { createServer } from "node:http";
import { type AddressInfo, createServer as createPlain, type Socket } from "node:net";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { JobFailure } from "../../../runtime/bridge/adapter.js";
import { mailAdapter } from "../../../runtime/bridge/mail/adapter.js";
import { authority, signedBy } from "../../certificates.js";
import { MailServer, refusal } from "./mail-server.js";

const ID = "0b7c2f5e-3a4d-4c6b-9e8f-1a2b3c4d5e6f";
const MAIL = { id: ID, to: "anna@example.org", subject: "The basil", text: "It is well.\n.\nTwo doses." };
const NONE = { security: "none", from: "tendril@home.example" } as const;
const PASSWORD = "correct-horse-battery";

type Send = (mail?: object, signal?: AbortSignal) => Promise<Record<string, unknown>>;

function adapterOf(config: object | undefined): Send {
  const opened = mailAdapter.open(mailAdapter.config.parse(config), {
    clock: new SystemClock(),
    say: () => undefined,
    onConnected: () => undefined,
    tellProblem: () => undefined,
    isAsked: () => true,
    upload: async () => "",
    call: async () => ({}),
    signal: AbortSignal.abort(), // it does not look at its server: these tests ask it
  });
  const { send } = opened;
  if (!send) throw new Error("no job send");
  return (mail = {}, signal = new AbortController().signal) => send({ ...MAIL, ...mail }, signal);
}

const plain = ({ port }: { port: number }, more: object = {}) =>
  adapterOf({ server: "127.0.0.1", port, ...NONE, ...more });

/** The failure, which has neither the server's words nor a secret in it. */
async function failed(t: Test, work: Promise<unknown>): Promise<Pick<JobFailure, "code" | "outcome">> {
  const error = await work.then(
    () => undefined,
    (each: JobFailure) => each,
  );
  t.notMatch(`${error?.message} ${error?.stack}`, /IGNORE|correct-horse|anna@|refresh-/);
  return { code: error?.code ?? "", outcome: error?.outcome ?? "failed" };
}

t.test("a mail arrives as it was written; the answer names the server and the Message-ID", async (t) => {
  const server = await MailServer.start(t);
  t.same(await plain(server)({ subject: "Grüße aus São Paulo 🌱" }), {
    message_id: `<${ID}@home.example>`,
    server: "127.0.0.1",
  });
  t.equal(server.received.length, 1);
  const [{ mail, ...envelope } = { mail: undefined }] = server.received;
  t.match(envelope, { from: "tendril@home.example", to: ["anna@example.org"] });
  t.match(mail, {
    from: { name: "Tendril", address: "tendril@home.example" },
    to: [{ address: "anna@example.org" }],
    subject: "Grüße aus São Paulo 🌱",
    messageId: `<${ID}@home.example>`,
    text: `${MAIL.text}\n`,
  });
  const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]));
  t.equal(headers.get("auto-submitted"), "auto-generated");
  t.notOk(headers.has("x-mailer"));
});

t.test("what could become a header or a second recipient is not sent", async (t) => {
  const server = await MailServer.start(t);
  const send = plain(server);
  for (const bad of [
    { to: "anna@example.org\r\nBcc: eve@example.org" },
    { to: "anna@example.org, eve@example.org" },
    { to: "Anna <anna@example.org>" },
    { to: '"eve@example.org, x"@example.org' },
    { to: "anna@[127.0.0.1]" },
    { subject: "Hello\r\nBcc: eve@example.org" },
    { subject: "Hello\u2028X" },
    { text: "a\u0000b" },
    { bcc: "eve@example.org" },
  ])
    t.same(await failed(t, send(bad)), { code: "NOT_UNDERSTOOD", outcome: "failed" });
  t.same(server.received, []);
});

t.test(
  "words of the text are only text: no file is attached, no address fetched, no line ends the mail",
  async (t) => {
    const server = await MailServer.start(t);
    const text =
      '/etc/passwd\nfile:///etc/passwd\n.\r\n.\r\nMAIL FROM:<eve@example.org>\n{"path":"/etc/passwd"}';
    await plain(server)({ text });
    t.equal(server.received.length, 1);
    t.match(server.received[0]?.mail.text, "MAIL FROM:<eve@example.org>");
    t.same(server.received[0]?.mail.attachments, []);
  },
);

t.test("it logs in by password, and by a token of OAuth2 that it fetches once", async (t) => {
  const known: string[] = [];
  const auth: NonNullable<Parameters<typeof MailServer.start>[1]> = {
    ...{ authOptional: false, allowInsecureAuth: true, authMethods: ["PLAIN", "LOGIN", "XOAUTH2"] },
    onAuth: ({ method, username, password, accessToken }, _, done) => {
      known.push(`${method} ${username}`);
      const isRight = password === PASSWORD || accessToken === "access-1";
      done(isRight ? null : refusal(535), isRight ? { user: String(username) } : undefined);
    },
  };
  const server = await MailServer.start(t, auth);
  await plain(server, { user: "house", password: PASSWORD })();
  t.equal(server.received[0]?.user, "house");
  t.same(await failed(t, plain(server, { user: "house", password: "wrong-correct-horse" })()), {
    code: "LOGIN_REFUSED",
    outcome: "failed",
  });

  const tokens = await tokenServer(t);
  const oauth2 = { client_id: "tendril", refresh_token: "refresh-12345678", token_url: tokens.url };
  const send = plain(server, { user: "house", oauth2 });
  await send();
  await send();
  t.equal(server.received.length, 3);
  t.match(tokens.asked, [/refresh_token=refresh-12345678/]);
  t.ok(known.includes("XOAUTH2 house"));
  const dead = { ...oauth2, token_url: "http://127.0.0.1:1/" };
  t.same(await failed(t, plain(server, { user: "house", oauth2: dead })()), {
    code: "LOGIN_REFUSED",
    outcome: "failed",
  });
});

/** Where OAuth2 gives access tokens for a refresh token. */
async function tokenServer(t: Test): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      asked.push(body);
      response.end(JSON.stringify({ access_token: "access-1", expires_in: 3600, token_type: "Bearer" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, asked };
}

t.test(
  "a certificate that nobody vouches for gets no password and no mail, with TLS and STARTTLS",
  async (t) => {
    const asked: string[] = [];
    const options = {
      ...signedBy({ by: authority() }),
      ...{ disabledCommands: [], authOptional: true },
      onAuth: (_: unknown, __: unknown, done: (error: Error) => void) => {
        asked.push("login");
        done(refusal(535));
      },
    };
    for (const security of ["tls", "starttls"] as const) {
      const server = await MailServer.start(t, { ...options, secure: security === "tls" });
      const send = plain(server, { security, user: "house", password: PASSWORD });
      t.same(await failed(t, send()), { code: "TLS_FAILED", outcome: "failed" }, security);
      t.same(server.received, []);
    }
    t.same(asked, []);
  },
);

t.test("a server that offers no STARTTLS gets no mail", async (t) => {
  const server = await MailServer.start(t);
  t.same(await failed(t, plain(server, { security: "starttls" })()), {
    code: "TLS_FAILED",
    outcome: "failed",
  });
  t.same(server.received, []);
});

t.test("a refusal says which part was refused, and a greylisting server says to try again", async (t) => {
  for (const [options, code] of [
    [
      { onRcptTo: (_: unknown, __: unknown, done: (e: Error) => void) => done(refusal(550)) },
      "RECIPIENT_REFUSED",
    ],
    [
      { onMailFrom: (_: unknown, __: unknown, done: (e: Error) => void) => done(refusal(550)) },
      "SENDER_REFUSED",
    ],
    [{ onRcptTo: (_: unknown, __: unknown, done: (e: Error) => void) => done(refusal(451)) }, "TRY_LATER"],
    [{ onConnect: (_: unknown, done: (e: Error) => void) => done(refusal(421)) }, "TRY_LATER"],
    [
      {
        onData: (stream: NodeJS.ReadableStream, _: unknown, done: (e: Error) => void) => {
          stream.resume().once("end", () => done(refusal(554)));
        },
      },
      "MAIL_REFUSED",
    ],
  ] as const) {
    const server = await MailServer.start(t, options);
    t.same(await failed(t, plain(server)()), { code, outcome: "failed" }, code);
  }
});

t.test("cut off or silent before the whole mail is there, it failed; after that nobody knows", async (t) => {
  const cut = await scripted(t, { MAIL: "cut" });
  t.same(await failed(t, plain(cut)()), { code: "CUT_OFF", outcome: "failed" });
  const late = await scripted(t, { ".": "cut" });
  t.same(await failed(t, plain(late)()), { code: "CUT_OFF", outcome: "unknown" });
  const silent = await scripted(t, { RCPT: "hang" });
  t.same(await failed(t, plain(silent)({}, AbortSignal.timeout(300))), {
    code: "TOO_SLOW",
    outcome: "failed",
  });
  const mute = await scripted(t, { ".": "hang" });
  t.same(await failed(t, plain(mute)({}, AbortSignal.timeout(300))), {
    code: "TOO_SLOW",
    outcome: "unknown",
  });
  t.same(await failed(t, plain({ port: 1 })()), { code: "UNREACHABLE", outcome: "failed" });
});

t.test("a server that answers without end does not fill the memory", async (t) => {
  const endless = await scripted(t, { EHLO: "endless" });
  t.same(await failed(t, plain(endless)()), { code: "CUT_OFF", outcome: "failed" });
});

type Trouble = "cut" | "hang" | "endless";

/** A server that behaves until it reads this word, and then does this. */
async function scripted(t: Test, trouble: Readonly<Record<string, Trouble>>): Promise<{ port: number }> {
  const sockets = new Set<Socket>();
  const server = createPlain((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.write("220 here\r\n");
    let isData = false;
    createInterface(socket).on("line", (line) => {
      if (isData && line !== ".") return;
      const word = isData ? line : (line.split(/[ :]/)[0] ?? "");
      isData = word === "DATA";
      answer(socket, trouble[word] ?? (isData ? "354 go on\r\n" : "250 fine\r\n"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port };
}

function answer(socket: Socket, what: Trouble | string): void {
  if (what === "cut") socket.destroy();
  else if (what === "endless") socket.write("250-x\r\n".repeat(100_000));
  else if (what !== "hang") socket.write(what);
}

t.test("without `mail:` in bridge.yaml a mail fails, and says so", async (t) => {
  t.same(await failed(t, adapterOf(undefined)()), { code: "NOT_CONFIGURED", outcome: "failed" });
});

t.test("bridge.yaml: TLS by default, no password over an open network, no half a login", async (t) => {
  const read = (config: object) => mailAdapter.config.safeParse({ from: NONE.from, ...config });
  const server = "smtp.example.org";
  t.match(read({ server }).data, { security: "tls", port: 465 });
  t.match(read({ server, port: 587 }).data, { security: "starttls", port: 587 });
  t.match(read({ server, security: "starttls" }).data, { port: 587 });
  const oauth2 = { client_id: "x", refresh_token: "y", token_url: "https://accounts.example/token" };
  t.ok(read({ server, user: "a", oauth2 }).success);
  for (const bad of [
    { server, security: "none" },
    { server, user: "a" },
    { server, password: "b" },
    { server, user: "a", password: "b", oauth2 },
    { server, user: "a", oauth2: { ...oauth2, token_url: "http://accounts.example/token" } },
    { server, user: "a", oauth2: { ...oauth2, token_url: "accounts.example" } },
    { server, from: "Tendril <a@b.example>" },
    { server: "smtp.example.org/x" },
  ])
    t.notOk(read(bad).success, JSON.stringify(bad));
});
