import type { BackupView } from "../../wire/owner-page.js";
import { useAnswer, useChanges, useShared } from "./context.tsx";
import { at, oneDecimal } from "./figures.js";
import { Act, named, save } from "./parts.tsx";
import { backUpNow, backups, fetchBackup } from "./session.js";

/** The machine's backups: those that exist, one more now, and what one holds. */
export function Backups() {
  const { words, clock, nowMs } = useShared();
  const say = words.backups;
  const { version, changed } = useChanges();
  const found = useAnswer(backups, [version]);
  const make = () => backUpNow().finally(changed);
  const fetch = (name: string) => async () => save(name, await fetchBackup(name));
  const about = ({ made_at, bytes }: BackupView) =>
    say.of(clock.near(at(made_at), nowMs), oneDecimal(bytes / 1e6));
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
