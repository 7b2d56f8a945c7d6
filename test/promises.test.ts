import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";

const README = readFileSync(join(process.cwd(), "README.md"), "utf8");
const BEGIN = "each sentence in bold is the name of a test:";
const END = "And of the rest:";

/** Sentences in bold, as a title begins: in lower case, without the stop, on one line. */
const promises = [
  ...README.slice(README.indexOf(BEGIN), README.indexOf(END)).matchAll(/\*\*([^*]+)\*\*/g),
].map(([, sentence = ""]) => {
  const words = sentence.replace(/\s+/g, " ").replace(/\.$/, "");
  return words.charAt(0).toLowerCase() + words.slice(1);
});

t.test("each promise of README about water is the name of a test", async (t) => {
  t.ok(promises.length >= 10, `${promises.length} promises`);
  const files = readdirSync("test", { recursive: true }).map(String);
  const tests = files
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => readFileSync(join("test", path), "utf8"));
  for (const promise of promises)
    t.ok(
      tests.some((text) => text.includes(`"${promise}`) || text.includes(`\`${promise}`)),
      promise,
    );
});
