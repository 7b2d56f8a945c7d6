import { useState } from "preact/hooks";
import type { BENCH_TROUBLES, BenchPlantView, BenchTrouble } from "../../wire/bench.js";
import type { Overview } from "../../wire/overview.js";
import { useAnswer, useShared } from "./context.tsx";
import { Act } from "./parts.tsx";
import { ofPlant } from "./plants.js";

/** In the order of the buttons. */
const TROUBLES: typeof BENCH_TROUBLES = [
  "probe_unplugged",
  "probe_stuck",
  "tube_off",
  "tank_empty",
  "lamp_dead",
];

/** The simulated plants as they truly are, beside what their probes say, and buttons that break things. */
export function Bench({ overview }: { readonly overview: Overview }) {
  const { house, words, now } = useShared();
  const [version, setVersion] = useState(0);
  const found = useAnswer(() => house.call<{ plants: BenchPlantView[] }>("get_bench"), [version, now]);
  if (!found) return null;
  return (
    <section class="card wide bench">
      <h2>{words.benchTitle}</h2>
      <p class="quiet">{words.benchAbout}</p>
      {found.plants.map((truth) => (
        <BenchPlant
          key={truth.plant}
          truth={truth}
          overview={overview}
          changed={() => setVersion(version + 1)}
        />
      ))}
    </section>
  );
}

function BenchPlant({
  truth: { plant, moisture_percent, broken },
  overview,
  changed,
}: {
  readonly truth: BenchPlantView;
  readonly overview: Overview;
  readonly changed: () => void;
}) {
  const { house, words } = useShared();
  const seen = overview.plants.find((each) => each.plant === plant);
  const said = seen?.moisture ? words.percent(seen.moisture.percent) : words.noReading;
  const toggle = (trouble: BenchTrouble) => () =>
    house
      .act("break_bench", { ...ofPlant(house, plant), trouble, broken: !broken.includes(trouble) })
      .then(changed);
  return (
    <>
      <p>
        <strong>{seen?.name ?? plant}</strong>: {words.benchTruth(words.percent(moisture_percent), said)}
      </p>
      <div class="buttons">
        {TROUBLES.map((trouble) => (
          <Act key={trouble} tone={broken.includes(trouble) ? "main" : "plain"} run={toggle(trouble)}>
            {broken.includes(trouble) ? words.mend(words.troubles[trouble]) : words.troubles[trouble]}
          </Act>
        ))}
      </div>
    </>
  );
}
