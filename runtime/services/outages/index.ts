import { defineModule, type House } from "../module.js";
import { moisture } from "../moisture/service.js";
import { OUTAGE_LOG, outages } from "./outages.js";

/** When devices failed and the runtime was off: for the record of a plant's care. */
export const outagesModule = defineModule({
  name: "outages",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: OUTAGE_LOG }],
  parts: [outages],
  tools: [],
  start: (house) => house.get(outages).begin(lastReading(house)),
  sample: (house) => house.get(outages).noteStart(),
});

/** The newest one of any probe, epoch milliseconds. */
function lastReading(house: House): number | undefined {
  const times = house.plants.ids.flatMap((plant) => house.get(moisture).last(plant)?.at ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}
