import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassageIndex } from "../../../runtime/store/passage-index.js";
import { type Kind, QUESTIONS, TEXTS } from "./questions.js";

/** Of each kind of question: how many there are, and how many were answered as they should be. */
export type Quality = Readonly<Record<Kind, { readonly all: number; readonly right: number }>>;

/** The search by meaning. */
interface MeaningOfTexts {
  fill(index: PassageIndex): Promise<void>;
  near(index: PassageIndex, asked: string): Promise<Parameters<PassageIndex["search"]>[1]["near"]>;
}

/** Asks every question: the answer must be among the first three, or nothing may be found where there is none. */
export async function qualityOfSearch(meaning?: MeaningOfTexts): Promise<Quality> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-questions-"));
  const index = await PassageIndex.open(folder);
  try {
    await index.put("memory", TEXTS.map(documentOf));
    await meaning?.fill(index);
    const counts = {
      keyword: { all: 0, right: 0 },
      paraphrase: { all: 0, right: 0 },
      "other language": { all: 0, right: 0 },
      "no answer": { all: 0, right: 0 },
    };
    for (const { kind, asked, answer } of QUESTIONS) {
      const near = await meaning?.near(index, asked);
      const found = await index.search(asked, { sees: () => true, limit: 3, near });
      const isRight = answer === null ? found.length === 0 : found.some(({ id }) => id === String(answer));
      counts[kind].all += 1;
      if (isRight) counts[kind].right += 1;
    }
    return counts;
  } finally {
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const documentOf = (text: string, at: number) => ({
  ...{
    id: String(at),
    title: "",
    passages: [text],
    owner: "household",
    isPrivate: false,
    at,
    metadata: {},
    tainted: [],
  },
});
