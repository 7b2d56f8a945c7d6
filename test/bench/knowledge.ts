import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { KNOWLEDGE_FILE, PassageIndex } from "../../runtime/store/passage-index.js";
import { qualityOfSearch } from "../services/knowledge/quality.js";
import { type Figure, megabytes, milliseconds, perSecond, quantile } from "./figures.js";

const PASSAGES = 100_000;
const BATCH = 20;
/** Words of a language, and of a passage. Choices: an ordinary dictionary, and a thought of some sentences. */
const DICTIONARY = 30_000;
const WORDS = 60;
const QUESTIONS = 100;
/** Of issue 22: without vectors. */
const QUERY_AIM = { atMost: 30, of: "ours" } as const;
const LOOP_AIM = { atMost: 20, of: "ours" } as const;
const clock = new SystemClock();

/** A hundred thousand passages of made-up words, as often as words of a language are: put in, and searched. */
export async function knowledgeFigures(folder: string): Promise<Figure[]> {
  await mkdir(folder, { recursive: true });
  const index = await PassageIndex.open(folder);
  const text = textMaker();
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  try {
    const before = process.memoryUsage().rss;
    const began = clock.monotonic();
    for (let from = 0; from < PASSAGES; from += BATCH) await index.put("thought", documents(from, text));
    const seconds = (clock.monotonic() - began) / 1000;
    const [indexing, memory] = [loop.percentile(99) / 1e6, process.memoryUsage().rss - before];
    const { size } = await stat(join(folder, KNOWLEDGE_FILE));
    return [
      { what: "100,000 passages indexed, a second", ours: PASSAGES / seconds, show: perSecond },
      { what: "event loop's delay meanwhile, p99", ours: indexing, aim: LOOP_AIM, show: milliseconds },
      { what: "memory more", ours: memory, show: megabytes },
      { what: "size on disk", ours: size, show: megabytes },
      ...(await searches(index, text)),
      ...(await quality()),
    ];
  } finally {
    loop.disable();
    await index.close();
  }
}

function documents(from: number, text: (words: number) => string) {
  return Array.from({ length: BATCH }, (_, n) => ({
    ...{ id: String(from + n), title: text(3), passages: [text(WORDS)], metadata: {}, at: from + n },
    ...{ owner: n % 2 ? "household" : "ana", isPrivate: false, tainted: [] },
  }));
}

async function searches(index: PassageIndex, text: (words: number) => string): Promise<Figure[]> {
  const took: number[] = [];
  for (let n = 0; n < QUESTIONS; n += 1) {
    const began = clock.monotonic();
    await index.search(text(4), { sees: ({ owner }) => n % 2 === 0 || owner === "ana", limit: 5 });
    took.push(clock.monotonic() - began);
  }
  return [
    { what: "a question of four words, median", ours: quantile(took, 0.5), show: milliseconds },
    { what: "a question of four words, p95", ours: quantile(took, 0.95), aim: QUERY_AIM, show: milliseconds },
  ];
}

async function quality(): Promise<Figure[]> {
  return Object.entries(await qualityOfSearch()).map(([kind, { all, right }]) => ({
    what: `${all} questions (${kind}), right in the first three`,
    ours: right,
    show: String,
  }));
}

/** Word n comes as often as 1/n (Zipf's law). The same words in each run. */
function textMaker(): (words: number) => string {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff; // the generator of ISO C's example
    return seed / 0x7f_ff_ff_ff;
  };
  const word = () => wordOf(Math.min(DICTIONARY - 1, Math.floor(Math.exp(random() * Math.log(DICTIONARY)))));
  return (words) => Array.from({ length: words }, word).join(" ");
}

/** Syllables of a consonant and a vowel, different for each number. */
function wordOf(n: number): string {
  const [consonants, vowels] = ["bcdfghklmnprstvw", "aeiou"];
  let word = "";
  for (let rest = n + 17; rest > 0; rest = Math.floor(rest / 80))
    word += `${consonants[rest % 16]}${vowels[Math.floor(rest / 16) % 5]}`;
  return word;
}
