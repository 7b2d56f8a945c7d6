import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import type { Dose } from "../../wire/plants.js";
import { after } from "./browser-clock.js";
import { type Shared, useShared } from "./context.tsx";
import { inputsOf, LOST, ofPlant } from "./house.js";
import { askedDose, keepDose } from "./kept.js";
import { Refusal } from "./link.js";
import { Clear, Resume } from "./notices.tsx";
import { Act, focus, NOTE, named, Ranges, Trouble } from "./parts.tsx";

/** Millilitres. A choice: a dose has 10 to 25. */
const AMOUNTS = [10, 15, 20, 25].map((ml) => [ml, `${ml} ml`] as const);
const USUAL = 15;
/** Milliseconds. A dose takes half a minute at most, and an interlock may rest before it. */
const PATIENCE = 120_000;
const UNCERTAIN = "DOSE_UNCERTAIN";
/** Water may have flowed: that is told also where something forbids the next dose. */
const MAY_HAVE_FLOWED = ["CANCELLED", UNCERTAIN];

/**
 * A dose by a person, who needs no plan for it. All else that a dose needs the runtime asks of this one too: no hold, no fault, a
 * probe that answers, soil that is not wet, and what is left of the budget.
 */
export function Pour(of: {
  readonly plant: PlantNow;
  /** How much may still flow, and when it is more. */
  readonly budget: string;
}) {
  const { plant } = of;
  const shared = useShared();
  const { house, words } = shared;
  const say = words.pour;
  const [isOpen, setOpen] = useState(false);
  const [poured, setPoured] = useState<Dose>();
  const [refusal, setRefusal] = useState<Refusal>();
  const stop = stopOf(plant, shared);
  const isWet = refusal?.code === "SOIL_WET";
  const isTold = stop !== undefined && !MAY_HAVE_FLOWED.includes(refusal?.code ?? "");
  const isOver = refusal !== undefined && (isTold || (isWet && !isSoilWet(plant)));
  useEffect(() => {
    // its cause has ended, or is told by what is so now; another refusal may have come since this was drawn
    if (isOver) setRefusal((last) => (last === refusal ? undefined : last));
  }, [isOver, refusal]);
  useEffect(
    () => (refusal && !isWet ? after(NOTE, () => setRefusal(undefined)) : undefined),
    [refusal, isWet],
  );
  const toggle = () => {
    setOpen(!isOpen);
    setPoured(undefined);
    setRefusal(undefined);
  };
  const refused = async (error: Refusal) => {
    await house.refresh(); // the reading that it was judged by, and what is left
    if (error.code !== "BUDGET_EXCEEDED") setRefusal(error);
  };
  const done = (dose: Dose) => {
    setOpen(false);
    setPoured(dose);
  };
  return (
    <>
      <div class="buttons">
        <button
          type="button"
          class="button"
          data-act
          aria-label={named(say.open, plant.name)}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {say.open}
        </button>
      </div>
      {isOpen && (
        <div class="pour">
          {stop ?? (
            <Wish
              {...of}
              isAsked={isWet && !isOver}
              forget={() => setRefusal(undefined)}
              refused={refused}
              done={done}
            />
          )}
          {!isOver && !isWet && <Trouble error={refusal} />}
        </div>
      )}
      {poured && (
        <p role="status" tabIndex={-1} ref={focus}>
          {say.done(poured.dispensed, poured.remaining_24h)}
        </p>
      )}
    </>
  );
}

const isSoilWet = ({ moisture, water }: PlantNow): boolean =>
  moisture !== null && moisture.percent > (water?.not_above?.percent ?? 100);

/** Why nothing can be poured now, as far as the overview tells, with the button that ends it. Undefined where nothing forbids it. */
function stopOf(of: PlantNow, { view, words }: Shared) {
  const { plant, hold, faults, probe_fault } = of;
  const active = (kind: "stop" | "tank") =>
    inputsOf(view.overview, plant, kind).find((input) => input.active)?.name;
  const [button, tank] = [active("stop"), active("tank")];
  const [fault] = faults;
  const say = (why: string, button?: ComponentChild) => (
    <>
      <p role="status">{why}</p>
      {button}
    </>
  );
  if (hold) {
    const why = button === undefined ? `${words.isHeld}. ${words.holdMeans}` : words.inputs.stop(button);
    return say(why, <Resume plant={of} />);
  }
  if (fault) {
    const { code } = fault;
    return say(
      `${words.locked[code] ?? words.lockedElse}. ${words.whatToDo[code] ?? ""}`,
      <Clear plant={plant} />,
    );
  }
  if (button !== undefined) return say(words.inputs.stop(button));
  if (tank !== undefined) return say(`${words.tank(tank)} ${words.tankEmpty}.`);
  return probe_fault ? say(`${words.probeIsFaulty}. ${words.probeMeans}`) : undefined;
}

