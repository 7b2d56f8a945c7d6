import type { ComponentChildren } from "preact";
import type { Overview, PlantNow } from "../../wire/overview.js";
import type { History, PouredDose } from "../../wire/plants.js";
import { finest } from "../../wire/water-query.js";
import { useAnswer, useShared } from "./context.tsx";
import { age, at, budgetGrows, ownPath, STALE, STALE_PHOTO } from "./figures.js";
import { inputsOf, ofPlant } from "./house.js";
import { planRefusalIn, type RefusedPlan, reasonIn, refusalOnRecord } from "./names.js";
import { Clear, isTold, Resume } from "./notices.tsx";
import { Foreign, Freshness, Gauge } from "./parts.tsx";
import { lastPhotos } from "./photo-data.js";
import { Pour } from "./pour.tsx";
import { WhyOfPlant } from "./why-view.tsx";

interface OfPlant {
  readonly plant: PlantNow;
  /** The note of *Everything off* is shown: its hold is not told again. */
  readonly isOffTold?: boolean | undefined;
}

/** One plant: its last photo, its figures with their age, what is wrong and what to do, and what the agent plans. */
export function PlantCard({ plant, isOffTold }: OfPlant) {
  const { view } = useShared();
  const isAsked = view.overview?.approvals.some((each) => each.plant === plant.plant) ?? false;
  // below a request that waits, what people look for first must still be seen on a phone
  const why = <WhyOfPlant key="why" plant={plant} />;
  return (
    <article class={isAsked ? "card plant asked" : "card plant"} aria-labelledby={`plant-${plant.plant}`}>
      <Photo plant={plant} />
      <div class="plant-body">
        <header class="plant-head">
          <h2 id={`plant-${plant.plant}`}>{plant.name}</h2>
          {plant.species && plant.species !== plant.name.toLowerCase() && (
            <span class="quiet">{plant.species}</span>
          )}
        </header>
        {isAsked && why}
        <Troubles plant={plant} isOffTold={isOffTold} />
        <Moisture plant={plant} />
        <Water plant={plant} />
        {!isAsked && why}
        <Light plant={plant} />
        <Tanks plant={plant} />
        <Agent plant={plant} />
      </div>
    </article>
  );
}

function Photo({ plant }: { readonly plant: PlantNow }) {
  const { view, words } = useShared();
  const none = plant.fitted?.camera === false ? words.noCamera : words.noPhoto;
  return (
    <LastPhoto plant={plant}>
      <div class="photo empty">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 15V8C3 8 1 5 1 1c5 0 7 3 7 7 0-4 2-6 7-6 0 4-2 7-7 7" />
        </svg>
        <span>{view.state === "lost" ? words.needsConnection : none}</span>
      </div>
    </LastPhoto>
  );
}

/** The last photo of a plant, with its age; `children` where there is none. */
export function LastPhoto({
  plant,
  children,
}: {
  readonly plant: PlantNow;
  readonly children?: ComponentChildren;
}) {
  const { house, words, clock, now, nowMs } = useShared();
  // a link lasts for hours; a new photo comes with a care cycle
  const last = useAnswer(
    () => lastPhotos(house, plant.plant, now),
    [plant.plant, plant.last_status?.timestamp, Math.floor(nowMs / 300_000)],
  );
  if (!last) return <>{children}</>;
  const { shown, dark } = last;
  const isOld = age(shown.timestamp, now) > STALE_PHOTO;
  return (
    <figure class={isOld ? "photo old" : "photo"}>
      <img
        src={ownPath(shown.url)}
        width={shown.width}
        height={shown.height}
        alt={`${plant.name}, ${clock.minute(at(shown.timestamp))}`}
      />
      <figcaption>
        {dark && dark !== shown && (
          <span class="fresh">{words.darkAt(clock.near(at(dark.timestamp), nowMs))} </span>
        )}
        {dark === shown && <span class="fresh">{words.dark} · </span>}
        <Freshness of={shown.timestamp} stale={STALE_PHOTO} />
      </figcaption>
    </figure>
  );
}

