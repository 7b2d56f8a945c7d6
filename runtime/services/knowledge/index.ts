import { z } from "zod";
import { invalidArgument } from "../../errors.js";
import type { FoundPassage } from "../../store/passage-index.js";
import { isoUtc } from "../../tools/iso-time.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn } from "../../tools/taint.js";
import { type Call, reads, toolFor, untrustedIf } from "../../tools/tool.js";
import { answeredQuestion, fileList, foundKnowledge, type Passage } from "../../wire/records.js";
import { jobs } from "../bridge/jobs.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import { type RecalledEntry, type Recalls, recalls } from "../household/recalls.js";
import { defineModule, definePart, type House } from "../module.js";
import type { Answers } from "./answers.js";
import { Days, Note } from "./days.js";
import { knowledgeKeys, type ModelConfig } from "./declarations.js";
import { FILES_OF_OTHERS, Files, type KnownFile } from "./files.js";
import { type Answer, Knowledge, type Question } from "./knowledge.js";
import { sourceOf } from "./passages.js";

/** At most five passages answer a question. */
const MAX = 5;

/** Questions and files, seen by whoever asks. */
class KnowledgeService {
  constructor(
    readonly knowledge: Knowledge,
    readonly files: Files,
    readonly household: Household,
    private readonly recalls: Recalls,
    /** Undefined where no model is configured for it. */
    readonly answers: Answers | undefined,
  ) {}

  /** Throws INVALID_ARGUMENT for a type that is not there. */
  async ask(tool: string, words: string, type: string | undefined, call: Call): Promise<Answer> {
    const { types } = this.knowledge;
    if (type !== undefined && !types.includes(type))
      throw invalidArgument(`source_type is one of ${types.join(", ")}`);
    const sees = this.sees(call);
    const answer = await this.knowledge.ask({ words, type, limit: MAX, sees });
    await this.recalls.note(tool, call, answer.passages.flatMap(ofPerson));
    return answer;
  }

  /** The files that the caller could find something in: those in a person's folder are that person's alone. */
  async filesFor(call: Call): Promise<readonly KnownFile[]> {
    const sees = this.sees(call);
    const files = await this.files.list();
    return files.filter(({ owner }) => sees({ owner, isPrivate: owner !== HOUSEHOLD }));
  }

  private sees(call: Call): Question["sees"] {
    const view = this.household.viewOf(call, undefined);
    return ({ owner, isPrivate }) =>
      view.sees(owner) && (!isPrivate || this.household.mayReadPrivate(call, owner));
  }
}

/** Kinds of what is known of people and the household, which a person may want to forget. */
const OF_PEOPLE = ["memory", "profile"];

/** A passage's document is called after its record: "memory-items 12" (knowledge.ts). */
function ofPerson({ type, id: document, owner }: FoundPassage): RecalledEntry[] {
  const [log = "", id] = document.split(" ");
  return OF_PEOPLE.includes(type) ? [{ log, id: Number(id), owner }] : [];
}

const knowledgeService = definePart("knowledge", async (house) => {
  const { folders, embedding, answers } = house.config(knowledgeKeys).knowledge;
  const files = new Files(folders, house.realClock);
  const meaning = embedding && (await openMeaning(house, embedding));
  const knowledge = new Knowledge(house, [new Note(house), new Days(house), files], meaning);
  house.onClose(() => knowledge.close());
  const writer = answers && (await openAnswers(house, answers));
  house.onClose(() => writer?.close());
  const [people, noted] = [await house.use(household), await house.use(recalls)];
  return new KnowledgeService(knowledge, files, people, noted, writer);
});

/** The mark of an answer: a model outside of the house's programs wrote it, and the bridge brought it. */
const WRITTEN_BY_MODEL = "model for answers";

const outside = async (house: House) => ({
  ...{ jobs: await house.use(jobs), clock: house.realClock, log: house.log },
});

