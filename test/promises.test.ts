import { readdirSync, readFileSync } from "node:fs";
import t from "tap";

/** Where the promises stand, from which words on, and how many there are at least. */
const PAGES = [
  { page: "README.md", begin: "## Five promises", end: "And switching off", least: 5 },
  { page: "docs/promises.md", begin: "## Water", end: "And of the rest:", least: 12 },
];

const tests = readdirSync("test", { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => readFileSync(`test/${path}`, "utf8"));

for (const { page, begin, end, least } of PAGES)
  t.test(`each promise of ${page} about water is the name of a test`, async (t) => {
    const text = readFileSync(page, "utf8");
    const promises = promisesIn(text.slice(text.indexOf(begin), text.indexOf(end)));
    t.ok(promises.length >= least, `${promises.length} promises`);
    for (const promise of promises)
      t.ok(
        tests.some((text) => text.includes(`"${promise}`) || text.includes(`\`${promise}`)),
        promise,
      );
  });

/** Sentences in bold, as a test's title begins: in lower case, without the full stop, on one line. */
function promisesIn(text: string): readonly string[] {
  return [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, sentence = ""]) => {
    const words = sentence.replace(/\s+/g, " ").replace(/\.$/, "");
    return words.charAt(0).toLowerCase() + words.slice(1);
  });
}
