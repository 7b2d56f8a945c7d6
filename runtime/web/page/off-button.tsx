import { useState } from "preact/hooks";
import { useShared } from "./context.tsx";
import type { OffOutcome } from "./off.js";

/** On every view, for every role, with or without a session: one tap, no question. */
export function OffButton() {
  const { house, words } = useShared();
  const [outcome, setOutcome] = useState<OffOutcome | "busy">();
  const press = async () => {
    setOutcome("busy");
    setOutcome(await house.off());
  };
  return (
    <>
      <button type="button" class="off" onClick={() => void press()}>
        {outcome === "busy" ? words.offBusy : words.off}
      </button>
      {outcome !== undefined && outcome !== "busy" && (
        <p class={outcome === "failed" ? "toast failed" : "toast"} role="alert">
          {words.offDone[outcome]}
          <button type="button" class="link" aria-label={words.dismiss} onClick={() => setOutcome(undefined)}>
            ×
          </button>
        </p>
      )}
    </>
  );
}
