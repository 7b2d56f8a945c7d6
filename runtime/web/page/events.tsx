import type { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import type { CareEvent } from "../../wire/plants.js";
import { cycleOf, isByPerson } from "../../wire/why-water.js";
import { type Shared, useAnswer, useShared } from "./context.tsx";
import { at, whole } from "./figures.js";
import { reasonIn, refusalThen, refuserIn } from "./names.js";
import { reveal } from "./parts.tsx";
import { photosAround } from "./photo-data.js";
import { Picture } from "./photos.tsx";
import { RefusedStatus } from "./plant-card.tsx";
import { type Action, foldQuiet, type StoryEvent } from "./story-data.js";
import { markOf } from "./story-marks.js";
import { queryReasons, type StoryData } from "./story-query.js";
import { countFiles, Files } from "./uploads.tsx";

interface Shown {
  readonly plant: PlantNow;
  readonly data: StoryData;
  readonly events: readonly StoryEvent[];
  readonly chosen: StoryEvent | undefined;
  readonly choose: (event: StoryEvent | undefined) => void;
  readonly isShort: boolean;
}

/** What happened, newest first. The chosen one tells why. */
export function Events({ plant, data, events, chosen, choose, isShort }: Shown) {
  const { words } = useShared();
  const isSame = (event: StoryEvent) => chosen?.kind === event.kind && chosen.time === event.time;
  // photos are marks of the chart: a list of them is the strip under "Photos"
  const listed = events.filter((event) => event.kind !== "photo" || isSame(event));
  const draw = (event: StoryEvent) => (
    <Entry
      key={`${event.kind} ${event.time}`}
      event={event}
      isOpen={isSame(event)}
      toggle={() => choose(isSame(event) ? undefined : event)}
      plant={plant}
      data={data}
    />
  );
  return (
    <section class="card wide">
      <h2>{words.events}</h2>
      {!isShort && <p class="quiet">{words.sums}</p>}
      {isShort && listed.length === 0 && <p class="quiet">{words.noEvents}</p>}
      <ol class="events">
        {foldQuiet(listed).map((entry) =>
          entry.kind === "quiet" ? (
            <Quiet
              key={`quiet ${entry.cycles.at(-1)?.time}`}
              cycles={entry.cycles}
              hasChosen={entry.cycles.some(isSame)}
              draw={draw}
            />
          ) : (
            draw(entry)
          ),
        )}
      </ol>
    </section>
  );
}

/** Cycles that planned nothing, as one line; a tap on the chart opens it too. */
function Quiet(of: {
  readonly cycles: readonly StoryEvent[];
  readonly hasChosen: boolean;
  readonly draw: (event: StoryEvent) => ComponentChild;
}) {
  const { words, clock, nowMs } = useShared();
  const [isOpen, setOpen] = useState(false);
  const [newest, oldest] = [of.cycles[0]?.time ?? 0, of.cycles.at(-1)?.time ?? 0];
  return (
    <>
      <li class="event">
        <button type="button" aria-expanded={isOpen || of.hasChosen} onClick={() => setOpen(!isOpen)}>
          <time>{clock.near(newest, nowMs)}</time>
          <span class="quiet">{words.quietCycles(of.cycles.length, clock.near(oldest, nowMs))}</span>
        </button>
      </li>
      {(isOpen || of.hasChosen) && of.cycles.map(of.draw)}
    </>
  );
}

function Entry(of: {
  readonly event: StoryEvent;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly plant: PlantNow;
  readonly data: StoryData;
}) {
  const { words, names, clock, nowMs } = useShared();
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (of.isOpen && place.current) reveal(place.current);
  }, [of.isOpen]);
  const { event } = of;
  const question = questionOf(event, words, of);
  return (
    <li ref={place} class={`event ${event.kind} ${isBad(event) ? "bad" : ""}`}>
      <button type="button" aria-expanded={of.isOpen} onClick={of.toggle}>
        <time>{clock.near(event.time, nowMs)}</time>
        <span>{titleOf(event, { words, names, near: (iso) => clock.near(at(iso), nowMs) })}</span>
      </button>
      {of.isOpen && (
        <div class="reasons">
          {question !== undefined && <h3>{question}</h3>}
          {event.kind === "dose" && <DoseFacts event={event} record={of.data.record} plant={of.plant} />}
          {event.kind === "cycle" && (
            <>
              <Status cycle={event.event} />
              <Around plant={of.plant} time={event.time} />
            </>
          )}
          {event.kind === "photo" && <Picture photo={event.photo} name={of.plant.name} />}
          {event.kind === "refused" && <Refused refused={event.event} record={of.data.record} />}
          {event.kind === "control" && <Control event={event.event} />}
          {event.kind === "note" && (
            <>
              <p class="thought">{event.note.content}</p>
              <Files of={event.note} />
            </>
          )}
          {hasThought(event, of.data.record) && <Thinking plant={of.plant.plant} time={event.time} />}
        </div>
      )}
    </li>
  );
}

