import type { ServerResponse } from "node:http";
import t, { type Test } from "tap";
import { embeddingAdapter } from "../../../runtime/bridge/models/adapter.js";
import { knowledge } from "../../../runtime/cli/knowledge.js";
import { type CallOptions, type Rig, rigFor } from "../../rig.js";
import { EmbeddingServer } from "../../runtime/bridge/embedding-server.js";
import { handlersOf, RigBridge } from "../../runtime/bridge/rig-bridge.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";
import { conceptsOf } from "../../runtime/store/concepts.js";

interface Found {
  readonly chunks: readonly { readonly content: string; readonly arms: readonly string[] }[];
  readonly meaning?: { readonly used: boolean; readonly waiting: number; readonly reason?: string };
}

const AGENT = { as: "agent" } as const;
const CONFIG = `knowledge: { embedding: { provider: ollama, model: concepts } }
server: { calls_per_second: 100000 } # a bridge that waits asks in a loop
`;

/** A runtime, a bridge that is the real adapter, and a server of the test's own with a made-up model. */
class House {
  private constructor(
    readonly rig: Rig,
    readonly server: EmbeddingServer,
    readonly bridge: RigBridge,
  ) {}

  static async open(t: Test, config = CONFIG): Promise<House> {
    const server = await EmbeddingServer.start(t, conceptsOf);
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z", config, peopleToo: true });
    return new House(
      rig,
      server,
      new RigBridge(rig, handlersOf(embeddingAdapter, { address: server.origin })),
    );
  }

  remember(title: string, content: string, options: CallOptions = AGENT): Promise<unknown> {
    return this.rig.get("save_memory", { source: "CAPTURE", title, content }, options);
  }

  /** Asks while the bridge works, until it has nothing more to do. */
  ask(query: string, options: CallOptions = AGENT): Promise<Found> {
    return this.bridge.during(
      () => this.rig.get("retrieve_knowledge", { query }, options) as unknown as Promise<Found>,
    );
  }

  /** Nobody takes jobs. */
  alone(query: string): Promise<Found> {
    return this.rig.get("retrieve_knowledge", { query }, AGENT) as unknown as Promise<Found>;
  }

  texts(): readonly string[] {
    return this.server.asked.flatMap(({ texts }) => texts);
  }
}

const shown = ({ chunks }: Found) => chunks.map(({ content, arms }) => `${arms.join("+")}: ${content}`);
const status = (code: number) => (_: unknown, response: ServerResponse) =>
  Boolean(response.writeHead(code).end("no"));

t.test(
  "a question in other words, or in another language, finds its passage once vectors are there",
  async (t) => {
    const house = await House.open(t);
    await house.remember("Holidays", "The neighbours look after the garden while we are away");
    await house.remember("Hall", "The spare key hangs behind the cupboard");
    await house.ask("anything");
    const found = await house.ask("Wo ist der Schluessel?");
    t.same(shown(found), ["meaning: The spare key hangs behind the cupboard"]);
    t.same(found.meaning, { used: true, waiting: 0 });
    t.same(shown(await house.ask("spare key")), ["words+meaning: The spare key hangs behind the cupboard"]);
    t.same(shown(await house.ask("Who won the match?")), [], "nothing relevant stays an empty answer");
    const texts = house.texts();
    t.equal(texts.filter((text) => text.includes("spare key hangs")).length, 1, "a passage is sent once");
  },
);

t.test("a model that is away leaves the words, says so, and is asked again after a minute", async (t) => {
  const house = await House.open(t);
  await house.remember("Hall", "The spare key hangs behind the cupboard");
  const away = await house.alone("spare key");
  t.same(shown(away), ["words: The spare key hangs behind the cupboard"]);
  t.same(away.meaning, { used: false, waiting: 1, reason: "no bridge is connected" });
  const printed = await knowledge(rigRemote(house.rig), "spare key", {});
  t.match(printed, /This was searched by words alone: no bridge is connected\.$/);
  house.server.trouble = status(503);
  const broken = await house.ask("spare key");
  t.same(shown(broken), ["words: The spare key hangs behind the cupboard"]);
  t.match(broken.meaning, { used: false, reason: "the embedding model fails: the runtime's log says how" });
  house.server.trouble = status(404);
  const asked = house.server.asked.length;
  t.match((await house.ask("spare key")).meaning, { used: false });
  t.equal(house.server.asked.length, asked, "within the minute nobody waits for it");
  await house.bridge.passMinute();
  t.match((await house.ask("spare key")).meaning, { reason: "the server does not know the embedding model" });
  house.server.trouble = () => false;
  await house.bridge.passMinute();
  await house.ask("llave");
  t.same(shown(await house.ask("llave")), ["meaning: The spare key hangs behind the cupboard"]);
});

