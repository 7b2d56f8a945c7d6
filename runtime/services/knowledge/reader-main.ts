import { setPriority } from "node:os";
import { htmlText } from "./html-text.js";
import type { ReaderAnswer, ReaderTask } from "./reader.js";

/** The child that reads files of strangers: bytes in, text out. It has no file, no device, no program and no network to reach. */

/** The lowest there is: care of plants goes first. */
const LOWEST = 19;
/** Loaded before the first file: afterwards nothing can be opened any more. */
const pdf = process.argv.includes("pdf") ? await import("./pdf-text.js") : undefined;

const textOf = async ({ kind, bytes }: ReaderTask): Promise<string> => {
  if (kind === "pdf" && pdf) return pdf.pdfText(bytes);
  return htmlText(new TextDecoder().decode(bytes), () => Promise.resolve());
};

async function answerTo(task: ReaderTask): Promise<ReaderAnswer> {
  try {
    return { text: await textOf(task) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

setPriority(LOWEST);
await pdf?.load();
process.on("message", (task: ReaderTask) => {
  void answerTo(task).then((answer) => process.send?.(answer));
});
process.send?.("ready");
