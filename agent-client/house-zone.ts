import { currentTime } from "../runtime/wire/plants.js";
import type { Runtime } from "./link/runtime.js";

const answer = currentTime.pick({ zone: true });

/** The time zone of the runtime's house; UTC where a runtime of before says nothing. */
export async function houseZone(runtime: Pick<Runtime, "call">): Promise<string> {
  const result = await runtime.call("get_current_time", {});
  return (result.ok ? answer.safeParse(result.value).data?.zone : undefined) ?? "UTC";
}
