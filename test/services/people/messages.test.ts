import t from "tap";
import { runtimeApi } from "../../../runtime/core.js";
import { type Rig, rigFor } from "../../rig.js";

const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: anna, tokens: [human.anna] }
  - { id: ben, tokens: [human.ben, agent.ben] }
`;
const ANNA = { as: "human", token: "human.anna" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const OWNER = { as: "human" } as const;
const HOUSE_AGENT = { as: "agent" } as const;
const BENS_AGENT = { as: "agent", token: "agent.ben" } as const;

type Reader = typeof HOUSE_AGENT | typeof BENS_AGENT;
interface Seen {
  readonly content?: string;
  readonly excerpt?: string;
}
const texts = (messages: unknown) =>
  (messages as readonly Seen[]).map(({ content, excerpt }) => content ?? excerpt);

const listed = async (rig: Rig, as: Reader, page = {}) =>
  texts((await rig.get("list_messages_from_human", page, as)).messages);

async function unread(rig: Rig, name: string) {
  const agenda = await runtimeApi(rig.core).resources.read("tendril://agenda", { name, role: "agent" });
  return texts(
    (JSON.parse((agenda as { text: string }).text) as { unread: { messages: unknown } }).unread.messages,
  );
}

t.test(
  "a person's own agent reads that person's messages and the household's, and marks no others",
  async (t) => {
    const rig = await rigFor(t, { config: FAMILY });
    const write = (message: string, as: object) => rig.get("send_message_to_agent", { message }, as);
    await write("of ben", BEN);
    await write("of the owner", OWNER);
    for (let each = 0; each < 60; each += 1) await write(`of anna ${each}`, ANNA);
    t.same(await unread(rig, "agent.ben"), ["of the owner", "of ben"], "behind sixty of another person");
    t.same(await listed(rig, BENS_AGENT, { limit: 1 }), ["of the owner"]);
    t.same(await listed(rig, BENS_AGENT, { limit: 1, offset: 1 }), ["of ben"]);
    t.same(await listed(rig, BENS_AGENT), ["of the owner", "of ben"]);
    await rig.get("list_messages_from_human", { include_content: false, limit: 50 }, BENS_AGENT);
    t.same(await unread(rig, "agent.ben"), []);
    const { messages } = await rig.get("list_messages_from_human", { limit: 2 }, OWNER);
    t.match(messages, [{ delivered_at: null, read_at: null }], "nothing of anna has arrived anywhere");
    t.equal((await unread(rig, "agent")).length, 50, "the household's agent still sees them");
    t.same(await listed(rig, HOUSE_AGENT, { limit: 1 }), ["of anna 59"]);
  },
);
