import { z } from "zod";
import { codePoints } from "../../tools/code-points.js";
import { isoUtc } from "../../tools/iso-time.js";
import { defineTool } from "../define-tool.js";

export const saveNotes = defineTool({
  name: "save_notes",
  description:
    "Keep one note from session to session (Markdown): `replace` it, or `append` to it on a new line.",
  annotations: { destructiveHint: true, idempotentHint: false },
  role: "agent",
  input: z.strictObject({
    content: z.string(),
    mode: z.enum(["replace", "append"]).default("replace"),
  }),
  output: z.object({ timestamp: z.string(), note_length_chars: z.int() }),
  run: async ({ content, mode }, { services }) => {
    const note = await services.notes.save(content, mode, services.clock.now());
    return { timestamp: isoUtc(note.timestamp), note_length_chars: codePoints(note.content) };
  },
});

export const fetchNotes = defineTool({
  name: "fetch_notes",
  description: "The note as it stands; empty if there is none yet.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: z.strictObject({}),
  output: z.object({ content: z.string(), timestamp: z.string().nullable(), note_length_chars: z.int() }),
  run: async (_, { services }) => {
    const note = await services.notes.current();
    const timestamp = note.timestamp === null ? null : isoUtc(note.timestamp);
    return { content: note.content, timestamp, note_length_chars: codePoints(note.content) };
  },
});
