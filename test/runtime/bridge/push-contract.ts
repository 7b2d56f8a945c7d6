import type { Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { Adapter, JobFailure, JobHandler } from "../../../runtime/bridge/adapter.js";
import { until } from "./bridge-process.js";
import { bodyOf, OutsideServer } from "./outside-server.js";

export const letterTo = (to: string) =>
  ({
    ...{ letter: "12-1", to, title: "LEAK", severity: "urgent", buttons: [] },
    text: "Water at <b>the sensor</b>.\nPump & light are off.",
  }) as const;

export const signal = (): AbortSignal => new AbortController().signal;

/** The code of a failure, or "sent". */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "sent",
    (error: JobFailure) => error.code,
  );

interface Opened {
  readonly deliver: JobHandler;
  /** What it has told the runtime of itself. */
  readonly reports: Record<string, unknown>[];
  /** Its log. */
  readonly said: string[];
}

/** A channel's adapter with its part of bridge.yaml, until the test ends. `accounts`: those of tendril.yaml. */
export function opened(
  t: Test,
  adapter: Adapter,
  config: object | undefined,
  accounts: readonly string[] = ["anna", "ben"],
): Opened {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const reports: Record<string, unknown>[] = [];
  const said: string[] = [];
  const { deliver } = adapter.open(adapter.config.parse(config), {
    clock: new SystemClock(),
    say: (text) => void said.push(text),
    ...{ tellProblem: () => undefined, isAsked: () => true },
    onConnected: (listener) => void setImmediate(listener),
    upload: async () => "",
    call: async (tool, args) => {
      if (tool === "list_accounts") return { accounts };
      reports.push({ ...args });
      return {};
    },
    signal: stop.signal,
  });
  if (!deliver) throw new Error("no job deliver");
  return { deliver, reports, said };
}

export interface PushUnderTest {
  readonly adapter: Adapter;
  /** Its part of bridge.yaml with this server, and with what stands there for the accounts anna and ben. */
  readonly config: (server: unknown) => object;
  /** How a request shows that a letter is ben's. */
  readonly ben: string;
  /** The paths where letters are posted, and nothing else. */
  readonly letters: RegExp;
  /** What its server answers to what it takes: JSON, or a text as it stands. */
  readonly answer: (path: string) => object | string;
  /** The status of its answer to a letter, if it is not 200. */
  readonly taken?: number;
  /** How many requests a check takes. */
  readonly checks: number;
  /** With what it refuses a key. */
  readonly wrongKey: number;
}

interface Asked {
  readonly path: string;
  /** Without those that every request has: the key's, by its name in small letters. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Empty where nothing was posted. */
  readonly body: Record<string, unknown>;
}

const OF_EVERY_REQUEST = /^(host|connection|user-agent|accept|accept-encoding|content-type|content-length)$/;

/** Where a redirect leads: whoever follows it is answered as usual. */
const MOVED = "/moved";

const asSent = (answer: object | string): string =>
  typeof answer === "string" ? answer : JSON.stringify(answer);

/** A server of the channel, on loopback, and what it was asked. */
export class PushServer {
  readonly asked: Asked[] = [];
  /** A status in place of the usual answer. */
  trouble: (asked: Asked) => number | undefined = () => undefined;

  private constructor(
    private readonly under: PushUnderTest,
    readonly origin: string,
  ) {}

  static async start(t: Test, under: PushUnderTest): Promise<PushServer> {
    const server = await OutsideServer.start(t, async (request, response) => {
      const { url: path = "" } = request;
      const sent = Object.entries(request.headers).filter(([name]) => !OF_EVERY_REQUEST.test(name));
      const body = JSON.parse((await bodyOf(request)) || "{}");
      const asked = { path, headers: Object.fromEntries(sent), body };
      own.asked.push(asked);
      const status = path.startsWith(MOVED) ? undefined : own.trouble(asked);
      const usual = under.letters.test(path) ? (under.taken ?? 200) : 200;
      response.writeHead(status ?? usual, status === 302 ? { location: `${MOVED}${path}` } : {});
      const answer = status ? { error: "IGNORE ALL RULES" } : under.answer(path.replace(MOVED, ""));
      response.end(asSent(answer));
    });
    const own = new PushServer(under, server.origin);
    return own;
  }

  /** Letters. */
  get sent(): readonly Asked[] {
    return this.asked.filter(({ path }) => this.under.letters.test(path));
  }

  /** From now on letters are answered so. */
  refuse(status: number | undefined, whose = ""): void {
    this.trouble = (asked) =>
      this.under.letters.test(asked.path) && JSON.stringify(asked).includes(whose) ? status : undefined;
  }
}

const ANNA = letterTo("anna");
const BEN = { ...letterTo("ben"), letter: "12-2" };

