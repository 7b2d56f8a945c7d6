import { z } from "zod";

/** What is written down: memories, profiles, thoughts, actions, files. All times are UTC, ISO 8601. */

/** Seed 004's MemoryItem. */
export const MEMORY_SOURCES = ["CAPTURE", "DIARY", "IMPORT", "SYSTEM"] as const;
export const MEMORY_SECTIONS = ["EVENT", "NOTE", "DIARY", "TASK", "LIST", "REMINDER"] as const;
export const MEMORY_STATUSES = ["ACTIVE", "ARCHIVED", "DELETED"] as const;

const text = z.string().nullable();

/** A memory as results show it: every field of the seed. */
export const memoryItem = z.object({
  id: z.string(),
  source: z.enum(MEMORY_SOURCES),
  title: z.string(),
  content: z.string(),
  section: z.enum(MEMORY_SECTIONS),
  created_at: z.string(),
  updated_at: z.string(),
  tags: z.array(z.string()),
  status: z.enum(MEMORY_STATUSES),
  people: z.array(z.string()),
  attendees: z.array(z.string()),
  event_start_at: text,
  event_end_at: text,
  timezone: text,
  date_bucket: text,
  due_at: text,
  completed_at: text,
  location: text,
  coordinates: z.array(z.number()).nullable(),
  media_type: text,
  media_path: text,
  attachments: z.array(z.string()),
  external_id: text,
  external_url: text,
  list_name: text,
  chat_id: text,
  user_id: z.string(),
  metadata: z.record(z.string(), z.unknown()),
});
export type MemoryItem = z.output<typeof memoryItem>;

export const foundMemories = z.object({
  items: z.array(
    memoryItem.extend({
      score: z.number().describe("above 0, up to 1"),
      matched: z.array(z.string()).describe('why: "title: fern"'),
    }),
  ),
  count: z.int().describe("all that were found"),
});
export type FoundMemories = z.output<typeof foundMemories>;

export const tagList = z.object({ tags: z.array(z.object({ tag: z.string(), memories: z.int() })) });
export type TagList = z.output<typeof tagList>;

export const renamedTag = z.object({
  tag: z.string(),
  to: z.string(),
  memories: z.int().describe("that have changed"),
});
export type RenamedTag = z.output<typeof renamedTag>;

export const mediaLinks = z.object({
  links: z.array(
    z.object({
      path: z.string().describe("in the media folder"),
      type: z.string().nullable().describe("MIME type by its ending; null: unknown"),
      url: z.string(),
    }),
  ),
});
export type MediaLinks = z.output<typeof mediaLinks>;

export const PROFILE_CATEGORIES = ["preference", "habit", "pattern", "fact"] as const;
export const SENSITIVITIES = ["public", "private", "sensitive"] as const;

export const profileFact = z.object({
  category: z.enum(PROFILE_CATEGORIES),
  key: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]),
  confidence: z.number().describe("0.9 of what was told, 0.3 to 0.8 of what was inferred"),
  source: z.enum(["told", "inferred"]),
  sensitivity: z.enum(SENSITIVITIES),
  updated_at: z.string(),
  user_id: z.string(),
});
export type ProfileFact = z.output<typeof profileFact>;

export const userProfile = z.object({ entries: z.array(profileFact) });
export type UserProfile = z.output<typeof userProfile>;

export interface Thought {
  readonly timestamp: string;
  readonly observation: string;
  readonly hypothesis: string;
  readonly candidate_actions: readonly unknown[];
  readonly reasoning: string;
  readonly uncertainties: string;
  readonly tags: readonly string[];
  /** The token that wrote it. */
  readonly by: string;
}

export interface ThoughtList {
  readonly thoughts: readonly Thought[];
}

export const ACTION_TYPES = ["water", "light", "observe", "alert"] as const;

/** What an agent did, as the log of actions has it. */
export interface Action {
  readonly timestamp: string;
  readonly type: (typeof ACTION_TYPES)[number];
  readonly details: Readonly<Record<string, unknown>>;
  readonly by: string;
}

/** A piece of a text that answers a question. */
const passage = z.object({
  content: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  source: z.string().describe('the kind and what it is called: "thought", "file: pump manual"'),
  score: z.number().describe("above 0, up to 1: the best first; compare within one answer"),
  arms: z.array(z.enum(["words", "meaning"])).describe("what found it"),
});
export type Passage = z.output<typeof passage>;

const searchState = {
  complete: z.boolean().describe("false while the index is being made: ask again later"),
  missing: z
    .array(z.string())
    .optional()
    .describe("kinds that could not be read now, with the error's code: what was read before is found"),
  meaning: z
    .object({
      used: z.boolean().describe("false: searched by words alone"),
      waiting: z.int().describe("passages that are found by words alone so far"),
      reason: z.string().optional(),
    })
    .optional()
    .describe("the search by meaning; absent: none is configured"),
};

export const foundKnowledge = z.object({ chunks: z.array(passage), ...searchState });
export type FoundKnowledge = z.output<typeof foundKnowledge>;

export const answeredQuestion = z.object({
  answer: z.string().nullable().describe("null: there is none; read the passages"),
  passages: z.array(passage),
  answering: z
    .object({
      left_out: z.int().describe("sentences that named none of the passages"),
      reason: z.string().optional().describe("why there is no answer"),
    })
    .optional()
    .describe("the model that writes answers; absent: none is configured"),
  ...searchState,
});
export type AnsweredQuestion = z.output<typeof answeredQuestion>;

export const fileList = z.object({
  files: z.array(
    z.object({
      name: z.string(),
      bytes: z.int(),
      changed_at: z.string(),
      indexed: z.boolean(),
      reason: z.string().optional().describe("why its text cannot be found"),
    }),
  ),
});
export type FileList = z.output<typeof fileList>;
