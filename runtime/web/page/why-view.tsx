import { useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import { type WaterEvidence, whyWater } from "../../wire/why-water.js";
import { useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { queryWater } from "./story-query.js";

/** Hours that the question on a plant's card is about. */
const LAST_DAY = 24;

type Found = Pick<WaterEvidence, "record" | "doses" | "until">;

/** The question that people ask most, about the time that the story shows. */
export function WhyInStory(of: { readonly plant: PlantNow; readonly found: Found }) {
  const { words } = useShared();
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card wide why">
      <Question doses={of.found.doses} isOpen={isOpen} toggle={() => setOpen(!isOpen)} tone="main" />
      {isOpen && <Answer plant={of.plant} found={of.found} about={words.whyHere} />}
    </section>
  );
}

/** The same on a plant's card, about the last 24 hours. */
export function WhyOfPlant({ plant }: { readonly plant: PlantNow }) {
  const { house, words, clock, now, nowMs } = useShared();
  const [isOpen, setOpen] = useState(false);
  const [isYesterday, setYesterday] = useState(false);
  const key = isOpen && [plant.water?.used_ml, plant.last_status?.timestamp, isYesterday].join(" ");
  const found = useAnswer(async () => {
    if (!isOpen) return undefined;
    if (!isYesterday) return { isYesterday, ...(await queryWater(house, plant.plant, LAST_DAY, now)) };
    const midnight = clock.midnight(nowMs);
    const until = new Date(midnight).toISOString();
    const hours = Math.round((midnight - clock.midnight(midnight - 1)) / 3_600_000); // 23 to 25
    return { isYesterday, until, ...(await queryWater(house, plant.plant, hours, until)) };
  }, [plant.plant, key]);
  const doses = plant.water?.used_ml ? [{ ml_dispensed: plant.water.used_ml }] : [];
  return (
    <section class="why">
      <Question doses={doses} isOpen={isOpen} toggle={() => setOpen(!isOpen)} tone="plain" />
      {isOpen && (
        <fieldset class="ranges">
          <legend class="unseen">{words.range}</legend>
          {[false, true].map((each) => (
            <button
              key={String(each)}
              type="button"
              aria-pressed={each === isYesterday}
              onClick={() => setYesterday(each)}
            >
              {each ? words.yesterday : words.lastDay24}
            </button>
          ))}
        </fieldset>
      )}
      {isOpen && found && (
        <Answer
          plant={plant}
          found={found}
          about={found.isYesterday ? words.whyYesterday : words.whyLastDay}
        />
      )}
    </section>
  );
}

function Question(of: {
  readonly doses: readonly { readonly ml_dispensed: number }[];
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly tone: "main" | "plain";
}) {
  const { words } = useShared();
  const wasWatered = of.doses.some(({ ml_dispensed }) => ml_dispensed > 0);
  return (
    <button type="button" class={`button ${of.tone}`} aria-expanded={of.isOpen} onClick={of.toggle}>
      {wasWatered ? words.whyWater : words.whyNot}
    </button>
  );
}

function Answer({
  plant,
  found,
  about,
}: {
  readonly plant: PlantNow;
  readonly found: Found;
  readonly about: string;
}) {
  const { view, words, clock, nowMs } = useShared();
  const waiting = (view.overview?.approvals ?? []).filter((each) => each.plant === plant.plant);
  const reasons = whyWater({ plant, waiting, ...found });
  const when = (iso: string) => clock.near(at(iso), nowMs);
  return (
    <div class="answer" role="status">
      <p class="quiet">{about}</p>
      <ul>
        {reasons.map((reason) => (
          <li key={JSON.stringify(reason)}>{words.reason(reason, when)}</li>
        ))}
      </ul>
    </div>
  );
}
