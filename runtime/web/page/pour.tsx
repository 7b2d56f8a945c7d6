import { useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import type { Dose } from "../../wire/plants.js";
import { useShared } from "./context.tsx";
import { LOST, ofPlant } from "./house.js";
import { askedDose, keepDose } from "./kept.js";
import { Refusal } from "./link.js";
import { Act, focus, named, Ranges } from "./parts.tsx";

/** Millilitres. A choice: a dose has 10 to 25. */
const AMOUNTS = [10, 15, 20, 25].map((ml) => [ml, `${ml} ml`] as const);
const USUAL = 15;
/** Milliseconds. A dose takes half a minute at most, and an interlock may rest before it. */
const PATIENCE = 120_000;

/**
 * A dose by a person, who needs no plan for it. All else that a dose needs the runtime asks of this one too: no hold, no fault, a
 * probe that answers, soil that is not wet, and what is left of the budget.
 */
export function Pour({ plant: { plant, name } }: { readonly plant: PlantNow }) {
  const { words } = useShared();
  const say = words.pour;
  const [isOpen, setOpen] = useState(false);
  const [poured, setPoured] = useState<Dose>();
  const toggle = () => {
    setOpen(!isOpen);
    setPoured(undefined);
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
          class="button plain"
          data-act
          aria-label={named(say.open, name)}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {say.open}
        </button>
      </div>
      {isOpen && <Wish plant={plant} done={done} />}
      {poured && (
        <p role="status" tabIndex={-1} ref={focus}>
          {say.done(poured.dispensed, poured.remaining_24h)}
        </p>
      )}
    </>
  );
}

/**
 * How much, and the button that pours it. Onto wet soil only after one more question. While the answer about a dose is lost, nothing
 * but that dose can be asked for: whoever presses again means the same one.
 */
function Wish({ plant, done }: { readonly plant: string; readonly done: (dose: Dose) => void }) {
  const { house, words } = useShared();
  const say = words.pour;
  const [chosen, setMl] = useState(USUAL);
  const [lost, setLost] = useState(askedDose(plant));
  const [wet, setWet] = useState<Refusal>();
  const [isPouring, setPouring] = useState(false);
  const ml = lost?.ml ?? chosen;
  const choose = (other: number) => {
    setWet(undefined);
    setMl(other);
  };
  const refused = (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    if (!LOST.includes(error.code)) keepDose(plant, undefined);
    setLost(askedDose(plant));
    if (error.code !== "SOIL_WET") throw error;
    setWet(error);
  };
  const pour = async (confirm?: string) => {
    const dose = askedDose(plant) ?? { key: newKey(), ml };
    keepDose(plant, dose);
    setPouring(true);
    try {
      const asked = { key: dose.key, confirm, patience: PATIENCE };
      const poured = await house.call<Dose>(
        "dispense_water",
        { ...ofPlant(house, plant), ml: dose.ml },
        asked,
      );
      keepDose(plant, undefined);
      done(poured);
    } catch (error) {
      refused(error);
    } finally {
      setPouring(false);
      void house.refresh();
    }
  };
  const { percent, limit_percent: limit } = (wet?.details ?? {}) as Readonly<Record<string, number>>;
  return (
    <div class="pour">
      {lost ? (
        <p key="lost" class="note">
          {say.lost(ml)}
        </p>
      ) : (
        <Ranges label={say.amount} value={ml} options={AMOUNTS} choose={choose} />
      )}
      {wet && (
        <fieldset class="careful note hold">
          <p role="alert">{say.wet(percent ?? 0, limit ?? 0)}</p>
          <div class="buttons">
            <Act run={() => pour(wet.code)}>{say.allTheSame}</Act>
            <button type="button" class="button plain" onClick={() => setWet(undefined)}>
              {say.cancel}
            </button>
          </div>
        </fieldset>
      )}
      {!wet && (
        <div key="pour" class="buttons">
          <Act tone="main" run={() => pour()}>
            {say.now(ml)}
          </Act>
        </div>
      )}
      <p key="state" class="quiet" role="status">
        {isPouring ? `${words.pouring}…` : say.means}
      </p>
    </div>
  );
}

/** Without TLS a browser has no randomUUID. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
