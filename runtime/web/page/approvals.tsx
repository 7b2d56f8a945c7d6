import { useEffect, useRef, useState } from "preact/hooks";
import type { Overview } from "../../wire/overview.js";
import type { ApprovalList, Approval as Asked, PendingApproval } from "../../wire/people.js";
import { after } from "./browser-clock.js";
import { useAnswer, useShared } from "./context.tsx";
import { age } from "./figures.js";
import { Act, NOTE } from "./parts.tsx";
import { LastPhoto } from "./plant-card.tsx";

interface Ended {
  readonly approval: Pick<PendingApproval, "id" | "tool" | "arguments" | "words" | "plant" | "scope">;
  /** The answer that was given here; undefined: it ended elsewhere, or by itself. */
  readonly isYes?: boolean;
  /** It was shown for long enough. */
  readonly isOver: boolean;
}

/** A choice: as many as one agent may ask at once. */
const SHOWN = 3;

/** Milliseconds. A choice: longer than anybody's double tap, and shorter than it takes to read a request. */
const EARLY = 1000;

/** What waits for a yes, and what came of the last ones: of answers that were given here, and of requests that ended otherwise. */
export function Approvals({ overview }: { readonly overview: Overview }) {
  const { view, now } = useShared();
  const [all, setAll] = useState<readonly Ended[]>([]);
  const known = useRef<readonly PendingApproval[]>([]);
  useEffect(() => {
    const isIn = (some: readonly Ended["approval"][], { id }: PendingApproval) =>
      some.some((each) => each.id === id);
    const gone = known.current.filter((each) => !isIn(overview.approvals, each));
    known.current = overview.approvals;
    if (gone.length === 0) return;
    setAll((before) => {
      const answered = before.map(({ approval }) => approval);
      const others = gone.filter((each) => !isIn(answered, each));
      return [...before, ...others.map((approval) => ({ approval, isOver: false }))];
    });
  }, [overview.approvals]);
  const shown = all.filter(({ isOver }) => !isOver).slice(-SHOWN);
  const record = useRecord(overview, shown.length > 0);
  useEffect(() => {
    if (record === undefined) return;
    const ours = record.filter((each) => each.answered_by === view.session?.token && isFresh(each, now));
    const answered = ours.map((approval) => ({ approval, isYes: isYes(approval), isOver: false }));
    setAll((before) => [
      ...answered
        .filter(({ approval }) => before.every((each) => each.approval.id !== approval.id))
        .reverse(),
      ...before,
    ]);
  }, [record === undefined]); // once: a page that was opened again tells what was answered before
  const pending = overview.approvals.filter(({ id }) => all.every(({ approval }) => approval.id !== id));
  const ids = pending.map(({ id }) => id).join();
  const [settled, settle] = useState<string>();
  // a card that has just come, or moved to where another one was answered, may be under a second tap
  useEffect(() => after(EARLY, () => settle(ids)), [ids]);
  return (
    <>
      {shown.map((ended) => (
        <Outcome
          key={ended.approval.id}
          ended={ended}
          found={record?.find(({ id }) => id === ended.approval.id)}
          plant={overview.plants.find(({ plant }) => plant === ended.approval.plant)?.name}
          over={() => setAll((now) => now.map((each) => (each === ended ? { ...each, isOver: true } : each)))}
        />
      ))}
      {pending.map((approval) => (
        <Approval
          key={approval.id}
          approval={approval}
          overview={overview}
          isEarly={settled !== ids}
          before={record?.filter((each) => isSameBefore(each, approval)) ?? []}
          answered={(isYes) =>
            setAll((before) => [
              ...before.filter((each) => each.approval.id !== approval.id),
              { approval, isYes, isOver: false },
            ])
          }
        />
      ))}
    </>
  );
}

