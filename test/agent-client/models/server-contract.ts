import { getEventListeners } from "node:events";
import type { Test } from "tap";
import { createModel, secretsIn } from "../../../agent-client/models/index.js";
import { seconds } from "../../../drivers/units.js";
import { never, OPENING, TOOLS } from "./conversations.js";
import { type Answering, inOrder } from "./fake-server.js";
import { type Asking, environmentOf, namesOf, type Speaker } from "./speaker.js";

/** The part of the contract of models about servers that fail, stops, addresses and keys. */
export function serverContract(t: Test, speaker: Speaker, asking: Asking): void {
  failures(t, speaker, asking);
  stops(t, speaker, asking);
  addresses(t, speaker);
  if (speaker.key !== undefined) keys(t, speaker, asking, speaker.key);
}

function failures(t: Test, speaker: Speaker, asking: Asking): void {
  const { says, refuses, missing, usage } = speaker;
  const { address } = namesOf(speaker);
  t.test(
    "what goes wrong has the kind that helps, is said in words, and is asked no second time",
    async (t) => {
      const page = { type: "text/html", body: `<h1>Bad\nGateway</h1>${"x".repeat(5000)}` };
      const early = '{"begin": [{';
      const table: [string, Answering, string, RegExp][] = [
        ["no such model", missing.answer, "person", missing.advice],
        [
          "a model without tools",
          refuses(400, "small does not support tools"),
          "person",
          /^small cannot call tools/,
        ],
        [
          "a conversation that does not fit",
          refuses(400, "request (20000 tokens) exceeds the available context size (16384 tokens)"),
          "cycle",
          /^the conversation .*small's/,
        ],
        ["a wrong key", refuses(401, "unauthorized"), "person", /refuses the key|answered 401: unauthorized/],
        [
          "no memory",
          refuses(500, "it requires more memory"),
          "away",
          /answered 500: it requires more memory$/,
        ],
        ["a busy server", refuses(503, "please try again."), "away", /answered 503: please try again\.$/],
        ["too much at once", refuses(429, "too many requests"), "away", /too many requests/],
        [
          "a proxy's page",
          () => ({ ...page, status: 502 }),
          "away",
          /answered 502: <h1>Bad Gateway<\/h1>x{150,200}…$/,
        ],
        [
          "a page that says all is well",
          () => page,
          "person",
          /^http:\S+ answered with a web page \(<h1>Bad Gateway.*…\): \S/,
        ],
        [
          "a stream of events",
          () => ({ type: "text/event-stream", body: "data: {}\n\n" }),
          "person",
          /sends a stream of events, although a whole answer was asked for: switch streaming off/,
        ],
        [
          "JSON that ends early",
          () => ({ body: early }),
          "broken",
          /broke off or is not JSON: look at its log/,
        ],
        ["a line cut", () => ({ body: early, cut: true }), "broken", /broke off or is not JSON/],
        ["a line reset", () => ({ body: early, cut: "reset" }), "broken", /broke off or is not JSON/],
        [
          "something else that answers",
          () => ({ body: { hello: "world" } }),
          "person",
          new RegExp(`does not answer with a reply in the form of its API: .*${address}`),
        ],
        [
          "an error that calls itself a success",
          refuses(200, "try again later."),
          "away",
          /answered 200: try again later\.$/,
        ],
        ["a cut reply", says({ cut: true }), "cycle", new RegExp(`off after ${usage.output} tokens`)],
      ];
      const printed = t.capture(console, "log");
      for (const [title, script, kind, message] of table) {
        const { ask } = await asking(t, inOrder(script));
        await t.rejects(ask(), { name: "ModelError", kind, message }, title);
      }
      t.strictSame(printed(), [], "and nothing is printed");
    },
  );

  t.test("a pause that the server asks for in a header is kept", async (t) => {
    const busy: Answering = (...asked) => {
      const said = refuses(429, "slow down")(...asked);
      return said === "silence" ? said : { ...said, headers: { "retry-after": "7" } };
    };
    const { ask } = await asking(t, busy);
    await t.rejects(ask(), {
      name: "ModelError",
      kind: "away",
      retryAfter: seconds(7),
      message: /slow down/,
    });
  });

  t.test("a server that does not run is told apart from one that fails", async (t) => {
    const { ask, server } = await asking(t, says({}));
    await server.close();
    const message = /http:\S+ cannot be reached \(ECONNREFUSED\): \S/;
    await t.rejects(ask(), { name: "ModelError", kind: "away", message });
  });
}

