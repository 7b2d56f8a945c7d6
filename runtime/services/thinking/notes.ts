import { z } from "zod";
import { codePoints } from "../../tools/code-points.js";
import { isoUtc } from "../../tools/iso-time.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { definePart } from "../module.js";

export const notes = definePart("notes", ({ store }) => store.notes);

export const saveNotes = defineTool({
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
  run: async ({ content, mode }, { service, clock }) => {
    const note = await service.save(content, mode, clock.now());
    return { timestamp: isoUtc(note.timestamp), note_length_chars: codePoints(note.content) };
  },
});

export const fetchNotes = defineTool({
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
    return { content: note.content, timestamp, note_length_chars: codePoints(note.content) };
  },
});
