import t from "tap";
import {
  compileTemplate,
  OPENING,
  type PromptParts,
  promptOf,
  type Section,
  tokensIn,
} from "../../agent-client/prompts/prompt.js";

const template = compileTemplate(OPENING);

const parts = (history: readonly Section[]): PromptParts => ({
  plant_info: "Plant 0: Basil (basil)",
  current_time: "2026-06-01T12:30:00.000Z",
  instructions: "Care well.",
  additional_context: "",
  history,
});

const items = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name} ${at}`);

/** Rules and first message as one text. */
function promptIn(budget: number, history: readonly Section[]): string {
  const { system, opening } = promptOf(template, parts(history), budget);
  return `${system}\n${opening}`;
}

const BARE = tokensIn(promptIn(0, []));

t.test("what fits is whole, in its order, and nothing is said to be missing", async (t) => {
  const prompt = promptIn(4000, [
    { title: "Now", items: ["moisture 40"] },
    { title: "Last actions", items: items(3, "action"), mayShorten: true },
  ]);
  t.match(prompt, "Now:\nmoisture 40\n\nLast actions:\naction 0\naction 1\naction 2\n");
  t.notMatch(prompt, /left out/);
});

t.test("the longest section gives way first, its oldest item first, and the prompt says so", async (t) => {
  const history = [
    { title: "Memories", items: items(200, "a memory that is somewhat long"), mayShorten: true },
    { title: "Last actions", items: items(10, "action"), mayShorten: true },
  ];
  const prompt = promptIn(BARE + 400, history);
  t.match(prompt, /Memories:\n\(the oldest \d+ of 200 are left out for want of room\)/);
  t.match(prompt, "somewhat long 199");
  t.notMatch(prompt, "somewhat long 0\n");
  t.match(prompt, "Last actions:\naction 0\n", "the short one is whole");
  t.ok(tokensIn(prompt) <= BARE + 400, `${tokensIn(prompt)} tokens`);
  t.ok(tokensIn(prompt) > BARE + 300, "no more is left out than has to be");
});

t.test("profile, present state and open messages stay whole, however small the budget", async (t) => {
  const history = [
    { title: "Now", items: items(50, "state") },
    { title: "Messages of the person", items: items(50, "message") },
    { title: "Memories", items: items(50, "memory"), mayShorten: true },
  ];
  const prompt = promptIn(1, history);
  for (const line of [...items(50, "state"), ...items(50, "message"), "Plant 0: Basil (basil)"])
    t.ok(prompt.includes(`${line}\n`), line);
  t.notMatch(prompt, /memory \d/);
  t.match(prompt, "(the oldest 50 of 50 are left out");
});

t.test("tokens are estimated by bytes, so that no script is taken for cheap", async (t) => {
  t.equal(tokensIn(""), 0);
  t.equal(tokensIn("abc"), 1);
  t.equal(tokensIn("日本"), 2);
});
