import { useEffect, useState } from "preact/hooks";
import { monotonic } from "./browser-clock.js";
import { type Shared, useShared } from "./context.tsx";
import type { OffOutcome } from "./off.js";
import { Act } from "./parts.tsx";

/** The last press of *Everything off*. */
interface Off {
  readonly isBusy: boolean;
  /** What came of it, while it is still so. */
  readonly outcome: OffOutcome | undefined;
  /** Something waited for a yes: it is refused. */
  readonly hadRequests: boolean;
  readonly press: () => Promise<void>;
  readonly dismiss: () => void;
}

interface Pressed {
  readonly outcome: OffOutcome;
  readonly at: number;
  readonly hadRequests: boolean;
  /** It failed without a connection: what it says is over when there is one again. */
  readonly wasLost: boolean;
}

/** What came of a press, until a newer overview shows that it is over: a person has resumed, or the connection is back. */
export function useOff({ house, view }: Shared): Off {
  const [isBusy, setBusy] = useState(false);
  const [pressed, setPressed] = useState<Pressed>();
  const isHeld = view.overview?.plants.some(({ hold }) => hold !== null) ?? false;
  const isNewer = pressed !== undefined && view.state === "open" && (view.fetchedAt ?? 0) > pressed.at;
  const isOver = isNewer && (pressed.outcome === "held" ? !isHeld : pressed.wasLost);
  useEffect(() => {
    if (view.state === "lost")
      setPressed((last) => (last?.outcome === "failed" ? { ...last, wasLost: true } : last));
  }, [view.state, pressed?.at]);
  useEffect(() => {
    if (isOver) setPressed(undefined); // a later hold is not of this press
  }, [isOver]);
  const press = async () => {
    setBusy(true);
    const hadRequests = (house.now.overview?.approvals.length ?? 0) > 0;
    const outcome = await house.off();
    setBusy(false);
    setPressed({ outcome, hadRequests, at: monotonic(), wasLost: false });
    scrollTo(0, 0); // to the note
  };
  return {
    isBusy,
    outcome: isOver ? undefined : pressed?.outcome,
    hadRequests: pressed?.hadRequests ?? false,
    press,
    dismiss: () => setPressed(undefined),
  };
}

/** On every view, for every role, with or without a session: one tap, no question. */
export function OffButton({ off }: { readonly off: Off }) {
  const { words } = useShared();
  return (
    <button type="button" class="off" onClick={() => void off.press()}>
      {off.isBusy ? words.offBusy : words.off}
    </button>
  );
}

/** Above the view, so that it covers nothing. */
export function OffNote({ off: { outcome, hadRequests, dismiss } }: { readonly off: Off }) {
  const { house, words } = useShared();
  if (outcome === undefined) return null;
  return (
    <div class={outcome === "failed" ? "off-note failed" : "off-note"} role="alert">
      <p>
        {words.offDone[outcome]} {outcome !== "failed" && hadRequests && words.offRefused}
      </p>
      {outcome === "held" && house.isHuman && (
        <Act run={() => house.act("set_hold", { hold: false })}>{words.resumeAll}</Act>
      )}
      <button type="button" class="link" aria-label={words.dismiss} onClick={dismiss}>
        ×
      </button>
    </div>
  );
}
