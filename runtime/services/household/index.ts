import { defineModule } from "../module.js";
import { HOUSEHOLD_ERRORS, household, peopleKeys } from "./household.js";
import { ERASURE_LOG, persons } from "./persons.js";
import { personalRecalls, RECALL_LOG, recalls } from "./recalls.js";
import { erasePerson, exportPerson, listPeople } from "./tools.js";

/** The people of the house, whose rows a call may see, and everything that is kept about a person. */
export const householdModule = defineModule({
  name: "household",
  canBeOff: false,
  toolset: "planner",
  config: peopleKeys,
  journals: [{ definition: ERASURE_LOG }, { definition: RECALL_LOG }],
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
