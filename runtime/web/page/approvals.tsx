import { useEffect, useState } from "preact/hooks";
import type { Overview } from "../../wire/overview.js";
import type { ApprovalList, PendingApproval } from "../../wire/people.js";
import { after } from "./browser-clock.js";
import { useAnswer, useShared } from "./context.tsx";
import { Act } from "./parts.tsx";
import { LastPhoto } from "./plant-card.tsx";

interface Answered {
  readonly approval: PendingApproval;
  readonly isYes: boolean;
  /** It was shown for long enough. */
  readonly isOver: boolean;
}

/** Milliseconds that a note about something finished stays. A choice: long enough to read it twice. */
const NOTE = 60_000;

/** What waits for a yes, and what came of the last answer that was given here. */
export function Approvals({ overview }: { readonly overview: Overview }) {
  const [all, setAll] = useState<readonly Answered[]>([]);
  const last = all.at(-1);
  const numberOf = ({ words, plant }: PendingApproval) =>
    1 + all.filter(({ approval }) => approval.words === words && approval.plant === plant).length;
  const pending = overview.approvals.filter(({ id }) => all.every(({ approval }) => approval.id !== id));
  return (
    <>
      {last && !last.isOver && (
        <Outcome
          key={last.approval.id}
          answered={last}
          plant={overview.plants.find(({ plant }) => plant === last.approval.plant)?.name}
          over={() => setAll(all.map((each) => (each === last ? { ...each, isOver: true } : each)))}
        />
      )}
      {pending.map((approval) => (
        <Approval
          key={approval.id}
          approval={approval}
          overview={overview}
          number={numberOf(approval)}
          answered={(isYes) => setAll([...all, { approval, isYes, isOver: false }])}
        />
      ))}
    </>
  );
}

function Outcome({
  answered: { approval, isYes },
  plant,
  over,
}: {
  readonly answered: Answered;
  readonly plant: string | undefined;
  readonly over: () => void;
}) {
  const { house, words, now } = useShared();
  const found = useAnswer(() => house.call<ApprovalList>("list_approvals"), [now]);
  const state = found?.approvals.find(({ id }) => id === approval.id)?.state ?? "";
  // a yes that is not used yet is still worth knowing
  const isDone = state !== "" && state !== "approved";
  useEffect(() => (isDone ? after(NOTE, over) : undefined), [isDone]);
  const what = `${words.wish(approval)}${plant === undefined ? "" : ` (${plant})`}`;
  return (
    <p class="card wide" role="status">
      {words.answered(isYes, what)}. {words.cameOf[state] ?? ""}
    </p>
  );
}

function Approval({
  approval,
  overview,
  number,
  answered,
}: {
  readonly approval: PendingApproval;
  readonly overview: Overview;
  /** 2: one with the same words was answered before. */
  readonly number: number;
  readonly answered: (isYes: boolean) => void;
}) {
  const { house, words, names } = useShared();
  const plant = overview.plants.find((each) => each.plant === approval.plant);
  const reasoning = plant?.last_status?.reasoning ?? "";
  const planned = (plant?.last_status?.next_action_sequence ?? []).filter(
    ({ action }) => action === "water" && approval.tool === "dispense_water",
  ).length;
  const { id, agent, scope, expires_in_s, after_reading: read } = approval;
  const explain = { UNKNOWN_APPROVAL: words.answeredAlready };
  const answer = (approve: boolean) => () =>
    house.act("answer_approval", { id, approve }).then(() => answered(approve));
  return (
    <section class="card approval wide" aria-labelledby={`approval-${id}`}>
      {plant && <LastPhoto plant={plant} />}
      <div class="approval-words">
        <p class="quiet">{house.isHuman ? words.asks : words.asksPeople}</p>
        <h2 id={`approval-${id}`}>
          {words.wants(names.doer(agent), words.wish(approval), plant?.name ?? approval.plant)}
        </h2>
        {read !== undefined && <p class="warning">{words.afterReading(read)}</p>}
        {number > 1 && <p>{words.another(number, planned >= number ? planned : undefined)}</p>}
        {reasoning !== "" && <p>{words.because(reasoning)}</p>}
        {scope !== undefined && <p>{words.scope(approval, plant?.name ?? "")}</p>}
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
      </div>
    </section>
  );
}

/** On all other views: what waits, and the way to it. */
export function Waiting({ overview }: { readonly overview: Overview | undefined }) {
  const { house, words, names } = useShared();
  const [first, ...more] = overview?.approvals ?? [];
  if (!first) return null;
  const plant = overview?.plants.find((each) => each.plant === first.plant)?.name;
  return (
    <a class="waiting" href="#now">
      <strong>{house.isHuman ? words.asks : words.asksPeople}</strong>{" "}
      {words.wants(names.doer(first.agent), words.wish(first), plant)}
      {more.length > 0 && ` (+${more.length})`} ›
    </a>
  );
}
