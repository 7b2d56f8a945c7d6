import { useEffect, useState } from "preact/hooks";
import { BACK_IN_POT, OUT_OF_POT } from "../../wire/names.js";
import type { Overview, PlantNow } from "../../wire/overview.js";
import type { MeasuredProbe } from "../../wire/plants.js";
import {
  inWords,
  isImplausible,
  isUnusual,
  keysOf,
  NotSteady,
  type Place,
  percentOf,
  type Steady,
  spanTrouble,
  untilSteady,
} from "../../wire/probe-levels.js";
import { monotonic, sleep } from "./browser-clock.js";
import { useShared } from "./context.tsx";
import { oneDecimal, whole } from "./figures.js";
import { ofPlant } from "./house.js";
import { Act, ChoosePlant } from "./parts.tsx";
import type { Words } from "./words.js";

/** What `tendril calibrate moisture` does, step by step, up to the lines for the configuration: the page does not write that file. */

const STEPS: readonly Place[] = ["air", "water", "pot"];

type Found = Readonly<Partial<Record<Place, Steady>>>;

/** `others`: whether somebody else had put the plant on hold, so that it stays so. */
type Walk = { readonly plant: string; readonly others: boolean; readonly found: Found };

export function Calibration({ overview: { plants, board } }: { readonly overview: Overview }) {
  const { house, words } = useShared();
  const [chosen, choose] = useState(plants[0]?.plant);
  const [walk, setWalk] = useState<Walk>();
  const plant = plants.find((each) => each.plant === (walk?.plant ?? chosen));
  if (!plant) return null;
  const say = words.calibration;
  const hold = (on: boolean, reason: string) =>
    house.act("set_hold", { hold: on, plant: plant.plant, reason });
  const begin = async () => {
    const others = plant.hold !== null && plant.hold.reason !== OUT_OF_POT;
    if (!others) await hold(true, OUT_OF_POT);
    setWalk({ plant: plant.plant, others, found: {} });
  };
  const end = async () => {
    if (walk && !walk.others) await hold(false, BACK_IN_POT);
    setWalk(undefined);
  };
  const next = walk && STEPS.find((place) => !walk.found[place]);
  return (
    <>
      <p class="quiet">{say.about}</p>
      {walk ? (
        <h3>{plant.name}</h3>
      ) : (
        <>
          <ChoosePlant plants={plants} plant={plant} choose={choose} />
          <div class="buttons">
            <Act run={begin}>{say.begin}</Act>
          </div>
        </>
      )}
      {walk && (
        <>
          <p>{walk.others ? say.heldByOthers : say.held}</p>
          <Levels found={walk.found} words={words} />
          {next && (
            <Step
              key={next}
              plant={plant.plant}
              place={next}
              found={walk.found}
              isBench={board === "bench"}
              take={(steady) => setWalk({ ...walk, found: { ...walk.found, [next]: steady } })}
              again={() => setWalk({ ...walk, found: {} })}
            />
          )}
          {!next && <Result plant={plant} found={walk.found} />}
          <div class="buttons">
            <Act run={end}>{next ? say.giveUp : say.close}</Act>
          </div>
        </>
      )}
    </>
  );
}

function Levels({ found, words }: { readonly found: Found; readonly words: Words }) {
  const taken = STEPS.flatMap((place) => {
    const steady = found[place];
    return steady ? [{ place, steady }] : [];
  });
  if (taken.length === 0) return null;
  return (
    <ul>
      {taken.map(({ place, steady: { level, spread, unit } }) => (
        <li key={place}>{words.calibration.level(place, inWords(level, unit), inWords(spread, unit))}</li>
      ))}
    </ul>
  );
}

