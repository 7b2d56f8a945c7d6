import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlantConfig } from "../../config/schema.js";
import { RUNTIME_FILE } from "../../places.js";
import type { PlantNow } from "../../wire/overview.js";
import { CommandError } from "../failure.js";
import { overviewOf, type Remote } from "../remote.js";
import type { Address } from "../state.js";

/** A plant of a running runtime, and how its tools name it: with one plant configured they take none. */
export interface PlantThere {
  readonly now: PlantNow;
  readonly simulated: boolean;
  readonly named: { readonly plant?: string };
}

/** Throws a CommandError where the runtime has no such plant: it runs with another file. */
export async function plantThere(remote: Remote, { id }: PlantConfig, file: string): Promise<PlantThere> {
  const { board, plants } = await overviewOf(remote);
  const now = plants.find(({ plant }) => plant === id);
  if (!now)
    throw new CommandError(
      `the runtime has no plant ${id}: it was not started with ${file}; name its file with --config`,
    );
  return { now, simulated: board === "bench", named: plants.length === 1 ? {} : { plant: id } };
}

/** How the person makes a running runtime read its file anew. */
export function restartCommand({ state, url }: Address): string {
  if (url === undefined && isService(state)) return "sudo systemctl restart tendril";
  return 'Ctrl-C where "tendril serve" runs, and the same command again (a service: sudo systemctl restart tendril)';
}

/** Whether the process that serves this state folder is one of systemd's [cgroups(7), /proc/PID/cgroup]. */
function isService(state: string): boolean {
  try {
    const { pid } = JSON.parse(readFileSync(join(state, RUNTIME_FILE), "utf8")) as { pid: number };
    return readFileSync(`/proc/${pid}/cgroup`, "utf8").includes("/tendril.service");
  } catch {
    return false; // not ours to see: both ways are told
  }
}
