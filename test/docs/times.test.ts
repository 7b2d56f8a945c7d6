import { readFileSync } from "node:fs";
import t from "tap";
import { TendrilError } from "../../runtime/errors.js";
import { understandTime } from "../../runtime/time-words/understand.js";

const PAGE = "docs/lists-and-tasks.md";
/** When and where the page says that its words are said. */
const SAID = { now: Date.parse("2026-11-23T12:00:00Z"), zone: "Europe/Berlin" };

const page = readFileSync(PAGE, "utf8");
/** Rows of the tables that begin with words in backquotes, below the heading "Words about time". */
const rows = [
  ...page
    .slice(page.indexOf("## Words about time"), page.indexOf("## Limits"))
    .matchAll(/^\| `(.+?)` \| (.+?) \| (.*?) ?\|$/gm),
].map(([, words = "", meaning = "", note = ""]) => ({ words, meaning, note }));

t.test(`each example of words about time in ${PAGE} is what the program answers`, async (t) => {
  t.ok(rows.length > 30, `${rows.length} rows`);
  for (const { words, meaning, note } of rows) {
    const answer = understandTime(words, SAID);
    if (answer instanceof TendrilError) t.equal(meaning, `\`${answer.code}\``, words);
    else
      t.same([meaning, note], [answer.words.replace(" (Europe/Berlin)", ""), answer.notes.join("; ")], words);
  }
});

t.test(`the terminal in ${PAGE} shows the words and the instants that are printed`, async (t) => {
  const [, words = "", shown = ""] = /^\$ tendril when "(.+)"\n([\s\S]+?)```/m.exec(page) ?? [];
  const answer = understandTime(words, SAID);
  if (answer instanceof TendrilError) return t.fail(answer.message);
  const [first, ...instants] = shown.trim().split("\n");
  t.equal(first, answer.words);
  t.same(
    instants.map((line) => line.split(/ +/).at(-1)),
    answer.next,
  );
});
