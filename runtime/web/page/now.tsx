import type { Overview } from "../../wire/overview.js";
import { Approvals } from "./approvals.tsx";
import { Bench } from "./bench.tsx";
import { useShared } from "./context.tsx";
import { alarmsIn } from "./names.js";
import { Alarms, DueTasks } from "./notices.tsx";
import { PlantCard } from "./plant-card.tsx";

/** Everything as it is: what waits for a yes and what is due, then each plant, then rooms and the machine. */
export function Now({ overview, isOffTold }: { readonly overview: Overview; readonly isOffTold: boolean }) {
  const { house, words, said } = useShared();
  const { plants, warnings, climate } = overview;
  return (
    <>
      <Alarms all={alarmsIn(overview.inputs, words)} />
      <Approvals overview={overview} />
      <DueTasks />
      <div class="cards">
        {plants.map((plant) => (
          <PlantCard key={plant.plant} plant={plant} isOffTold={isOffTold} />
        ))}
      </div>
      {overview.board === "bench" && house.isHuman && <Bench overview={overview} />}
      {climate.length > 0 && <Rooms climate={climate} />}
      {warnings.length > 0 && (
        <section class="card wide">
          <h2>{words.warnings}</h2>
          {warnings.map((warning) => (
            <p key={warning} lang="en">
              {said(warning)}
            </p>
          ))}
        </section>
      )}
    </>
  );
}

function Rooms({ climate }: { readonly climate: Overview["climate"] }) {
  const { words } = useShared();
  return (
    <section class="card wide">
      <h2>{words.rooms}</h2>
      {climate.map(({ place, reading, fault }) => (
        <div class="figure row" key={place}>
          <h3>{place}</h3>
          <p>
            {fault && <span class="warn">{words.roomFault}</span>}
            {!fault && reading && words.room(reading)}
            {!fault && !reading && words.noReading}
          </p>
        </div>
      ))}
    </section>
  );
}