/** An agent's thought is no reason for what a person did. */
function hasThought(event: StoryEvent, record: readonly CareEvent[]): boolean {
  if (event.kind === "dose") return cycleOf(event.dose, record) !== undefined;
  return event.kind === "cycle" || (event.kind === "refused" && cycleOf(event.event, record) !== undefined);
}

/** What the opened entry answers. */
function questionOf(
  event: StoryEvent,
  words: Shared["words"],
  of: Pick<Shown, "plant" | "data">,
): string | undefined {
  // the question is to the agent: a person's dose, and a plan for light alone, are none of its water
  if (event.kind === "dose")
    return isByPerson(event.dose, of.data.record, of.plant) ? undefined : words.whyWater;
  if (event.kind === "note" || event.kind === "photo") return undefined;
  const { planned_ml, planned_light_minutes } = event.event;
  const isDry = event.kind === "refused" || (event.kind === "cycle" && !planned_ml && !planned_light_minutes);
  return isDry ? words.whyNot : undefined;
}

const isBad = (event: StoryEvent): boolean => ["refused", "fault"].includes(markOf(event) ?? "");

function titleOf(
  event: StoryEvent,
  { words, names, near }: Pick<Shared, "words" | "names"> & { readonly near: (iso: string) => string },
): string {
  if (event.kind === "photo") return words.key.photo;
  if (event.kind === "dose")
    return `${words.dose(event.dose.ml_dispensed)} · ${words.by(names.whom(event.dose.by))}`;
  if (event.kind === "note")
    return `${words.note}: ${event.note.content}${words.filesOf(countFiles(event.note))}`;
  if (event.kind === "refused") return refusalOf(event.event, { words, names });
  if (event.kind === "control") return controlOf(event.event, words, near);
  const { proceed, planned_ml = 0, planned_light_minutes = 0 } = event.event;
  const plan = proceed ? words.cyclePlan(planned_ml, planned_light_minutes) : words.cycleRefused;
  return `${words.cycle}: ${plan}`;
}

/** Who asked, and who said no: a person, the runtime by its rules, or nobody in time. */
function refusalOf(
  { ml = 0, by, code, reason }: CareEvent,
  { words, names }: Pick<Shared, "words" | "names">,
): string {
  const refuser = code === "APPROVAL_EXPIRED" ? undefined : names.whom(refuserIn(reason));
  return `${words.doseRefused(ml)} · ${words.askedBy(names.whom(by), refuser)}`;
}

/** The end of an outage says since when it was; a fault, what is locked. */
function controlOf(
  { kind, code, since, timestamp }: CareEvent,
  words: Shared["words"],
  near: (iso: string) => string,
): string {
  if (kind === "started") return words.wasOff(since === undefined ? undefined : near(since), near(timestamp));
  if (kind === "fault") return words.locked[code ?? ""] ?? words.lockedElse;
  const what = words.control[kind] ?? kind;
  return since === undefined ? what : `${what} (${words.faultSince(near(since))})`;
}

function DoseFacts({
  event: { dose, time },
  record,
  plant,
}: {
  readonly plant: PlantNow;
  readonly event: Extract<StoryEvent, { kind: "dose" }>;
  readonly record: readonly CareEvent[];
}) {
  const { words, names } = useShared();
  const cycle = cycleOf(dose, record);
  const poured = isByPerson(dose, record, plant) ? words.byPerson : words.outsideCycle;
  return (
    <>
      <p>
        {[
          words.doseAsked(dose.ml_requested),
          ...(dose.outcome === "completed" ? [] : [words.outcomes[dose.outcome] ?? dose.outcome]),
          words.by(names.whom(dose.by)),
        ].join(" · ")}
      </p>
      {cycle ? <Status cycle={cycle} /> : <p>{poured}</p>}
      <Around plant={plant} time={time} />
    </>
  );
}

