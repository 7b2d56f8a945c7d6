import { setPriority } from "node:os";
import { htmlText } from "./html-text.js";
import { type Part, partsOf } from "./parts.js";
import type { ReaderTask } from "./reader.js";

/** The child that reads files of strangers: bytes in, text out. It has no file, no device, no program and no network to reach. */

/** The lowest there is: care of plants goes first. */
const LOWEST = 19;
/** Loaded before the first file: afterwards nothing can be opened any more. */
const pdf = process.argv.includes("pdf") ? await import("unpdf") : undefined;

/** A choice: a book. Longer ones are refused, not cut. */
const MAX_PAGES = 2000;
/** What pdf.js calls a file that it cannot open, in words for the owner. */
const WORDS: Readonly<Record<string, string>> = {
  PasswordException: "is locked with a password",
  InvalidPDFException: "is no PDF that can be read",
};

/** Throws an Error whose message completes "The file …". */
const textOf = async ({ kind, bytes }: ReaderTask): Promise<string> =>
  kind === "pdf" && pdf
    ? pdfText(pdf, bytes)
    : htmlText(new TextDecoder().decode(bytes), () => Promise.resolve());

type Library = typeof import("unpdf");

/** A heading a page. Text that does not show on the page is in it too. */
async function pdfText(library: Library, bytes: Uint8Array): Promise<string> {
  const pages = await pagesOf(library, bytes).catch((error: Error) => {
    throw new Error(WORDS[error.name] ?? `cannot be read: ${error.message}`);
  });
  const texts = pages.map((page) => page.trim());
  if (texts.every((page) => page === "")) throw new Error("has no text: its pages are pictures");
  return texts.map((page, i) => `# Page ${i + 1}\n${page}`).join("\n\n");
}

async function pagesOf(
  { extractText, getDocumentProxy }: Library,
  bytes: Uint8Array,
): Promise<readonly string[]> {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  if (document.numPages > MAX_PAGES) throw new Error(`${document.numPages} pages are more than ${MAX_PAGES}`);
  return (await extractText(document)).text;
}

async function answerTo(task: ReaderTask): Promise<void> {
  try {
    for (const { part, isLast } of partsOf(await textOf(task))) process.send?.({ text: part, isLast });
  } catch (error) {
    process.send?.({ reason: (error as Error).message });
  }
}

const parts: Uint8Array[] = [];

setPriority(LOWEST);
await pdf?.getResolvedPDFJS();
process.on("message", ({ kind, bytes, isLast }: Part<ReaderTask>) => {
  parts.push(bytes);
  if (isLast) void answerTo({ kind, bytes: Buffer.concat(parts.splice(0)) });
});
process.send?.("ready");
