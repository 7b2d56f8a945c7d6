import { z } from "zod";
import { TURN_KINDS } from "./chats.js";

/** What agents were given of what is known of people, for the page. docs/memories.md tells a person of it. */

const recalledEntry = z.object({
  from: z.enum(["memory", "profile"]),
  id: z.string().nullable().describe("of a memory"),
  category: z.string().nullable().describe("of a profile entry"),
  title: z.string().describe("as it is now; of a profile entry its key"),
  user_id: z.string(),
});
export type RecalledEntryView = z.output<typeof recalledEntry>;

export const recallList = z.object({
  recalls: z.array(
    z.object({
      timestamp: z.string(),
      tool: z.string(),
      by: z.string().describe("the agent's token"),
      turn: z.enum(TURN_KINDS).nullable().describe("null: outside of a turn"),
      person: z.string().nullable().describe("whose turn it was; null: not to be seen by the caller"),
      entries: z.array(recalledEntry).describe("those that the caller may see"),
      forgotten: z.int().describe("entries that are there no more"),
    }),
  ),
});
export type RecallList = z.output<typeof recallList>;