/**
 * How much of what may still flow, and the button that pours it. Onto wet soil only after one more question. While the answer about
 * a dose is lost, nothing but that dose can be asked for: whoever presses again means the same one.
 */
function Wish({
  plant,
  budget,
  isAsked,
  forget,
  refused,
  done,
}: {
  readonly plant: PlantNow;
  readonly budget: string;
  /** The soil is wet: whether it shall be all the same. */
  readonly isAsked: boolean;
  readonly forget: () => void;
  readonly refused: (refusal: Refusal) => Promise<void>;
  readonly done: (dose: Dose) => void;
}) {
  const { house, view, words } = useShared();
  const say = words.pour;
  const whose = `${view.session?.token} ${plant.plant}`;
  const [chosen, setMl] = useState(USUAL);
  const [lost, setLost] = useState(askedDose(whose));
  /** What was offered when it began to pour: a dose that flows is counted already. */
  const [pouring, setPouring] = useState<typeof AMOUNTS>();
  const { moisture, water } = plant;
  const amounts = pouring ?? AMOUNTS.filter(([amount]) => amount <= (water?.remaining_ml ?? 0));
  const ml = lost?.ml ?? amounts.findLast(([amount]) => amount <= chosen)?.[0];
  if (ml === undefined) return <p role="status">{budget}</p>;
  const choose = (other: number) => {
    forget();
    setMl(other);
  };
  const failed = async (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    const isLost = LOST.includes(error.code);
    if (!isLost) keepDose(whose, undefined);
    setLost(askedDose(whose)); // this note tells of it, also when the connection is back
    if (!isLost) await refused(asItCounts(error));
  };
  const pour = async (confirm?: string) => {
    const dose = askedDose(whose) ?? { key: newKey(), ml };
    keepDose(whose, dose);
    forget();
    setPouring(amounts);
    try {
      const asked = { key: dose.key, confirm, patience: PATIENCE };
      const args = { ...ofPlant(house, plant.plant), ml: dose.ml };
      const poured = await house.call<Dose>("dispense_water", args, asked);
      keepDose(whose, undefined);
      done(poured);
    } catch (error) {
      await failed(error);
    } finally {
      setPouring(undefined);
      void house.refresh();
    }
  };
  return (
    <>
      {lost ? (
        <p key="lost" class="note">
          {say.lost(ml)}
        </p>
      ) : (
        <Ranges label={say.amount} value={ml} options={amounts} choose={choose} />
      )}
      {!lost && amounts.length < AMOUNTS.length && <p class="quiet">{budget}</p>}
      {isAsked && (
        <fieldset class="careful note hold">
          {/* focused, and no alert: its figure changes */}
          <p tabIndex={-1} ref={focus}>
            {say.wet(moisture?.percent ?? 0, water?.not_above?.percent ?? 0)}
          </p>
          <div class="buttons">
            <Act run={() => pour("SOIL_WET")}>{say.allTheSame(ml)}</Act>
            <button type="button" class="button" onClick={forget}>
              {say.cancel}
            </button>
          </div>
        </fieldset>
      )}
      {!isAsked && (
        <div key="pour" class="buttons">
          <Act isMain run={() => pour()}>
            {say.now(ml)}
          </Act>
        </div>
      )}
      <p key="state" class="quiet" role="status">
        {pouring ? `${words.pouring}…` : say.means}
      </p>
    </>
  );
}

/** The runtime was cut off in the middle of the dose: what was begun counts in full. */
const asItCounts = (refusal: Refusal): Refusal =>
  refusal.code === "OUTCOME_UNKNOWN" ? new Refusal(UNCERTAIN, refusal.message) : refusal;

/** Without TLS a browser has no randomUUID. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
