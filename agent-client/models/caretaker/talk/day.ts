import { z } from "zod";
import type { HouseTime } from "../../../../runtime/wire/house-time.js";
import { counted } from "../../../../runtime/wire/phrases.js";
import { bucket, type CareEvent, careEvents, historyResult } from "../../../../runtime/wire/plants.js";
import type { Arguments } from "../../../cycle/arguments.js";
import { type Day, dayOf, HOUR, ofEach, type Told, told, which } from "./plants.js";
import type { Steps, WishOf } from "./wish.js";

/** "What did you do today?", from the record: the doses, the light, the checks. */
export const whatWasDone = ({ about }: WishOf<"did">, time: HouseTime): Steps =>
  ofEach(about, function* ({ plant, name }, house) {
    const day = dayOf(about, house, time);
    const named = which(plant, house);
    const water = yield* sumOf("get_water_history", "ml_dispensed", named, day);
    const light = yield* sumOf("get_light_history", "minutes", named, day);
    const checks = yield* checksOf(named, day);
    const parts = [
      waterInWords(water),
      lightInWords(light),
      checksInWords(checks, told(time, house.timestamp)),
    ];
    return `${name}, ${day.words}: ${parts.join("; ")}.`;
  });

/** A choice: buckets of five minutes, of which a day has few enough for an answer. */
const SAMPLES = 12;

interface Sum {
  readonly value: number;
  readonly count: number;
}

/** Undefined where the runtime does not tell. */
function* sumOf(
  name: string,
  value_field: string,
  named: Arguments,
  { begin, end }: Day,
): Steps<Sum | undefined> {
  const hours = Math.max(1, Math.ceil((end - begin) / HOUR));
  const asked = { ...named, hours, end_time: new Date(end).toISOString(), samples_per_hour: SAMPLES };
  const { value } = yield { name, arguments: { ...asked, aggregation: "sum", value_field } };
  const read = z.array(bucket).safeParse(historyResult.safeParse(value).data?.items).data;
  return read
    ?.filter(({ bucket_end, value: each }) => Date.parse(bucket_end) > begin && (each ?? 0) > 0)
    .reduce((sum, each) => ({ value: sum.value + (each.value ?? 0), count: sum.count + each.count }), {
      value: 0,
      count: 0,
    });
}

function* checksOf(named: Arguments, { begin, end }: Day): Steps<readonly CareEvent[] | undefined> {
  const range = { start_time: new Date(begin).toISOString(), end_time: new Date(end).toISOString() };
  const { value } = yield { name: "get_care_record", arguments: { ...named, ...range } };
  return careEvents.safeParse(value).data?.events.filter(({ kind }) => kind === "cycle");
}

function waterInWords(water: Sum | undefined): string {
  if (!water) return "the doses are not known";
  if (water.count === 0) return "no water";
  return `${Math.round(water.value)} ml of water in ${counted(water.count, "dose")}`;
}

function lightInWords(light: Sum | undefined): string {
  if (!light) return "the light is not known";
  return light.count === 0 ? "no light" : `${counted(Math.round(light.value), "minute")} of light`;
}

function checksInWords(checks: readonly CareEvent[] | undefined, when: Told): string {
  if (!checks) return "the checks are not known";
  const last = checks.at(-1);
  if (!last) return "no check";
  const why = (last.proceed === false ? last.reason : last.reasoning) ?? "";
  const refused = last.proceed === false ? ", which the runtime refused" : "";
  const reason = why === "" ? "" : `: ${why.replace(/\.$/, "")}`;
  return `${counted(checks.length, "check")}, the last at ${when(last.timestamp)}${refused}${reason}`;
}
