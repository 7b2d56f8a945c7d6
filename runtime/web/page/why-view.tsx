import { useEffect, useRef, useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import {
  reasonsAgainst,
  reasonsFor,
  type WaterEvidence,
  type WaterReason,
  whyWater,
} from "../../wire/why-water.js";
import { uncoded } from "./called-as.js";
import { type Shared, useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { planRefusalIn, reasonIn, refusalOnRecord, refusalThen } from "./names.js";
import { Foreign, Ranges, reveal } from "./parts.tsx";
import { queryWater } from "./story-query.js";

/** Hours that the question on a plant's card is about. */
const LAST_DAY = 24;

type Asked = "water" | "not";

type Found = Pick<WaterEvidence, "record" | "doses" | "total" | "until">;

/** The questions that people ask most, about the time that the story shows. */
export function WhyInStory(of: { readonly plant: PlantNow; readonly found: Found }) {
  const [asked, ask] = useState<Asked>();
  return (
    <section class="card wide why">
      <Questions doses={of.found.doses} asked={asked} ask={ask} />
      {asked && <Answer asked={asked} plant={of.plant} found={of.found} />}
    </section>
  );
}

/** The same on a plant's card, about the last 24 hours. */
export function WhyOfPlant({ plant }: { readonly plant: PlantNow }) {
  const { house, words, clock, now, nowMs } = useShared();
  const [asked, ask] = useState<Asked>();
  const [isYesterday, setYesterday] = useState(false);
  const isOpen = asked !== undefined;
  const key = isOpen && [plant.water?.used_ml, plant.last_status?.timestamp, isYesterday].join(" ");
  const found = useAnswer(async () => {
    if (!isOpen) return undefined;
    if (!isYesterday) return queryWater(house, plant.plant, LAST_DAY, now);
    const midnight = clock.midnight(nowMs);
    const until = new Date(midnight).toISOString();
    const hours = Math.round((midnight - clock.midnight(midnight - 1)) / 3_600_000); // 23 to 25
    return { until, ...(await queryWater(house, plant.plant, hours, until)) };
  }, [plant.plant, key]);
  const { used_ml = 0, assumed_ml = 0 } = plant.water ?? {};
  const doses = used_ml > assumed_ml ? [{ ml_dispensed: used_ml - assumed_ml }] : [];
  return (
    <section class="why">
      <Questions doses={doses} asked={asked} ask={ask} />
      {isOpen && (
        <Ranges
          label={words.range}
          value={isYesterday}
          options={[
            [false, words.lastDay24],
            [true, words.yesterday],
          ]}
          choose={setYesterday}
        />
      )}
      {isOpen && found && <Answer asked={asked} plant={plant} found={found} />}
    </section>
  );
}

/** Why there was no water, or no more; and behind it, where there was some, why. */
function Questions(of: {
  readonly doses: readonly { readonly ml_dispensed: number }[];
  readonly asked: Asked | undefined;
  readonly ask: (asked: Asked | undefined) => void;
}) {
  const { words } = useShared();
  const wasWatered = of.doses.some(({ ml_dispensed }) => ml_dispensed > 0);
  const question = (asked: Asked) => (
    <button
      type="button"
      class="button"
      aria-expanded={of.asked === asked}
      onClick={() => of.ask(of.asked === asked ? undefined : asked)}
    >
      {asked === "water" ? words.whyWater : words.whyNot}
    </button>
  );
  return (
    <div class="buttons">
      {question("not")}
      {wasWatered && question("water")}
    </div>
  );
}

/** With the names of people in place of tokens, and what the page or the runtime gave as a reason in the reader's language. */
function saidIn({ words, names }: Pick<Shared, "words" | "names">, found: WaterReason): WaterReason {
  const reason = "by" in found ? { ...found, by: names.whom(found.by) } : found;
  if (!("reason" in reason)) return reason;
  const refusal =
    "code" in reason
      ? (reason.kind === "fault" ? refusalOnRecord : refusalThen)(words, reason.code)
      : undefined;
  const plan = reason.kind === "refused" ? planRefusalIn(words, reason) : undefined;
  return { ...reason, reason: refusal ?? plan ?? reasonIn(words, reason.reason) };
}

/** What the runtime gave as a reason, and the page has no words for, stays as it is. What a person or an agent wrote, too. */
function Reason({ reason }: { readonly reason: WaterReason }) {
  const { words, names, clock, nowMs, said } = useShared();
  const told = saidIn({ words, names }, reason);
  const inWords = words.reason(told, (iso) => clock.near(at(iso), nowMs));
  const text = said("code" in reason ? uncoded(inWords) : inWords);
  const isRuntimes =
    "reason" in reason && "reason" in told && told.reason === reason.reason && !("by" in reason);
  return <Foreign text={text} part={isRuntimes ? said(reason.reason) : ""} />;
}

function Answer({
  asked,
  plant,
  found,
}: {
  readonly asked: Asked;
  readonly plant: PlantNow;
  readonly found: Found;
}) {
  const { view, words } = useShared();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // on a phone it opens below what is seen; whoever listens is led to it
    place.current?.focus({ preventScroll: true });
    if (place.current) reveal(place.current);
  }, [asked]);
  const waiting = (view.overview?.approvals ?? [])
    .filter((each) => each.plant === plant.plant)
    .map((each) => ({ ...each, words: words.wish(each) }));
  const all = whyWater({ plant, waiting, ...found });
  const reasons = asked === "water" ? reasonsFor(all) : reasonsAgainst(all);
  return (
    <div class="answer" role="status" tabIndex={-1} ref={place}>
      <p class="quiet">{words.fromRecord}</p>
      <ul>
        {reasons.map((reason) => (
          <li key={JSON.stringify(reason)}>
            <Reason reason={reason} />
          </li>
        ))}
      </ul>
    </div>
  );
}
