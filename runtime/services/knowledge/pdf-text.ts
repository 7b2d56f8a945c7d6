import { extractText, getDocumentProxy, getResolvedPDFJS } from "unpdf";

/** A choice: a book. Longer ones are refused, not cut. */
const MAX_PAGES = 2000;
/** What pdf.js calls a file that it cannot open, in words for the owner. */
const WORDS: Readonly<Record<string, string>> = {
  PasswordException: "is locked with a password",
  InvalidPDFException: "is no PDF that can be read",
};

/** Loads all that reading needs. */
export const load = (): Promise<unknown> => getResolvedPDFJS();

/**
 * The text of a PDF, a heading a page. Text that does not show on the page is in it too. Throws an Error whose message
 * completes "The file …".
 */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const pages = await pagesOf(bytes).catch((error: Error) => {
    throw new Error(WORDS[error.name] ?? `cannot be read: ${error.message}`);
  });
  const texts = pages.map((page) => page.trim());
  if (texts.every((page) => page === "")) throw new Error("has no text: its pages are pictures");
  return texts.map((page, i) => `# Page ${i + 1}\n${page}`).join("\n\n");
}

async function pagesOf(bytes: Uint8Array): Promise<readonly string[]> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  if (pdf.numPages > MAX_PAGES) throw new Error(`${pdf.numPages} pages are more than ${MAX_PAGES}`);
  return (await extractText(pdf)).text;
}