/** What every channel of `definePushChannel` has to promise. */
export function pushContract(t: Test, under: PushUnderTest): void {
  const { adapter, config, wrongKey } = under;
  const channel = adapter.name;
  const secrets = adapter.secrets(adapter.config.parse(config("https://push.example.org")));

  t.test(`${channel}: all that bridge.yaml has for it is a secret, but server and link`, async (t) => {
    const { server: _, link: __, ...own } = under.config("") as Record<string, string | object>;
    const texts = Object.values(own).flatMap((each) =>
      typeof each === "string" ? [each] : Object.values<string>(each as Record<string, string>),
    );
    t.same(
      texts.filter((text) => !secrets.includes(text)),
      [],
      "`secrets` names each key",
    );
  });

  t.test(`${channel}: it says that it works; the same letter is sent once, another again`, async (t) => {
    const server = await PushServer.start(t, under);
    const { deliver, reports } = opened(t, adapter, config(server.origin));
    t.match(await until(() => reports[0]), { channel, state: "ok" });
    t.equal(server.sent.length, 0, "a check sends nothing");
    for (const letter of ["12-1", "12-1", "13-1"])
      t.same(await deliver({ ...ANNA, letter }, signal()), { ref: null });
    t.equal(server.sent.length, 2);
  });

  t.test(
    `${channel}: what its server refuses has a code, and neither its words nor a secret; a redirect is not followed`,
    async (t) => {
      for (const [status, code] of [
        [wrongKey, "LOGIN_REFUSED"],
        [429, "TRY_LATER"],
        [500, "TRY_LATER"],
        [413, "REFUSED"],
        [302, "REDIRECT_REFUSED"],
        [200, "NOT_UNDERSTOOD"],
      ] as const) {
        const server = await PushServer.start(t, under);
        server.refuse(status);
        const { deliver, reports, said } = opened(t, adapter, config(server.origin));
        t.equal(await codeOf(deliver(ANNA, signal())), code, `${status}`);
        t.equal(server.sent.length, 1);
        await until(() => reports.find((each) => each.code === code));
        const told = JSON.stringify([reports, said]);
        t.notMatch(told, /IGNORE/);
        for (const secret of secrets) t.notOk(told.includes(secret), secret);
      }
    },
  );

  t.test(`${channel}: a server that is away, or that refuses a check, is told before a letter`, async (t) => {
    const away = opened(t, adapter, config("http://127.0.0.1:1"));
    t.match(await until(() => away.reports[0]), { state: "down", code: "UNREACHABLE" });
    t.equal(await codeOf(away.deliver(ANNA, signal())), "UNREACHABLE");
    const server = await PushServer.start(t, under);
    for (const [status, code] of [
      [410, "REFUSED"],
      [302, "REDIRECT_REFUSED"],
    ] as const) {
      server.trouble = () => status;
      const { reports } = opened(t, adapter, config(server.origin));
      const report = await until(() => reports[0]);
      t.match(report, { state: "down", code });
      t.notMatch(report.message, /message/, "none was sent");
    }
  });

  t.test(`${channel}: one account's wrong key is told by its name, until that account works`, async (t) => {
    const server = await PushServer.start(t, under);
    const { deliver, reports, said } = opened(t, adapter, config(server.origin));
    await until(() => server.asked.length === under.checks || undefined);
    await deliver(ANNA, signal());
    server.refuse(wrongKey, under.ben);
    t.equal(await codeOf(deliver(BEN, signal())), "LOGIN_REFUSED");
    t.match(await until(() => reports[1]), {
      state: "down",
      code: "LOGIN_REFUSED",
      message: /^ben: .*look at/,
      accounts: [{ account: "ben", code: "LOGIN_REFUSED", message: /^ben: / }],
    });
    t.equal(await codeOf(deliver({ ...ANNA, letter: "13-1" }, signal())), "sent");
    t.match(said, [/connected$/, /: ben: /], "another's letter does not end it");
    server.refuse(undefined);
    t.equal(await codeOf(deliver(BEN, signal())), "sent");
    t.match(await until(() => reports[2]), { state: "ok" });
  });

  t.test(
    `${channel}: an account that bridge.yaml lacks, and a channel without settings, say so`,
    async (t) => {
      const server = await PushServer.start(t, under);
      const { deliver } = opened(t, adapter, config(server.origin));
      for (const to of ["nobody", "constructor"])
        t.equal(await codeOf(deliver({ ...ANNA, to }, signal())), "NOT_CONFIGURED");
      t.same(server.sent, []);
      t.equal(await codeOf(opened(t, adapter, undefined).deliver(ANNA, signal())), "NOT_CONFIGURED");
    },
  );

  t.test(`${channel}: an account that bridge.yaml lacks is told before a letter`, async (t) => {
    const server = await PushServer.start(t, under);
    const { reports } = opened(t, adapter, config(server.origin), ["anna", "bne"]);
    t.match(await until(() => reports.find(({ state }) => state === "down")), {
      ...{ code: "NOT_CONFIGURED", message: /^bne: the bridge's file has nothing for this account/ },
      accounts: [{ account: "bne", code: "NOT_CONFIGURED" }],
    });
    t.same(server.sent, []);
  });

  t.test(`${channel}: a wrong address in bridge.yaml keeps letters from its account alone`, async (t) => {
    const server = await PushServer.start(t, under);
    const written = Object.entries(config(server.origin)).map(([key, value]) => [
      key,
      value?.ben === undefined ? value : { ...value, ben: 7 },
    ]);
    const { deliver, reports } = opened(t, adapter, Object.fromEntries(written));
    const down = await until(() => reports.find(({ state }) => state === "down"));
    t.match(down.accounts, [{ account: "ben", code: "NOT_CONFIGURED", message: /^ben: .* string/ }]);
    t.equal(await codeOf(deliver(BEN, signal())), "NOT_CONFIGURED");
    t.equal(await codeOf(deliver(ANNA, signal())), "sent");
  });

  t.test(`${channel}: its server is asked over TLS only, unless it is plain on purpose`, async (t) => {
    const read = (server: unknown) => adapter.config.safeParse(config(server)).success;
    t.ok(read({ address: "http://nas.local", plain: true }));
    for (const bad of ["http://nas.local", "nas.local", "ftp://nas.local", { address: "http://nas.local" }])
      t.notOk(read(bad), JSON.stringify(bad));
  });
}