/** The newest requests and what became of them, newest first; a screen that only shows may not ask. */
function useRecord({ approvals }: Overview, isFollowed: boolean): readonly Asked[] | undefined {
  const { house, view } = useShared();
  const ids = approvals.map(({ id }) => id).join();
  const ask = async () =>
    house.isHuman ? (await house.call<ApprovalList>("list_approvals")).approvals : undefined;
  return useAnswer(ask, [house.isHuman, ids, isFollowed ? view.fetchedAt : undefined]);
}

const isYes = ({ state, used_at }: Asked): boolean => state === "approved" || used_at !== null;

/** A yes that waits to be used, or an answer that was given just now; not a yes that nobody used in time. */
const isFresh = ({ state, answered_at }: Asked, now: string): boolean =>
  state === "approved" || (state !== "expired" && answered_at !== null && age(answered_at, now) < NOTE);

/** Whether the same was asked earlier in the same care cycle. */
const isSameBefore = (earlier: Asked, { id, words, plant, cycle, agent }: PendingApproval): boolean =>
  cycle !== undefined &&
  earlier.id < id &&
  earlier.cycle === cycle &&
  earlier.agent === agent &&
  earlier.plant === plant &&
  earlier.words === words;

function Outcome({
  ended: { approval, isYes },
  found: { state, reason } = { state: "", reason: null },
  plant,
  over,
}: {
  readonly ended: Ended;
  /** The same in the record. */
  readonly found: { readonly state: string; readonly reason: string | null } | undefined;
  readonly plant: string | undefined;
  readonly over: () => void;
}) {
  const { words } = useShared();
  // a yes that is not used yet is still worth knowing
  const isDone = state !== "" && state !== "approved";
  useEffect(() => (isDone ? after(NOTE, over) : undefined), [isDone]);
  const what = `${words.wish(approval)}${plant === undefined ? "" : ` (${plant})`}`;
  const came = isYes === undefined ? words.requestOver : words.cameOf;
  return (
    <p class="card wide" role="status">
      {isYes === undefined ? words.notAsked(what) : words.answered(isYes, what)}.{" "}
      {words.requestEndedBy[reason ?? ""] ?? came[state] ?? ""}
    </p>
  );
}

function Approval({
  approval,
  overview,
  isEarly,
  before,
  answered,
}: {
  readonly approval: PendingApproval;
  readonly overview: Overview;
  /** A tap may be meant for what stood here before. */
  readonly isEarly: boolean;
  /** What was the same, and was asked earlier in this cycle. */
  readonly before: readonly Asked[];
  readonly answered: (isYes: boolean) => void;
}) {
  const { house, words, names } = useShared();
  const plant = overview.plants.find((each) => each.plant === approval.plant);
  const reasoning = plant?.last_status?.reasoning ?? "";
  const planned = (plant?.last_status?.next_action_sequence ?? []).filter(
    ({ action }) => action === "water" && approval.tool === "dispense_water",
  ).length;
  const { id, agent, scope, expires_in_s, after_reading: read } = approval;
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
        <Another before={before} planned={planned} />
        {reasoning !== "" && <p>{words.because(reasoning)}</p>}
        {scope !== undefined && <p>{words.scope(approval, plant?.name ?? "")}</p>}
        <p class="quiet">{words.expires(expires_in_s)}</p>
        {house.isHuman && (
          <div class="buttons">
            <Act isMain isEarly={isEarly} run={answer(true)}>
              {words.approve}
            </Act>
            <Act isEarly={isEarly} run={answer(false)}>
              {words.refuse}
            </Act>
          </div>
        )}
      </div>
    </section>
  );
}

/** Which dose of the plan this is; after a no, the plan does not tell. */
function Another({ before, planned }: { readonly before: readonly Asked[]; readonly planned: number }) {
  const { words } = useShared();
  if (before.length === 0) return null;
  const number = before.length + 1;
  const isNext = planned >= number && before.every(isYes);
  return <p>{words.another(number, isNext ? planned : undefined)}</p>;
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
