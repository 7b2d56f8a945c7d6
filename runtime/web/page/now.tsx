import type { Overview } from "../../wire/overview.js";
import type { PendingApproval } from "../../wire/people.js";
import { Bench } from "./bench.tsx";
import { useShared } from "./context.tsx";
import { Act } from "./parts.tsx";
import { PlantCard } from "./plant-card.tsx";

/** Everything as it is: what waits for a yes, then each plant, then rooms and the machine. */
export function Now({ overview }: { readonly overview: Overview }) {
  const { house, words } = useShared();
  const { approvals, plants, warnings, inputs, climate } = overview;
  const alarms = inputs.filter(({ kind, active }) => active && kind !== "tank");
  return (
    <>
      {alarms.map(({ kind, name }) => (
        <p class="note fault wide" role="alert" key={name}>
          {kind === "tank" ? "" : words.inputs[kind](name)}
        </p>
      ))}
      {approvals.map((approval) => (
        <Approval key={approval.id} approval={approval} overview={overview} />
      ))}
      <div class="cards">
        {plants.map((plant) => (
          <PlantCard key={plant.plant} plant={plant} />
        ))}
      </div>
      {overview.board === "bench" && house.isHuman && <Bench overview={overview} />}
      {climate.length > 0 && <Rooms climate={climate} />}
      {warnings.length > 0 && (
        <section class="card wide">
          <h2>{words.warnings}</h2>
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </section>
      )}
    </>
  );
}

function Approval({
  approval,
  overview,
}: {
  readonly approval: PendingApproval;
  readonly overview: Overview;
}) {
  const { house, words } = useShared();
  const plant = overview.plants.find((each) => each.plant === approval.plant);
  const reasoning = plant?.last_status?.reasoning ?? "";
  const { id, agent, instance, scope, expires_in_s, after_reading: read } = approval;
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  const explain = { UNKNOWN_APPROVAL: words.answeredAlready };
  const answer = (approve: boolean) => () => house.act("answer_approval", { id, approve });
  return (
    <section class="card approval wide" aria-labelledby={`approval-${id}`}>
      <p class="quiet">{words.asks}</p>
      <h2 id={`approval-${id}`}>{words.wants(who, approval.words, plant?.name ?? approval.plant)}</h2>
      {read !== undefined && <p class="warning">{words.afterReading(read)}</p>}
      {reasoning !== "" && <p>{words.because(reasoning)}</p>}
      {scope !== undefined && <p>{words.scope(scope)}</p>}
      <p class="quiet">{words.expires(expires_in_s)}</p>
      {house.isHuman && (
        <div class="buttons">
          <Act tone="main" run={answer(true)} explain={explain}>
            {words.approve}
          </Act>
          <Act run={answer(false)} explain={explain}>
            {words.refuse}
          </Act>
        </div>
      )}
    </section>
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
            {fault && <span class="warn">{words.roomFault(fault.code)}</span>}
            {!fault && reading && words.room(reading.temperature_c, reading.humidity_percent)}
            {!fault && !reading && words.noReading}
          </p>
        </div>
      ))}
    </section>
  );
}
