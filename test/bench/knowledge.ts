import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { KNOWLEDGE_FILE, PassageIndex } from "../../runtime/store/passage-index.js";
import { likeness, type PassageVectors, type Vector } from "../../runtime/store/passage-vectors.js";
import { MAX_TEXTS } from "../../runtime/wire/models.js";
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
/** Of issue 22: with vectors, without the question's own embedding. */
const VECTOR_AIM = { atMost: 80, of: "ours" } as const;
/** Numbers of a vector: as many as nomic-embed-text and EmbeddingGemma give. */
const NUMBERS = 768;
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
      ...(await vectorFigures(index, text, join(folder, KNOWLEDGE_FILE))),
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
  const took = await timesOf(index, text);
  return [
    { what: "a question of four words, median", ours: quantile(took, 0.5), show: milliseconds },
    { what: "a question of four words, p95", ours: quantile(took, 0.95), aim: QUERY_AIM, show: milliseconds },
  ];
}

async function timesOf(
  index: PassageIndex,
  text: (words: number) => string,
  vectorOf?: () => Vector,
): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < QUESTIONS; n += 1) {
    const [words, near] = [text(4), vectorOf && { vector: vectorOf(), least: 0.1 }];
    const began = clock.monotonic();
    await index.search(words, { sees: ({ owner }) => n % 2 === 0 || owner === "ana", limit: 5, near });
    took.push(clock.monotonic() - began);
  }
  return took;
}

/** The same passages with made-up vectors: as a model's, they lie in groups, and not in all directions alike. */
async function vectorFigures(
  index: PassageIndex,
  text: (words: number) => string,
  file: string,
): Promise<Figure[]> {
  const random = randomNumbers(2);
  const groups = Array.from({ length: 300 }, () => Float32Array.from({ length: NUMBERS }, normal(random)));
  const vectorOf = (): Vector => {
    const [group, own] = [groups[Math.floor(random() * groups.length)], normal(random)];
    return Int8Array.from({ length: NUMBERS }, (_, n) =>
      Math.max(-127, Math.min(127, Math.round(30 * ((group?.[n] ?? 0) + own())))),
    );
  };
  const all = new Map<number, Vector>();
  const kept = (passage: number, vector: Vector) => all.set(passage, vector) && vector;
  const vectors = await index.useVectors("made up", false);
  for (let bare = await vectors.bare(MAX_TEXTS); bare.length > 0; bare = await vectors.bare(MAX_TEXTS))
    await vectors.put(bare.map((each) => ({ ...each, vector: kept(each.passage, vectorOf()) })));
  await vectors.forget();
  const before = process.memoryUsage().arrayBuffers;
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const began = clock.monotonic();
  loop.enable();
  await vectors.nearest(vectorOf(), 0, () => true, 5);
  const first = clock.monotonic() - began;
  const took = await timesOf(index, text, vectorOf);
  loop.disable();
  const memory = process.memoryUsage().arrayBuffers - before;
  const { size } = await stat(file);
  return [
    { what: "with vectors: the first question, which reads them", ours: first, show: milliseconds },
    { what: "with vectors: a question, median", ours: quantile(took, 0.5), show: milliseconds },
    {
      what: "with vectors: a question, p95",
      ours: quantile(took, 0.95),
      aim: VECTOR_AIM,
      show: milliseconds,
    },
    {
      what: "with vectors: event loop's delay, p99",
      ours: loop.percentile(99) / 1e6,
      aim: LOOP_AIM,
      show: milliseconds,
    },
    {
      what: "with vectors: of the five nearest, found",
      ours: await foundOf(vectors, all, vectorOf),
      show: percent,
    },
    { what: "with vectors: memory for them", ours: memory, show: megabytes },
    { what: "with vectors: size on disk", ours: size, show: megabytes },
  ];
}

/** Compared with all vectors, one by one. */
async function foundOf(
  vectors: PassageVectors,
  all: ReadonlyMap<number, Vector>,
  vectorOf: () => Vector,
): Promise<number> {
  let found = 0;
  for (let n = 0; n < 20; n += 1) {
    const question = vectorOf();
    const likenesses = [...all].map(([passage, vector]) => ({ passage, alike: likeness(question, vector) }));
    const nearest = likenesses.sort((a, b) => b.alike - a.alike).slice(0, 5);
    const given = new Set((await vectors.nearest(question, -1, () => true, 5)).map(({ passage }) => passage));
    found += nearest.filter(({ passage }) => given.has(passage)).length;
  }
  return found / 100;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Box and Muller. */
const normal = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

async function quality(): Promise<Figure[]> {
  return Object.entries(await qualityOfSearch()).map(([kind, { all, right }]) => ({
    what: `${all} questions (${kind}), right in the first three`,
    ours: right,
    show: String,
  }));
}

/** Word n comes as often as 1/n (Zipf's law). The same words in each run. */
function textMaker(): (words: number) => string {
  const random = randomNumbers(1);
  const word = () => wordOf(Math.min(DICTIONARY - 1, Math.floor(Math.exp(random() * Math.log(DICTIONARY)))));
  return (words) => Array.from({ length: words }, word).join(" ");
}

function randomNumbers(seed: number): () => number {
  let last = seed;
  return () => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff; // the generator of ISO C's example
    return last / 0x80_00_00_00;
  };
}

/** Syllables of a consonant and a vowel, different for each number. */
function wordOf(n: number): string {
  const [consonants, vowels] = ["bcdfghklmnprstvw", "aeiou"];
  let word = "";
  for (let rest = n + 17; rest > 0; rest = Math.floor(rest / 80))
    word += `${consonants[rest % 16]}${vowels[Math.floor(rest / 16) % 5]}`;
  return word;
}
