import { z } from "zod";
import { shortText } from "../../tools/parameters.js";
import { reads, removes, toolFor } from "../../tools/tool.js";
import { erasedPerson, peopleList, personalLines } from "../../wire/people.js";
import { defineModule } from "../module.js";
import { HOUSEHOLD_ERRORS, household, peopleKeys } from "./household.js";
import { ERASURE_LOG, persons, personsErasedSince } from "./persons.js";
import { personalRecalls, RECALL_LOG, recalls } from "./recalls.js";

const who = shortText(64, "`user_id` of list_people");

const tool = toolFor(persons);

const listPeople = tool({
  name: "list_people",
  description: "Who lives here by the configuration, and who else has records.",
  facts: reads("People", { world: "closed" }),
  role: "human",
  input: z.strictObject({
    records: z
      .boolean()
      .default(true)
      .describe("false: only the people of the configuration, at once; their records are not counted"),
  }),
  output: peopleList,
  run: async ({ records: isCounted }, { service, call }) => {
    const { household } = service;
    const bound = household.boundTo(call);
    const counted = isCounted ? await service.all() : [];
    // to a person how much there is of others is not told
    const seen = counted.filter(({ id }) => bound === undefined || id === bound);
    const others = household.people.filter(({ id }) => !seen.some((each) => each.id === id));
    const all = [...seen, ...others.map(({ id }) => ({ id, records: null }))];
    return {
      people: all.map(({ id, records }) => {
        const person = household.people.find((each) => each.id === id);
        const { name = null, language = null, tokens = [] } = person ?? {};
        const zone = household.zoneOf(id);
        return { user_id: id, name, zone, language, tokens, configured: person !== undefined, records };
      }),
    };
  },
});

const exportPerson = tool({
  name: "export_person",
  description:
    "Everything that is kept about a person, as the lines of the journals: former versions and what was deleted too. A page begins after `skip` lines.",
  facts: reads("Export a person", { world: "closed" }),
  role: "human",
  input: z.strictObject({ user_id: who, skip: z.int().min(0).max(1_000_000_000).default(0) }),
  output: personalLines,
  run: async ({ user_id, skip }, { service, call }) => {
    service.household.assertMayActFor(call, user_id);
    const { lines, isEnd } = await service.export(user_id, skip);
    return { user_id, lines, next: isEnd ? null : skip + lines.length };
  },
});

const erasePerson = tool({
  name: "erase_person",
  description:
    "Erase everything that is kept about a person for good: from every journal, from results that are kept of calls, and so from later backups. What belongs to the household stays.",
  facts: removes("Erase a person"),
  role: "human",
  input: z.strictObject({ user_id: who }),
  output: erasedPerson,
  run: async ({ user_id }, { service, call }) => {
    service.household.assertMayActFor(call, user_id);
    return { user_id, erased: true as const, ...(await service.erase(user_id, call.identity.name)) };
  },
});

/** The people of the house, whose rows a call may see, and everything that is kept about a person. */
export const householdModule = defineModule({
  name: "household",
  canBeOff: false,
  toolset: "planner",
  config: peopleKeys,
  journals: [{ definition: ERASURE_LOG, revokedSince: personsErasedSince }, { definition: RECALL_LOG }],
  errors: HOUSEHOLD_ERRORS,
  parts: [household, persons, recalls],
  tools: [listPeople, exportPerson, erasePerson],
  privateWords: (house) =>
    house
      .get(household)
      .people.flatMap(({ id, name }) =>
        [id, name ?? ""].map((words) => ({ kind: "person" as const, words })),
      ),
  person: { find: personalRecalls },
  start: (house) => house.get(persons).endErasures(),
});