/** Why the runtime refused a dose, and the status of its cycle. */
function Refused({
  refused,
  record,
}: {
  readonly refused: CareEvent;
  readonly record: readonly CareEvent[];
}) {
  const { words, said } = useShared();
  const cycle = cycleOf(refused, record);
  return (
    <>
      <p class="warn">
        {refusalThen(words, refused.code) ?? <span lang="en">{said(refused.reason ?? "")}</span>}
      </p>
      {cycle && <Status cycle={cycle} />}
    </>
  );
}

/** A hold, a fault or a tank, or the end of it: what it means, what was said about it, and by whom. */
function Control({ event: { kind, code = "", reason, by } }: { readonly event: CareEvent }) {
  const { words, names, said } = useShared();
  const told = reasonIn(words, reason ?? "");
  const why = told === reason ? (refusalThen(words, code) ?? said(told)) : told;
  const means = {
    hold: words.holdMeans,
    probe_fault: `${words.probeTroubles[code] ?? ""} ${words.probeMeans}`,
  }[kind as string];
  return (
    <>
      {means !== undefined && <p>{means}</p>}
      <p class="quiet">
        {why} ({words.by(names.whom(by ?? ""))})
      </p>
    </>
  );
}

function Around({ plant, time }: { readonly plant: PlantNow; readonly time: number }) {
  const { house, words } = useShared();
  const found = useAnswer(() => photosAround(house, plant.plant, time), [plant.plant, time]);
  if (!found?.before && !found?.after) return null;
  return (
    <div class="screen two">
      <Picture photo={found.before} name={plant.name} title={words.photoBefore} />
      <Picture photo={found.after} name={plant.name} title={words.photoAfter} />
    </div>
  );
}

/** The status that the agent wrote, and the runtime's answer. */
function Status({ cycle }: { readonly cycle: CareEvent }) {
  const { words, names } = useShared();
  const { plant_state = "unknown", reasoning, proceed, by } = cycle;
  return (
    <>
      <p>
        <strong>{words.status}</strong>: {names.doer(by ?? "")} {words.states[plant_state] ?? plant_state}.{" "}
        {reasoning}
      </p>
      {proceed === false && <RefusedStatus of={cycle} />}
    </>
  );
}

function Thinking({ plant, time }: { readonly plant: string; readonly time: number }) {
  const { house, words, clock } = useShared();
  const found = useAnswer(() => queryReasons(house, plant, time), [plant, time]);
  if (!found) return null;
  const { thought, actions, costs } = found;
  if (!thought && actions.length === 0 && costs.length === 0) return <p class="quiet">{words.noMore}</p>;
  return (
    <>
      {thought && (
        <>
          <p>
            <strong>{words.thought}</strong>: {thought.observation} {thought.reasoning}
          </p>
          {thought.hypothesis !== "" && (
            <p>
              <strong>{words.hypothesis}</strong>: {thought.hypothesis}
            </p>
          )}
          {thought.uncertainties !== "" && (
            <p>
              <strong>{words.doubts}</strong>: {thought.uncertainties}
            </p>
          )}
        </>
      )}
      {actions.length > 0 && (
        <>
          <p>
            <strong>{words.calls}</strong>
          </p>
          <ul>
            {actions.map((action) => (
              <li key={action.timestamp}>
                {clock.clock(Date.parse(action.timestamp))}{" "}
                {callOf(action, { ...words.callNames, ...words.callTitles })}
              </li>
            ))}
          </ul>
        </>
      )}
      {costs.map(({ timestamp, model, tokens, money }) => (
        <p key={timestamp} class="quiet">
          {words.modelCost(model, whole(tokens), money)}
        </p>
      ))}
    </>
  );
}

/** "water 15 ml" */
function callOf(
  { type, details: { tool: called = type, ml, minutes } }: Action,
  names: Readonly<Record<string, string>>,
): string {
  const tool = names[called] ?? called;
  if (ml !== undefined) return `${tool} ${whole(ml)} ml`;
  return minutes === undefined ? tool : `${tool} ${whole(minutes)} min`;
}
