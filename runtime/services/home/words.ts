import { visible } from "../../wire/approval-words.js";
import type { Plan, Touched } from "./plan.js";

/** What a service does, in our words: {} is the place of the names. */
const DOES: Readonly<Record<string, string>> = {
  turn_on: "switch on {}",
  turn_off: "switch off {}",
  toggle: "switch {} over",
  unlock: "unlock {}",
  open: "unlatch and open {}",
  lock: "lock {}",
  open_cover: "open {}",
  close_cover: "close {}",
  open_valve: "open {}",
  close_valve: "close {}",
  alarm_disarm: "disarm {}",
  alarm_trigger: "set off the alarm {}",
  alarm_arm_home: "arm {}",
  alarm_arm_away: "arm {}",
  alarm_arm_night: "arm {}",
  press: "press {}",
};

/** The same for what has its own word. */
const OF_DOMAIN: Readonly<Record<string, string>> = {
  "cover.toggle": "open or close {}",
  "valve.toggle": "open or close {}",
  "scene.turn_on": "set the scene {}",
  "script.turn_on": "run the script {}",
};

/** Characters of a name, and of the data. Choices: a line each. */
const LONGEST_NAME = 60;
const LONGEST_DATA = 200;

/** What a person is asked, as it follows "wants to": "unlock Front door (now locked)". */
export function wishWordsOf({ wish, touched }: Plan): string {
  const { domain, service, data } = wish;
  const does = OF_DOMAIN[`${domain}.${service}`] ?? DOES[service] ?? `call ${domain}.${service} for {}`;
  const given = Object.keys(data).length === 0 ? "" : ` with ${short(JSON.stringify(data), LONGEST_DATA)}`;
  return visible(`${does.replace("{}", () => namesOf(touched))}${given}${warning(touched)}`);
}

const namesOf = (touched: readonly Touched[]): string =>
  touched
    .map(
      ({ name, entity }) =>
        `${short(name, LONGEST_NAME)} (${entity.entity_id}, now ${entity.state ?? "unknown"})`,
    )
    .join(", ");

/** A person must know that the name is not all of it. */
function warning(touched: readonly Touched[]): string {
  const opaque = touched.filter((each) => each.opaque !== undefined);
  if (opaque.length === 0) return "";
  const why = opaque.map(({ entity, opaque }) => `${entity.entity_id}: ${opaque}`);
  return `; this may do more than its name says (${why.join("; ")})`;
}

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