/** Loaded only where it is configured. */
async function openMeaning(house: House, config: ModelConfig) {
  const { Meaning } = await import("./meaning.js");
  return new Meaning({ config, ...(await outside(house)) });
}

async function openAnswers(house: House, config: ModelConfig) {
  const { Answers } = await import("./answers.js");
  return new Answers({ config, ...(await outside(house)) });
}

const shown = (passage: FoundPassage): Passage => {
  const { type, title, content, at, metadata, score, arms } = passage;
  return {
    content,
    metadata: { type, title, at: isoUtc(at), ...metadata },
    source: sourceOf(passage),
    score,
    arms: [...arms],
  };
};

const withState = <T extends object>(result: T, { isComplete, missing, meaning }: Answer) => ({
  ...{ ...result, complete: isComplete },
  ...(missing.length > 0 && { missing: [...missing] }),
  ...(meaning && { meaning }),
});

const question = shortText(500, "what to look for: its important words");

const tool = toolFor(knowledgeService);

const retrieveKnowledge = tool({
  name: "retrieve_knowledge",
  description:
    "Passages from plants' record, notes, memories, profile, lists, tasks, home, the owner's files. Empty if nothing fits.",
  facts: reads("Retrieve knowledge", { world: "closed" }),
  role: "agent",
  input: z.strictObject({
    query: question,
    source_type: shortText(
      40,
      "thought, action, day, note, memory, profile, list, task, file, entity, automation, scene, history",
    ).optional(),
  }),
  output: foundKnowledge,
  run: async ({ query, source_type }, { service, call }) => {
    const answer = await service.ask("retrieve_knowledge", query, source_type, call);
    const chunks = answer.passages.map(shown);
    return untrustedIf(sourcesIn(answer.passages), withState({ chunks }, answer));
  },
});

const searchKnowledgeBase = tool({
  name: "search_knowledge_base",
  description:
    "An answer to a question, each sentence with its passages: [1] is the first. Without a model for it the passages alone.",
  facts: reads("Search the knowledge base", { world: "closed" }),
  role: "agent",
  input: z.strictObject({ query: question }),
  output: answeredQuestion,
  run: async ({ query }, { service, call }) => {
    const found = await service.ask("search_knowledge_base", query, undefined, call);
    const written = await service.answers?.write(query, found.passages);
    const answer = written?.answer ?? null;
    const sources = [...sourcesIn(found.passages), ...(answer === null ? [] : [WRITTEN_BY_MODEL])];
    const told = written && {
      left_out: written.leftOut,
      ...(written.reason !== undefined && { reason: written.reason }),
    };
    const result = { answer, passages: found.passages.map(shown), ...(told && { answering: told }) };
    return untrustedIf(sources, withState(result, found));
  },
});

const listFiles = tool({
  name: "listFiles",
  description: "The files in the owner's folders, and whether their text can be found.",
  facts: reads("List files", { world: "closed" }),
  role: "agent",
  input: z.strictObject({}),
  output: fileList,
  run: async (_, { service, call }) => {
    const files = await service.filesFor(call);
    const shownFiles = files.map(({ name, bytes, changedAt, reason }) => ({
      ...{ name, bytes, changed_at: isoUtc(changedAt), indexed: reason === undefined },
      ...(reason !== undefined && { reason }),
    }));
    // a name is free text too: a browser saves a page under the title that its author chose
    return untrustedIf(files.length > 0 ? [FILES_OF_OTHERS] : [], { files: shownFiles });
  },
});

/** Finds what the house knows: in the modules' journals, the agent's note, the days' figures and the owner's files. */
export const knowledgeModule = defineModule({
  name: "knowledge",
  canBeOff: true,
  toolset: "knowledge",
  config: knowledgeKeys,
  needsBridge: ({ knowledge: { embedding, answers } }) => (embedding ?? answers) !== undefined,
  parts: [knowledgeService],
  tools: [retrieveKnowledge, searchKnowledgeBase, listFiles],
  everyHour: (house) => house.get(knowledgeService).knowledge.followIfUsed(),
});
