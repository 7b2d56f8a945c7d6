import { z } from "zod";
import type { Clock } from "../../../drivers/ports.js";
import type { Plants } from "../../plants.js";
import { isoUtc } from "../../tools/iso-time.js";
import { exceptPhotos } from "../../tools/taint.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { DOSE_ML, dose, waterUsage } from "../../wire/plants.js";
import { type LightLedger, lightLedger } from "../light/ledger.js";
import { historyTool } from "../log-tools.js";
import { defineModule } from "../module.js";
import { soilWatch } from "../moisture/soil-watch.js";
import { type Control, control } from "../people/control.js";
import { DOSE_LOG, WATER_ERRORS, waterConfig } from "./declarations.js";
import { type WaterLedger, waterLedger } from "./ledger.js";
import { ANY_NEW_PLANT } from "./pots.js";
import { REFUSAL_LOG, refusals } from "./refusals.js";
import { responseWatch } from "./response-watch.js";
import { water } from "./service.js";

const dispenseWater = defineTool({
  name: "dispense_water",
  service: water,
  description:
    "Pump 10 to 25 ml to the plant. Needs a plant status that was cleared and plans for it; counts against the rolling 24 h limit. Refused while the soil is wet, and while it has not answered the last doses. For more, call it several times, one after the other.",
  facts: changes("Pour water", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  inCare: true,
  neededForCare: true,
  role: "agent",
  perPlant: true,
  confirmable: ["SOIL_WET"],
  confirmation: {
    ofTheHouse: true,
    misledBy: exceptPhotos,
    check: ({ ml }, { service, call, plant }) => service.assertPossible(plant, ml, call),
  },
  input: z.strictObject({ ml: z.int().min(DOSE_ML.least).max(DOSE_ML.most).describe("millilitres") }),
  output: dose,
  run: ({ ml }, { service, call, plant }) => service.dispense(plant, ml, call),
  refused: ({ ml }, context, error) => context.service.noteRefusal(ml, context, error),
});

const getWaterUsage = defineTool({
  name: "get_water_usage_24h",
  service: water,
  description:
    "Water that counts against the rolling 24 h limit, what is left of it, and how many doses that were.",
  facts: reads("Water of the last 24 hours", { world: "closed" }),
  inCare: true,
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: waterUsage,
  run: (_, { service, plant }) => service.usage(plant),
});

const getWaterHistory = historyTool({
  name: "get_water_history",
  title: "Water history",
  service: water,
  description:
    "Doses over time, in buckets. For the millilitres a day of the last week: hours 168, samples_per_hour 0.042, aggregation sum, value_field ml_dispensed.",
  perPlant: true,
});

/** The pumps, and the account of their water. */
export const waterModule = defineModule({
  name: "water",
  canBeOff: false,
  toolset: "plants",
  config: waterConfig,
  journals: [
    {
      definition: DOSE_LOG,
      atRestore: "stays",
      // it is unknown what was poured: a full day counts as poured
      afterLoss: async (house, reason) => {
        const timestamp = house.timestamp();
        const ledger = await house.use(waterLedger);
        const lost = {
          timestamp,
          kind: "doses_lost",
          by: "runtime",
          reason,
          after_dose: ledger.lastId,
        } as const;
        await (await house.use(control)).record(lost);
        await ledger.chargeLostLedger(reason);
      },
    },
    { definition: REFUSAL_LOG },
  ],
  errors: WATER_ERRORS,
  parts: [waterLedger, responseWatch, refusals, water],
  tools: [dispenseWater, getWaterUsage, getWaterHistory],
  overview: {
    plant: (house, plant) => {
      const limit = house.get(soilWatch).limit(plant);
      const service = house.get(water);
      return {
        water: {
          ...service.usage(plant),
          assumed_ml: service.assumed(plant),
          pouring: service.isPouring(plant),
          not_above: limit ? { ...limit } : null,
        },
      };
    },
  },
  counters: (house) => house.get(water).count.counters(house.plants.ids),
  settle: async (house) => {
    const ledger = await house.use(waterLedger);
    house.store.warnings.push(...inheritances(house.plants, ledger));
    const others = { lightLedger: await house.use(lightLedger), control: await house.use(control) };
    await carryOverTo(house.plants.ids, { ledger, ...others }, house.clock);
  },
  allOff: (house) => house.plants.ids.map((plant) => house.get(water).stop(plant)),
  everyHour: async (house) => void (await house.get(waterLedger).mark()),
});

/** The warnings for plants that were renamed, or have another's pump or probe, and so count the other's water. */
const inheritances = ({ ids }: Plants, ledger: WaterLedger): string[] =>
  ids.flatMap((id) =>
    [...ledger.inherited(id)].map(([former, ml]) => {
      const counts = `${id} counts ${ml} ml of the last 24 h that were charged`;
      const over = `If it is another pot, ${id} may get less for up to 24 hours, and then all of it again; nothing has to be done`;
      if (former === ANY_NEW_PLANT)
        return `${counts} before it was configured, when the ledger was lost: its pot may have got them. ${over}.`;
      return `${counts} as ${former}: by its pump, its probe or its name it may be the same pot, and what a pot may get in a day does not begin anew with a name. ${over}. Next time, write formerly: [${former}] below the renamed plant before the first start with its new id: then no other plant counts its water.`;
    }),
  );

/**
 * Keeps locks, holds and the lamp's rest of a pot whose plant has another id now. The new wiring is written down last,
 * so that no crash loses the rest.
 */
export async function carryOverTo(
  ids: readonly string[],
  { ledger, lightLedger, control }: { ledger: WaterLedger; lightLedger: LightLedger; control: Control },
  clock: Clock,
): Promise<void> {
  const { pots } = ledger;
  if (!pots.changed) return;
  for (const id of pots.lightsOfOthers) await lightLedger.restAfterLoss(id);
  const timestamp = isoUtc(clock.now());
  for (const id of ids) {
    const formers = pots.predecessors(id);
    await control.inherit(id, formers, timestamp);
    if (pots.isNewId(id)) await control.settleInherited(id, formers, ledger.lastId, timestamp);
  }
  await ledger.keepWiring();
}
