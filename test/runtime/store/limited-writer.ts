/**
 * The child of the disk-full test. Its file size is limited (RLIMIT_FSIZE), so that a long write fails half-way,
 * as on a full disk. Prints what became of each append and what the file holds then.
 */
import { readFile } from "node:fs/promises";
import { Journal } from "../../../runtime/store/journal.js";

const [file = ""] = process.argv.slice(2);
const { journal } = await Journal.open({ file });

async function append(n: number, length: number): Promise<string> {
  const entry = { timestamp: "2026-06-01T08:00:00.000Z", n, text: "x".repeat(length) };
  const outcome = await journal.append(entry).then(String, (error: { code: string }) => error.code);
  return `${outcome} ${(await readFile(file, "utf8")).split("\n").length - 1}`;
}

const outcomes = [await append(1, 10), await append(2, 50_000), await append(3, 10)];
const together = await Promise.all([append(4, 10), append(5, 50_000), append(6, 10)]);
const after = await append(7, 10);
console.log(JSON.stringify({ outcomes, together: together.map((each) => each.split(" ")[0]), after }));
await journal.close();