function stops(t: Test, { says }: Speaker, asking: Asking): void {
  t.test("a stop gives up a request that hangs, with the signal's own reason", async (t) => {
    const stop = new AbortController();
    const { model, server } = await asking(t, () => {
      stop.abort(new Error("stopped by the person"));
      return "silence";
    });
    const hungUp = server.hungUp();
    await t.rejects(model.respond(OPENING, TOOLS, stop.signal), { message: "stopped by the person" });
    await hungUp;
    await t.rejects(model.respond(OPENING, TOOLS, stop.signal), { message: "stopped by the person" });
    t.equal(server.asked.length, 1, "a stopped agent asks nothing more");
  });

  t.test("a hundred replies leave nothing behind on the agent's signal", async (t) => {
    const stop = new AbortController();
    const { model } = await asking(t, says({}));
    for (let round = 0; round < 100; round += 1) await model.respond(OPENING, TOOLS, stop.signal);
    t.equal(getEventListeners(stop.signal, "abort").length, 0);
  });
}

function addresses(t: Test, speaker: Speaker): void {
  const { provider } = speaker;
  const { address } = namesOf(speaker);
  const named = `${provider}:small`;
  const keyed = environmentOf(speaker);

  t.test("a model keeps its name; a name without the model is refused with what to write", async (t) => {
    t.equal(createModel(named, keyed).name, named);
    t.equal(createModel(`${provider}:org/model:Q4_K_M`, keyed).name, `${provider}:org/model:Q4_K_M`);
    const message = new RegExp(`does not say which model: write ${provider}:NAME, such as ${provider}:\\S+$`);
    for (const name of [provider, `${provider}:`, `${provider}: `])
      t.throws(() => createModel(name, keyed), { message });
  });

  t.test(
    "an address that cannot be used is refused before anything is asked, and never repeated",
    async (t) => {
      const table: [string, string][] = [
        ["ftp://h/secret", "is not an address: write it as http://HOST:PORT"],
        ["http://me:secret@h/v1", "contains a user or a password"],
        ["https://:secret@h/v1", "contains a user or a password"],
        ["https://h/v1?key=secret", "has more after the path"],
      ];
      for (const [given, words] of table) {
        const create = () => createModel(named, { ...keyed, [address]: given });
        t.throws(create, { message: new RegExp(`^${address} ${words}(?!.*secret)`) });
      }
    },
  );
}

function keys(t: Test, speaker: Speaker, asking: Asking, key: string): void {
  const named = `${speaker.provider}:small`;
  const { address, variable } = namesOf(speaker);

  t.test(
    "a missing or broken key is refused; a server of one's own needs none, encrypted or not",
    async (t) => {
      const message = `${variable} is not set: give it a key, or name another server in ${address}`;
      t.throws(() => createModel(named, {}), { message });
      const broken = () => createModel(named, { [variable]: "se\ncret" });
      t.throws(broken, { message: `${variable} holds more than a key on one line` });
      for (const own of ["http://192.168.1.5:8080/v1", "https://models.example/v1"])
        t.equal(createModel(named, { [address]: own }).name, named);
      t.strictSame(secretsIn({ [variable]: "sk-secret" }), ["sk-secret"], "no log has it");
    },
  );

  t.test("a wrong key is named as such, and no message or property holds a key", async (t) => {
    const wrong = "sk-wrong-key-9876";
    const { url } = speaker.serve(t, speaker.says({}));
    const model = createModel(named, { [address]: await url, [variable]: wrong });
    const telling = await asking(t, speaker.refuses(500, `cannot use Bearer ${key}, sorry`));
    const asked = [model.respond(OPENING, TOOLS, never), telling.ask()];
    const errors = await Promise.all(asked.map((each) => each.catch((error: unknown) => error)));
    t.match(errors, [
      {
        kind: "person",
        message: new RegExp(`refuses the key: set ${variable} to one that is valid there`),
      },
      { message: /cannot use Bearer \[key\], sorry$/ },
    ]);
    for (const error of errors as Error[]) {
      const everything = JSON.stringify(error, Object.getOwnPropertyNames(error));
      t.notOk(everything.includes(wrong) || everything.includes(key), everything);
    }
  });
}
