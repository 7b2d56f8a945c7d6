import { isProbeChip } from "../../drivers/pi/inspect/chips.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import { answersSchema, type PlantAnswers } from "./answers.js";
import type { Asker, Choice } from "./asker.js";
import { hex } from "./describe.js";
import { askRelay } from "./guide-pins.js";
import type { Settlement } from "./settle-relay.js";

/** One plant after the other, until the person has named all. */
export async function askPlants(
  asker: Asker,
  findings: Findings,
  settlement: Settlement,
  isBench: boolean,
): Promise<PlantAnswers[]> {
  const plants: PlantAnswers[] = [];
  do {
    plants.push(await askPlant(asker, findings, settlement, plants, isBench));
  } while (plants.length < MOST && (await asker.confirm("Is there another plant?", false)));
  return plants;
}

/** As the configuration has it. */
const MOST = 16;

async function askPlant(
  asker: Asker,
  findings: Findings,
  settlement: Settlement,
  others: readonly PlantAnswers[],
  isBench: boolean,
): Promise<PlantAnswers> {
  const { id, name, species } = await askWho(asker, others);
  const who = { id, name, ...(species !== "" && { species }) };
  if (isBench) return who;
  const probe = await askProbe(asker, name, findings, others);
  const pump = (await asker.confirm(`Has ${name} a pump behind a relay?`, true))
    ? await askRelay(asker, `${name}'s pump`, `${id}-pump`, settlement)
    : "none";
  const light = (await asker.confirm(`Has ${name} a grow light behind a relay?`, false))
    ? await askRelay(asker, `${name}'s light`, `${id}-light`, settlement)
    : "none";
  return { ...who, probe, pump, light, camera: await askCamera(asker, name, findings) };
}

async function askWho(asker: Asker, others: readonly PlantAnswers[]) {
  const isNew = (field: "id" | "name", value: string) =>
    !others.some((other) => other[field]?.toLowerCase() === value.toLowerCase());
  const name = await asker.text(
    "What do you call the plant?",
    others.length === 0 ? "Basil" : "",
    (answer) => (isNew("name", answer) ? lengthProblem(answer) : `there is a ${answer} already`),
  );
  const id = await asker.text(
    `A short name for ${name}, for commands and files`,
    shortName(name),
    (answer) => (isNew("id", answer) ? idProblem(answer) : `there is a ${answer} already`),
  );
  const species = await asker.text("Which species is it? (may stay empty)", "", (answer) =>
    answer.length <= 60 ? undefined : "at most 60 characters",
  );
  return { name, id, species };
}

const lengthProblem = (answer: string) =>
  answer.length >= 1 && answer.length <= 60 ? undefined : "1 to 60 characters";

function idProblem(id: string): string | undefined {
  const { error } = answersSchema.shape.plants.safeParse([{ id }]);
  return error?.issues[0]?.message;
}

/** "Grandma's Fern" → "grandma-s-fern"; letters of other alphabets are left out. */
const shortName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 32);

const ELSEWHERE = "other";

async function askProbe(
  asker: Asker,
  name: string,
  findings: Findings,
  others: readonly PlantAnswers[],
): Promise<string> {
  const free = probeChoices(findings).filter(({ value }) => !others.some(({ probe }) => probe === value));
  const choices = [...free, { value: ELSEWHERE, label: "another input" }];
  const chosen = await asker.choose(`Which input is ${name}'s soil probe at?`, choices);
  if (chosen !== ELSEWHERE) return chosen;
  return asker.text('address and input, as "0x48/0", or "0x36" for a seesaw', "", (answer) => {
    const { error } = answersSchema.shape.plants.safeParse([{ id: "plant", probe: answer }]);
    return error?.issues[0]?.message;
  });
}

/** Of the chips that answer; where none does yet, those of an ADC as it comes. */
function probeChoices({ headerBus: { chips } }: Findings): Choice<string>[] {
  const known = chips.filter(isProbeChip);
  if (known.length === 0) return adcChoices(0x48, "not seen yet");
  return known.flatMap(({ kind, address }) =>
    kind === "seesaw"
      ? [{ value: hex(address), label: `seesaw soil sensor at ${hex(address)}` }]
      : adcChoices(address, "answers"),
  );
}

const adcChoices = (address: number, state: string): Choice<string>[] =>
  [0, 1, 2, 3].map((channel) => ({
    value: `${hex(address)}/${channel}`,
    label: `A${channel} of the ADS1115 at ${hex(address)} (${state})`,
  }));

function askCamera(
  asker: Asker,
  name: string,
  { ribbonCameras, webcams }: Findings,
): Promise<string> | "none" {
  const found = [
    ...ribbonCameras.map(({ program, index, sensor }) => ({
      value: `${program} ${index}`,
      label: `${sensor}, on the ribbon connector`,
    })),
    ...webcams.map(({ device, name }) => ({ value: device, label: `${name}, on USB` })),
  ];
  if (found.length === 0) return "none";
  return asker.choose(`Which camera sees ${name}?`, [...found, { value: "none", label: "none" }]);
}
