import type { BENCH_TROUBLES, BenchPlantView, BenchTrouble, BenchView } from "../../wire/bench.js";
import type { Overview } from "../../wire/overview.js";
import { useAnswer, useChanges, useShared } from "./context.tsx";
import { ofPlant } from "./house.js";
import { unlessOff } from "./link.js";
import { Act, Ranges } from "./parts.tsx";
import { Troubles } from "./plant-card.tsx";

/** In the order of the buttons. */
const TROUBLES: typeof BENCH_TROUBLES = [
  "probe_unplugged",
  "probe_stuck",
  "tube_off",
  "tank_empty",
  "leak",
  "lamp_dead",
];
/** Of real time. A choice: to watch a dose, to watch an hour, and as npm start begins. */
const SPEEDS = [1, 10, 60];

/** The simulated plants as they truly are, beside what their probes say, and buttons that break things. */
export function Bench({ overview }: { readonly overview: Overview }) {
  const { house, words, now } = useShared();
  const { version, changed } = useChanges();
  const found = useAnswer(() => house.call<BenchView>("get_bench").catch(unlessOff), [version, now]);
  if (!found) return null;
  return (
    <section class="card wide bench">
      <h2>{words.benchTitle}</h2>
      <p class="quiet">{words.benchAbout}</p>
      {found.speed !== null && <Speed speed={found.speed} changed={changed} />}
      {found.plants.map((truth) => (
        <BenchPlant key={truth.plant} truth={truth} overview={overview} changed={changed} />
      ))}
      {found.can_cut_power && <Power />}
    </section>
  );
}

function Speed({ speed, changed }: { readonly speed: number; readonly changed: () => void }) {
  const { house, words } = useShared();
  const set = (to: number) => void house.act("set_bench_speed", { speed: to }).then(changed, changed);
  const options = SPEEDS.map((each) => [each, words.benchTimes(each)] as const);
  return (
    <>
      <p class="speed" aria-hidden="true">
        {words.benchSpeed}
      </p>
      <Ranges label={words.benchSpeed} value={speed} options={options} choose={set} />
    </>
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
      {/* the plant's card is out of sight for whoever presses here */}
      {seen && <Troubles plant={seen} />}
      <ul class="troubles">
        {TROUBLES.map((trouble) => {
          const { breaks, mends, expect } = words.troubles[trouble];
          const isBroken = broken.includes(trouble);
          return (
            <li key={trouble}>
              <Act isMain={isBroken} run={toggle(trouble)}>
                {isBroken ? mends : breaks}
              </Act>
              <span class="quiet">{expect}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The call gets no answer: whoever would give it is gone. */
function Power() {
  const { house, words } = useShared();
  const cut = () =>
    house.act("cut_bench_power").catch((error: { code?: string }) => {
      if (error.code !== "NO_LINK") throw error;
    });
  return (
    <ul class="troubles">
      <li>
        <Act run={cut}>{words.powerCut.breaks}</Act>
        <span class="quiet">{words.powerCut.expect}</span>
      </li>
    </ul>
  );
}