function Moisture({ plant: { moisture, water } }: { readonly plant: PlantNow }) {
  const { words } = useShared();
  const limit = water?.not_above?.percent;
  const isWet = moisture !== null && limit !== undefined && moisture.percent > limit;
  const text = moisture ? words.percent(moisture.percent) : words.noReading;
  return (
    <section class="figure">
      <div class="figure-head">
        <h3>{words.moisture}</h3>
        {moisture && <Freshness of={moisture.timestamp} stale={STALE} />}
      </div>
      <p class="value">{text}</p>
      <Gauge label={words.moisture} percent={moisture?.percent} text={text} tone="soil" mark={limit} />
      {limit !== undefined && <p class="quiet">{isWet ? words.isWet(limit) : words.notAbove(limit)}</p>}
    </section>
  );
}

function Water({ plant: all }: { readonly plant: PlantNow }) {
  const { plant, water, fitted } = all;
  const { house, words, clock, now, nowMs } = useShared();
  const fine = { hours: 24, samples_per_hour: finest(24), aggregation: "first" };
  const history = useAnswer(
    () => house.call<History<PouredDose>>("get_water_history", { ...ofPlant(house, plant), ...fine }),
    [plant, water?.used_ml, water?.events, water?.pouring], // a dose is counted first, and on record once it is over
  );
  if (!water) return null;
  const limit = water.used_ml + water.remaining_ml;
  const grows = budgetGrows(history?.items ?? [], now);
  const text =
    water.assumed_ml > 0
      ? words.budgetAssumed(water.assumed_ml)
      : words.budget(Math.floor(water.remaining_ml), limit); // 9.9 ml are no dose of 10
  const none = water.used_ml > 0 ? "" : words.budgetFull; // counted already, and not on record yet
  const more = grows ? words.grows(grows.ml, clock.near(grows.at, nowMs)) : none;
  return (
    <section class="figure">
      <div class="figure-head">
        <h3>{words.water}</h3>
        {water.pouring && <span class="badge water">{words.pouring}</span>}
      </div>
      <p class="value">{fitted?.pump === false ? words.notFitted : text}</p>
      <Gauge label={words.water} percent={(100 * water.remaining_ml) / limit} text={text} tone="water" />
      {more !== "" && <p class="quiet">{more}</p>}
      {house.isHuman && fitted?.pump !== false && <Pour plant={all} budget={`${text}. ${more}`} />}
    </section>
  );
}

function Light({ plant }: { readonly plant: PlantNow }) {
  const { words, view } = useShared();
  const { light, fitted } = plant;
  if (!light || fitted?.light === false) return null;
  const isOn = light.status === "on";
  const today = isOn ? words.lightOn(light.light_today) : words.lightOff(light.light_today);
  const rest = light.can_activate ? words.lightReady : words.lightRest(light.minutes_until_available);
  return (
    <section class="figure row">
      <h3>{words.light}</h3>
      <p>
        <span class={isOn ? "lamp on" : "lamp"} aria-hidden="true" />
        {isOn || isLightStopped(plant, view.overview) ? today : `${today} · ${rest}`}
      </p>
    </section>
  );
}

/** Whether a hold, the interlock or a stop button keeps the light off: the notes above say so. */
function isLightStopped({ plant, hold, faults }: PlantNow, overview: Overview | undefined): boolean {
  const isPressed = overview?.inputs.some(
    ({ kind, active, plants }) => kind === "stop" && active && plants.includes(plant),
  );
  const problem = overview?.interlock?.problem ?? null;
  return (
    hold !== null || faults.some(({ code }) => code === "INTERLOCK") || problem !== null || isPressed === true
  );
}

