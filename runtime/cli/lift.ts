import { HouseTime } from "../wire/house-time.js";
import type { PlantNow } from "../wire/overview.js";
import type { ReleasedCare } from "../wire/plants.js";
import { overviewOf, plantArgument, plantsOf, type Remote } from "./remote.js";

/** What a person ends: a hold, a fault that locks a pump, an agent's care. Each says what there was to end. */

/** The plants concerned as they are now, and how times are shown. */
async function before(remote: Remote, plant: string | undefined) {
  const { plants, zone } = await overviewOf(remote);
  const isMeant = ({ plant: id, name }: PlantNow) =>
    plant === undefined || [id, name].some((each) => each.toLowerCase() === plant.toLowerCase());
  return { plants: plants.filter(isMeant), time: new HouseTime(zone) };
}

/** Clears the faults of one plant or of all. Also without any, doses until now then need no answer of the soil. */
export async function cleared(remote: Remote, plant: string | undefined): Promise<string> {
  const { plants, time } = await before(remote, plant);
  await remote.call("clear_fault", plant === undefined ? {} : { plant });
  const lines = plants.flatMap(({ plant: id, faults }) =>
    faults.map(({ code, since, reason }) => `cleared ${id}: ${code} since ${time.minute(since)} (${reason})`),
  );
  if (lines.length > 0) return lines.join("\n");
  const whose = plant === undefined ? "no pump was locked" : `${plant} was not locked`;
  return `${whose}: nothing to clear; water poured until now needs no answer of the soil any more`;
}

/** Lifts the hold of one plant, or every hold. */
export async function resumed(remote: Remote, plant: string | undefined): Promise<string> {
  const { plants, time } = await before(remote, plant);
  await remote.call("set_hold", { hold: false, ...(plant !== undefined && { plant }) });
  const lines = plants.flatMap(({ plant: id, hold }) =>
    hold
      ? [
          `lifted the hold of ${id} since ${time.minute(hold.since)} (${hold.reason}): it may be switched on again`,
        ]
      : [],
  );
  if (lines.length > 0) return lines.join("\n");
  return plant === undefined ? "nothing was on hold" : `${plant} was not on hold`;
}

/** Ends the care that agents hold of one plant, or of all. */
export async function released(remote: Remote, plant: string | undefined): Promise<string> {
  const argument = await plantArgument(remote, plant);
  const { released: cares } = await remote.call<{ released: ReleasedCare[] }>("release_care", argument);
  if (cares.length === 0) {
    const named = plant ?? (await plantsOf(remote)).map((each) => each.plant).join(", ");
    return `no agent holds the care of ${named}`;
  }
  return cares
    .map(({ plant: id, agent, instance }) => {
      const who = instance === null ? agent : `${agent} (${instance})`;
      return `${who} no longer cares for ${id}: any agent may begin now. It may take the care again unless you stop it.`;
    })
    .join("\n");
}