/** One place of the probe: what to do, what it reads meanwhile, and its steady level. */
function Step(of: {
  readonly plant: string;
  readonly place: Place;
  readonly found: Found;
  readonly isBench: boolean;
  readonly take: (steady: Steady) => void;
  readonly again: () => void;
}) {
  const { house, words } = useShared();
  const say = words.calibration;
  const [reads, setReads] = useState("");
  const [doubted, setDoubted] = useState<Steady>();
  const [seen] = useState({ still: true });
  useEffect(
    () => () => {
      seen.still = false; // the view was left: nobody waits for a level any more
    },
    [seen],
  );
  const { dry, trouble } = troubleOf(of.found, of.place, doubted);
  const measure = async () => {
    setDoubted(undefined);
    const steady = await steadyLevel();
    setReads("");
    if (troubleOf(of.found, of.place, steady).trouble || steady.resembles !== null) setDoubted(steady);
    else of.take(steady);
  };
  const steadyLevel = () =>
    untilSteady(
      () => house.call<MeasuredProbe>("measure_probe", { place: of.place, ...ofPlant(house, of.plant) }),
      {
        monotonic,
        sleep: (ms) => (seen.still ? sleep(ms) : Promise.reject(new Error(say.left))),
        tell: (measured, refused) =>
          setReads(refused ? (words.refusals[refused.code] ?? refused.message) : levelOf(measured)),
      },
    ).catch((error: unknown) => {
      throw error instanceof NotSteady ? new Error(say.notSteady(levelOf(error.measured))) : error;
    });
  return (
    <>
      <p>
        <strong>{say.steps[of.place]}</strong>
      </p>
      <p class="quiet">{say.expect[of.place]}</p>
      {of.isBench && <p class="quiet">{say.bench}</p>}
      <p role="status">{reads !== "" && say.waiting(reads)}</p>
      {doubted && (
        <div class="note fault" role="alert">
          <p>{trouble ? say.troubles[trouble] : say.resembles(inWords(doubted.level, doubted.unit))}</p>
          {dry && trouble && (
            <p>
              {say.level("air", inWords(dry.level, dry.unit), inWords(dry.spread, dry.unit))}{" "}
              {say.level(
                of.place,
                inWords(doubted.level, doubted.unit),
                inWords(doubted.spread, doubted.unit),
              )}
            </p>
          )}
        </div>
      )}
      <div class="buttons">
        <Act isMain run={measure}>
          {doubted ? say.measureAgain : say.measure}
        </Act>
        {doubted && (trouble === undefined || trouble === "unusual") && (
          <Act run={async () => of.take(doubted)}>{say.useAllTheSame}</Act>
        )}
        {of.found.air && <Act run={async () => of.again()}>{say.again}</Act>}
      </div>
    </>
  );
}

const levelOf = (measured: readonly MeasuredProbe[]): string => {
  const newest = measured.at(-1);
  return newest ? inWords(newest.level, newest.unit) : "";
};

/** Only the level in water is compared: with the dry one before it. */
function troubleOf({ air: dry }: Found, place: Place, steady: Steady | undefined) {
  if (!dry || !steady || place !== "water") return {};
  const ends = { dry: dry.level, wet: steady.level };
  const trouble = spanTrouble(dry, steady) ?? (isUnusual(ends, dry.unit) ? ("unusual" as const) : undefined);
  return { dry, trouble };
}

/** The lines for the configuration, and the command that writes them. */
function Result({
  plant: { plant },
  found: { air, water, pot },
}: {
  readonly plant: PlantNow;
  readonly found: Found;
}) {
  const { view, words } = useShared();
  if (!air || !water || !pot) return null;
  const say = words.calibration;
  const ends = { dry: air.level, wet: water.level };
  const keys = Object.entries(keysOf(ends, air.unit));
  const [dry, wet] = keys.map(([, value]) => value);
  const percent = percentOf(pot.level, ends);
  const noise = (100 * Math.max(air.spread, water.spread, pot.spread)) / Math.abs(ends.wet - ends.dry);
  return (
    <>
      <p>{say.span(inWords(Math.abs(ends.dry - ends.wet), air.unit), oneDecimal(noise))}</p>
      <p>{say.inPot(whole(percent))}</p>
      {(percent < 0 || percent > 100) && (
        <p class="note hold">{isImplausible(percent) ? say.implausible : say.outside}</p>
      )}
      <p>{say.writes}</p>
      <p>
        <code>
          {view.session?.called ?? "tendril"} calibrate moisture {plant} --dry {dry} --wet {wet}
        </code>
      </p>
      <p>{say.byHand(plant)}</p>
      <pre>
        <code>{keys.map(([key, value]) => `${key}: ${value}`).join("\n")}</code>
      </pre>
    </>
  );
}