function Tanks({ plant }: { readonly plant: PlantNow }) {
  const { words, view } = useShared();
  const tanks = inputsOf(view.overview, plant.plant, "tank").map(({ name, active }) => (
    <section class="figure row" key={name}>
      <h3>{words.tank(name)}</h3>
      <p class={active ? "warn" : ""}>{active ? words.tankEmpty : words.tankOk}</p>
    </section>
  ));
  return <>{tanks}</>;
}

/** Holds and faults of a plant, what to do, and how to end them. */
export function Troubles({ plant, isOffTold = false }: OfPlant) {
  const { house, words, names, clock, nowMs } = useShared();
  const since = (iso: string) => clock.near(at(iso), nowMs);
  const { hold, faults, probe_fault, uncared } = plant;
  return (
    <>
      {hold && !isTold(hold, isOffTold) && (
        <div class="note hold" role="status">
          <p>{words.hold(since(hold.since), names.whom(hold.by), reasonIn(words, hold.reason))}</p>
          <p class="quiet">{words.holdMeans}</p>
          {house.isHuman && <Resume plant={plant} />}
        </div>
      )}
      {faults.map((fault) => (
        <div class="note fault" role="status" key={fault.code}>
          <p>
            <strong>{words.locked[fault.code] ?? words.lockedElse}</strong>
          </p>
          <p>{words.whatToDo[fault.code] ?? ""}</p>
          <p class="quiet">
            <FaultReason of={fault} plant={plant.plant} /> ({words.lockedSince(since(fault.since))})
          </p>
          {house.isHuman && <Clear plant={plant.plant} />}
        </div>
      ))}
      {probe_fault && (
        <div class="note fault" role="status">
          <p>
            {words.probeTroubles[probe_fault.code]} {words.probe(since(probe_fault.since))}
          </p>
        </div>
      )}
      {uncared && (
        <div class="note hold" role="status">
          <p>{words.uncared(uncared.hours)}</p>
        </div>
      )}
    </>
  );
}

/** What the runtime has noted with a fault; nothing where the words above say the same in another language. */
function FaultReason({
  of: { code, reason: noted },
  plant,
}: {
  readonly of: PlantNow["faults"][number];
  readonly plant: string;
}) {
  const { view, words, said } = useShared();
  const isWet = inputsOf(view.overview, plant, "leak").some(
    ({ active, name }) => active && noted.includes(`"${name}"`),
  );
  const reason = isWet ? noted.replace(/was wet$/, "is wet") : noted;
  const own = reasonIn(words, reason);
  if (own !== reason) return <>{own}</>;
  if (code === "NO_RESPONSE" && refusalOnRecord(words, code) !== undefined) return null;
  return <span lang="en">{said(reason)}</span>;
}

function Agent({ plant: { last_status, uncared } }: { readonly plant: PlantNow }) {
  const { words } = useShared();
  if (!last_status) return uncared ? null : <p class="quiet">{words.noStatus}</p>;
  const { plant_state, proceed, reasoning, next_action_sequence, timestamp } = last_status;
  const steps = next_action_sequence.map(({ action, value }) => words.step(action, value)).join(", ");
  return (
    <section class="figure">
      <div class="figure-head">
        <h3>
          {words.plan} {words.states[plant_state] ?? plant_state}
        </h3>
        <Freshness of={timestamp} stale={STALE_PHOTO} />
      </div>
      {reasoning !== "" && <p class="thought">{reasoning}</p>}
      {proceed ? (
        <p class="quiet">{steps === "" ? words.plansNothing : words.plans(steps)}</p>
      ) : (
        <RefusedStatus of={last_status} />
      )}
    </section>
  );
}

/** Why the runtime did not clear what an agent planned. */
export function RefusedStatus(of: { readonly of: RefusedPlan }) {
  const { words, said } = useShared();
  const own = planRefusalIn(words, of.of);
  const why = said(own ?? of.of.reason ?? "");
  return (
    <p class="warn">
      <Foreign text={words.refusedStatus(why)} part={own === undefined ? why : ""} />
    </p>
  );
}
