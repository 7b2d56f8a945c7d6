import { useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import { useShared } from "./context.tsx";
import type { RangeName } from "./story-data.js";
import type { StoryData } from "./story-query.js";
import { whyNotWatered } from "./why.js";

/** The question that people ask most, answered from the record. */
export function Why({
  plant,
  data,
  range,
}: {
  readonly plant: PlantNow;
  readonly data: StoryData;
  readonly range: RangeName;
}) {
  const { view, words, clock, nowMs } = useShared();
  const [isOpen, setOpen] = useState(false);
  const waiting = (view.overview?.approvals ?? []).filter((each) => each.plant === plant.plant);
  const reasons = isOpen ? whyNotWatered({ plant, waiting, ...data }) : [];
  return (
    <section class="card wide why">
      <button type="button" class="button main" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.why}
      </button>
      {isOpen && (
        <div class="answer" role="status">
          <p class="quiet">{words.whyIn(words.ranges[range].toLowerCase())}</p>
          <ul>
            {reasons.map((reason) => (
              <li key={reason.kind}>{words.reason(reason, clock, nowMs)}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
