import { z } from "zod";
import { asWritten } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import { atMostBytes, codePoints } from "../../tools/parameters.js";
import { type Tainted, taintOf } from "../../tools/taint.js";
import { changes, defineTool, reads, tells, untrustedIf } from "../../tools/tool.js";
import type { Thought } from "../../wire/records.js";
import { HOUSEHOLD } from "../household/household.js";
import {
  assertInOrder,
  done,
  historyTool,
  pageInput,
  rangeInput,
  recordsTool,
  searchTool,
} from "../log-tools.js";
import { defineModule, definePart, knowledgeOf } from "../module.js";

type ThoughtRecord = Thought & Tainted;

export const THOUGHT_LOG = {
  name: "thoughts",
  fold: asWritten<ThoughtRecord>,
  searchText: ({ observation, hypothesis, reasoning }: Thought) =>
    `${observation}\n${hypothesis}\n${reasoning}`,
};

const thoughts = definePart("thoughts", (house) => house.journal(THOUGHT_LOG));

const candidate = z.strictObject({
  order: z.int().describe("rank among the candidates"),
  action: z.string().min(1).max(200),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]).optional(),
});

/** Bytes as JSON: of three thoughts, a page by default, with stamps and marks, an answer has room for no longer ones. */
const LARGEST_THOUGHT = 327_680;

const text = (description: string) => z.string().max(100_000).describe(description);

const logThought = defineTool({
  name: "log_thought",
  service: thoughts,
  description: "Write down what you see, suspect and weigh, for later review and learning.",
  facts: tells("Write down a thought"),
  inCare: true,
  role: "agent",
  input: atMostBytes(
    LARGEST_THOUGHT,
    z.strictObject({
      observation: text("what was observed about the plant"),
      hypothesis: text("what you think is happening"),
      candidate_actions: z
        .array(candidate)
        .max(100)
        .describe("what could be done: order, action and, where it has one, value"),
      reasoning: text("why you think so"),
      uncertainties: text("what you are not sure of"),
      tags: z.array(z.string().min(1).max(100)).max(50).default([]).describe("for sorting"),
    }),
  ),
  output: done,
  run: async (thought, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.append({ timestamp, ...thought, by: call.identity.name, ...taintOf(call) });
    return { timestamp, success: true };
  },
});

const getRecentThoughts = recordsTool({
  name: "get_recent_thoughts",
  title: "Recent thoughts",
  service: thoughts,
  description: "The last thoughts, oldest of them first.",
  key: "thoughts",
  input: pageInput(3),
  find: ({ n, offset }, { service }) => service.recent(n, offset),
});

const getThoughtsInRange = recordsTool({
  name: "get_thoughts_in_range",
  title: "Thoughts of a time range",
  service: thoughts,
  description: "All thoughts from start_time to end_time, both included, oldest first.",
  key: "thoughts",
  input: rangeInput,
  find: (range, { service }) => {
    assertInOrder("get_thoughts_in_range", range);
    return service.range(range.start_time, range.end_time);
  },
});

const searchThoughts = searchTool({
  name: "search_thoughts",
  title: "Search thoughts",
  service: thoughts,
  description:
    "Thoughts of the last hours whose observation, hypothesis or reasoning contains the keyword, in any case.",
  key: "thoughts",
});

const getThoughtHistory = historyTool({
  name: "get_thought_history_bucketed",
  title: "Thought history",
  service: thoughts,
  description: "Thoughts over time, in buckets: one a bucket, or how many there were.",
  perPlant: false,
});

const notes = definePart("notes", ({ store }) => store.notes);

const saveNotes = defineTool({
  name: "save_notes",
  service: notes,
  description:
    "Keep one note from session to session (Markdown): `replace` it, or `append` to it on a new line.",
  facts: changes("Save notes", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  inCare: true,
  role: "agent",
  input: z.strictObject({
    content: z.string(),
    mode: z.enum(["replace", "append"]).default("replace"),
  }),
  output: z.object({ timestamp: z.string(), note_length_chars: z.int() }),
  run: async ({ content, mode }, { service, clock, call }) => {
    const note = await service.save(marked(content, taintOf(call)), mode, clock.now());
    return { timestamp: isoUtc(note.timestamp), note_length_chars: codePoints(note.content) };
  },
});

const fetchNotes = defineTool({
  name: "fetch_notes",
  service: notes,
  description: "The note as it stands; empty if there is none yet.",
  facts: reads("Fetch notes", { world: "closed" }),
  inCare: true,
  role: "observer",
  input: z.strictObject({}),
  output: z.object({ content: z.string(), timestamp: z.string().nullable(), note_length_chars: z.int() }),
  run: async (_, { service }) => {
    const note = await service.current();
    const timestamp = note.timestamp === null ? null : isoUtc(note.timestamp);
    const shown = { content: note.content, timestamp, note_length_chars: codePoints(note.content) };
    return untrustedIf(sourcesInNote(note.content), shown);
  },
});

/** A line of a note whose writer had read words of strangers. It is in the note, because that is a file of its own. */
const MARK = /^<!-- written after reading words from outside: (.+) -->$/gm;

/** An agent that writes such a line itself taints whoever reads it, and nothing more. */
export const sourcesInNote = (note: string): readonly string[] => [
  ...new Set([...note.matchAll(MARK)].flatMap(([, sources = ""]) => sources.split("; "))),
];

const marked = (note: string, { tainted }: Tainted): string =>
  tainted ? `${note}\n<!-- written after reading words from outside: ${tainted.join("; ")} -->` : note;

/** The agent's observations and thoughts, and one note from session to session. */
export const thinkingModule = defineModule({
  name: "thinking",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: THOUGHT_LOG }],
  parts: [thoughts, notes],
  knowledge: [
    knowledgeOf({
      type: "thought",
      log: THOUGHT_LOG,
      isFinal: true,
      text: ({ timestamp, observation, hypothesis, reasoning, uncertainties, tags, by }) => ({
        title: tags.join(" "),
        text: [observation, hypothesis, reasoning, uncertainties].filter((part) => part !== "").join("\n"),
        owner: HOUSEHOLD,
        at: Date.parse(timestamp),
        metadata: { by },
      }),
    }),
  ],
  tools: [
    logThought,
    getRecentThoughts,
    getThoughtsInRange,
    searchThoughts,
    getThoughtHistory,
    saveNotes,
    fetchNotes,
  ],
});
