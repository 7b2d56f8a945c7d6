import { OWNER } from "../../wire/identity.js";
import type { Overview, PlantNow } from "../../wire/overview.js";
import type { BackupView } from "../../wire/owner-page.js";
import { megabytes } from "../../wire/phrases.js";
import { Sessions, Tokens } from "./access.tsx";
import { Calibration } from "./calibration.tsx";
import { uncoded } from "./called-as.js";
import { useAnswer, useChanges, useShared } from "./context.tsx";
import { Doctor } from "./doctor.tsx";
import { at } from "./figures.js";
import { alarmsIn } from "./names.js";
import { Alarms, isTold } from "./notices.tsx";
import { Act, Fold, LineForm, named, save } from "./parts.tsx";
import { Troubles } from "./plant-card.tsx";
import { backUpNow, backups, fetchBackup } from "./session.js";
import { Settings } from "./settings.tsx";

/** What is wrong, what is held, who is let in, and how everything is set. */
export function HouseView(of: { readonly overview: Overview; readonly isOffTold: boolean }) {
  const { overview } = of;
  const { house, view, words } = useShared();
  /** A revoked token takes its sessions along. */
  const changing = useChanges();
  const isOwner = view.session?.token === OWNER;
  if (!house.isHuman) return <Health {...of} />; // the foot says that this screen only shows
  return (
    <>
      <Health {...of} />
      <Fold name="holds" title={words.holds} isOpen>
        <Holds overview={overview} />
      </Fold>
      {isOwner && (
        <Fold name="doctor" title={words.doctor.title} isOpen>
          <Doctor />
        </Fold>
      )}
      <Fold name="calibration" title={words.calibration.title}>
        <Calibration overview={overview} />
      </Fold>
      <Fold name="list backups" title={words.backups.title}>
        <Backups />
      </Fold>
      <Fold name="list" title={words.sessions}>
        <Sessions {...changing} />
      </Fold>
      {isOwner && (
        <Fold name="list" title={words.tokens.title}>
          <Tokens {...changing} />
        </Fold>
      )}
      <Fold name="settings" title={words.settings}>
        <Settings />
      </Fold>
    </>
  );
}

const isTroubled = ({ hold, faults, probe_fault, uncared }: PlantNow, isOffTold: boolean): boolean =>
  (hold !== null && !isTold(hold, isOffTold)) ||
  faults.length > 0 ||
  probe_fault !== null ||
  uncared !== null;

/** What the runtime has found by itself; `tendril doctor` looks at the machine too. */
function Health({ overview, isOffTold }: { readonly overview: Overview; readonly isOffTold: boolean }) {
  const { view, words, clock, nowMs } = useShared();
  const { plants, warnings, interlock, bridge, channels } = overview;
  const works = channels.filter(({ state }) => state === "ok");
  const troubled = plants.filter((plant) => isTroubled(plant, isOffTold));
  const alarms = alarmsIn(overview.inputs, words);
  const notes = [...warnings, ...useOutside(overview)];
  const isFine = alarms.length === 0 && troubled.length === 0 && notes.length === 0 && !interlock?.problem;
  return (
    <section class="card wide">
      <h2>{words.health}</h2>
      <Alarms all={alarms} />
      {view.state === "lost" ? <p>{words.healthUnknown}</p> : isFine && <p>{words.noTrouble}</p>}
      {troubled.map((plant) => (
        <section key={plant.plant} class="trouble-of">
          <h3>{plant.name}</h3>
          <Troubles plant={plant} isOffTold={isOffTold} />
        </section>
      ))}
      {notes.map((note) => (
        <p class="note hold" key={note}>
          {note}
        </p>
      ))}
      {interlock && (
        <p>
          {words.interlock}{" "}
          {interlock.problem ? <span lang="en">{interlock.problem}</span> : words.interlockOk}
        </p>
      )}
      {bridge?.connected && <p>{words.bridgeConnected}</p>}
      {works.map(({ channel, since }) => (
        <p key={channel}>{words.channelWorks(channel, clock.near(at(since), nowMs))}</p>
      ))}
    </section>
  );
}

/** What is wrong with the bridge and the ways to people. Without a bridge all ways are away: that is told once. */
function useOutside({ bridge, channels }: Overview): string[] {
  const { words, clock, nowMs } = useShared();
  const since = (iso: string) => clock.near(at(iso), nowMs);
  if (bridge?.connected === false) return [words.bridgeAway(since(bridge.since))];
  const troubled = channels.filter(({ state }) => state !== "ok");
  return [
    ...(bridge?.problems ?? []).map((problem) => words.bridgeProblem(unended(problem))),
    ...troubled.map((each) =>
      words.channelDown(each.channel, since(each.since), unended(uncoded(each.message ?? words.notReported))),
    ),
  ];
}

const unended = (text: string): string => text.replace(/\.$/, "");

function Holds({ overview: { plants } }: { readonly overview: Overview }) {
  const { house, words } = useShared();
  const held = plants.filter(({ hold }) => hold !== null);
  return (
    <>
      {held.length === 0 && <p class="quiet">{words.holdWould}</p>}
      {held.length > 0 ? (
        <Act run={() => house.act("set_hold", { hold: false })}>{words.resumeAll}</Act>
      ) : (
        <LineForm
          label={words.holdReason}
          button={words.holdAll}
          send={(reason) => house.act("set_hold", { hold: true, reason })}
        />
      )}
    </>
  );
}

/** The machine's backups: those that exist, one more now, and what one holds. */
function Backups() {
  const { words, clock, nowMs } = useShared();
  const say = words.backups;
  const { version, changed } = useChanges();
  const found = useAnswer(backups, [version]);
  const make = () => backUpNow().finally(changed);
  const fetch = (name: string) => async () => save(name, await fetchBackup(name));
  const about = ({ made_at, bytes }: BackupView) => say.of(clock.near(at(made_at), nowMs), megabytes(bytes));
  return (
    <>
      <p>{say.holds}</p>
      <p>{say.holdsNot}</p>
      <div class="buttons">
        <Act run={make}>{say.make}</Act>
      </div>
      {found && (
        <>
          <p class="quiet">{found.backups.length === 0 ? say.none(found.folder) : say.where(found.folder)}</p>
          {found.backups.length > 0 && !found.may_download && <p class="quiet">{say.noDownload}</p>}
          <ul>
            {found.backups.map((backup) => (
              <li key={backup.name}>
                <span class="list-text">
                  {about(backup)} <span class="quiet block">{backup.name}</span>
                </span>
                {found.may_download && (
                  <Act run={fetch(backup.name)} label={named(say.download, backup.name)}>
                    {say.download}
                  </Act>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