t.test("a passage that the model refuses does not keep the others from their vectors", async (t) => {
  const house = await House.open(t);
  await house.remember("Cat", "Poison for the model");
  await house.remember("Hall", "The spare key hangs behind the cupboard");
  house.server.trouble = (texts, response) =>
    texts.some((text) => text.includes("Poison")) && status(400)(texts, response);
  await house.ask("llave");
  const found = await house.ask("llave");
  t.same(shown(found), ["meaning: The spare key hangs behind the cupboard"]);
  t.equal(found.meaning?.waiting, 0);
  t.same(shown(await house.ask("poison")), ["words: Poison for the model"]);
});

t.test("a model that is too slow for many passages is given fewer at once", async (t) => {
  const house = await House.open(t);
  await house.ask("anything");
  for (let n = 0; n < 8; n += 1) await house.remember(`Hall ${n}`, `The spare key number ${n} hangs there`);
  house.bridge.patience = 100;
  house.server.trouble = (texts) => texts.length > 4; // no answer
  t.equal((await house.ask("llave")).meaning?.waiting, 8);
  await house.bridge.passMinute();
  await house.ask("llave");
  const found = await house.ask("llave");
  t.same(found.meaning, { used: true, waiting: 0 });
  t.equal(found.chunks.length, 5);
});

t.test("a model that tells nothing apart is not used", async (t) => {
  const house = await House.open(t);
  await house.remember("Hall", "The spare key hangs behind the cupboard");
  house.server.trouble = (texts, response) =>
    Boolean(response.writeHead(200).end(JSON.stringify({ embeddings: texts.map(() => [1, 2, 3]) })));
  const found = await house.ask("llave");
  t.same(shown(found), []);
  t.match(found.meaning, { used: false, reason: /does not tell/ });
});

t.test("vectors of another length than the first ones are not taken", async (t) => {
  const house = await House.open(t);
  await house.remember("Hall", "The spare key hangs behind the cupboard");
  await house.ask("llave");
  house.server.trouble = (texts, response) =>
    Boolean(response.writeHead(200).end(JSON.stringify({ embeddings: texts.map(() => [1, 2, 3]) })));
  const found = await house.ask("llave");
  t.same(shown(found), []);
  t.match(found.meaning, { used: false, reason: /another length/ });
});

t.test("private words are not sent to the model", async (t) => {
  const people = "people:\n  - { id: ana, tokens: [human.ana] }\n";
  const house = await House.open(t, `${CONFIG}${people}`);
  const ana = { as: "human", token: "human.ana" } as const;
  await house.rig.get(
    "update_user_profile",
    { category: "fact", key: "diet", value: "walnuts", sensitivity: "sensitive" },
    ana,
  );
  await house.remember("Hall", "The spare key hangs behind the cupboard");
  const found = await house.ask("walnuts", ana);
  t.equal(found.chunks.length, 1, "it is found by its words");
  await house.ask("llave");
  t.notOk(house.texts().some((text) => text.includes("walnuts") && text !== "walnuts"));
  t.ok(house.texts().some((text) => text.includes("spare key")));
});

t.test("without an embedding model nothing is sent, and the answer says nothing of it", async (t) => {
  const house = await House.open(t, "");
  await house.remember("Hall", "The spare key hangs behind the cupboard");
  const found = await house.ask("spare key");
  t.same(shown(found), ["words: The spare key hangs behind the cupboard"]);
  t.notOk("meaning" in found);
  t.same(house.server.asked, []);
});
