import { setPriority } from "node:os";
import { htmlText } from "./html-text.js";
import type { ReaderAnswer, ReaderTask } from "./reader.js";

/** The child that reads files of strangers: bytes in, text out. It has no file, no device and no program to reach. */

/** The lowest there is: care of plants goes first. */
const LOWEST = 19;
/** A choice: five times the text of a thick manual. */
const LONGEST = 10_000_000;

const textOf = async ({ kind, bytes }: ReaderTask): Promise<string> => {
  if (kind === "pdf") return (await import("./pdf-text.js")).pdfText(bytes);
  return htmlText(new TextDecoder().decode(bytes), () => Promise.resolve());
};

async function answerTo(task: ReaderTask): Promise<ReaderAnswer> {
  try {
    const text = await textOf(task);
    return text.length > LONGEST
      ? { reason: `has ${text.length} characters, more than ${LONGEST}` }
      : { text };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

setPriority(LOWEST);
process.on("message", (task: ReaderTask) => {
  void answerTo(task).then((answer) => process.send?.(answer));
});
