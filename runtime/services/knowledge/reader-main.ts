import { setPriority } from "node:os";
import { htmlText } from "./html-text.js";
import { type Part, partsOf } from "./parts.js";
import type { ReaderTask } from "./reader.js";

/** The child that reads files of strangers: bytes in, text out. It has no file, no device, no program and no network to reach. */

/** The lowest there is: care of plants goes first. */
const LOWEST = 19;
/** Loaded before the first file: afterwards nothing can be opened any more. */
const pdf = process.argv.includes("pdf") ? await import("./pdf-text.js") : undefined;

const textOf = async ({ kind, bytes }: ReaderTask): Promise<string> => {
  if (kind === "pdf" && pdf) return pdf.pdfText(bytes);
  return htmlText(new TextDecoder().decode(bytes), () => Promise.resolve());
};

async function answerTo(task: ReaderTask): Promise<void> {
  try {
    for (const { part, isLast } of partsOf(await textOf(task))) process.send?.({ text: part, isLast });
  } catch (error) {
    process.send?.({ reason: (error as Error).message });
  }
}

const parts: Uint8Array[] = [];

setPriority(LOWEST);
await pdf?.load();
process.on("message", ({ kind, bytes, isLast }: Part<ReaderTask>) => {
  parts.push(bytes);
  if (isLast) void answerTo({ kind, bytes: Buffer.concat(parts.splice(0)) });
});
process.send?.("ready");
