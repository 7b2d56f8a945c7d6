import { useState } from "preact/hooks";
import type { DoctorFinding, DoctorReport } from "../../wire/owner-page.js";
import { useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Act } from "./parts.tsx";
import { askDoctor } from "./session.js";

/** The doctor's findings, when the owner asks for them: what is wrong first, the rest folded. */
export function Doctor() {
  const { words, clock, nowMs } = useShared();
  const say = words.doctor;
  const [report, setReport] = useState<DoctorReport>();
  const [isBusy, setBusy] = useState(false);
  const look = () => {
    setBusy(true);
    return askDoctor()
      .then(setReport)
      .finally(() => setBusy(false));
  };
  const of = (...verdicts: readonly string[]) =>
    report?.checks.filter(({ verdict }) => verdicts.includes(verdict)) ?? [];
  const wrong = [...of("failure"), ...of("warning")];
  return (
    <>
      <p class="quiet">{say.about}</p>
      <div class="buttons">
        <Act run={look}>{report ? say.again : say.look}</Act>
      </div>
      <div role="status">
        {isBusy && <p class="quiet">{say.busy}</p>}
        {report && !isBusy && (
          <>
            <p>{say.summary(wrong.length, clock.near(at(report.checked_at), nowMs))}</p>
            <Findings all={wrong} />
          </>
        )}
      </div>
      {report && !isBusy && (
        <>
          <Folded title={say.fine(of("ok").length)} all={of("ok")} />
          <Folded title={say.skipped(of("skipped").length)} all={of("skipped")} />
        </>
      )}
    </>
  );
}

function Folded({ title, all }: { readonly title: string; readonly all: readonly DoctorFinding[] }) {
  if (all.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <Findings all={all} />
    </details>
  );
}

/** The doctor writes English, whatever the reader's language is; the names of its checks are in that. */
function Findings({ all }: { readonly all: readonly DoctorFinding[] }) {
  const { words, said } = useShared();
  if (all.length === 0) return null;
  return (
    <dl class="findings">
      {all.map(({ name, verdict, found, mend }) => (
        <div key={name} class={verdict}>
          <dt>
            <strong>{words.doctor.names[name] ?? <span lang="en">{name}</span>}</strong>
            {verdict !== "ok" && <span class="verdict">{words.doctor.verdicts[verdict]}</span>}
          </dt>
          <dd lang="en">
            {said(found)}
            {mend !== undefined && <span class="mend">{mend}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
