import type { Setting } from "../../wire/settings.js";
import { useAnswer, useShared } from "./context.tsx";
import { settings } from "./session.js";

/** The configuration in force, with the meaning of each value. It is changed in its file. */
export function Settings() {
  const { words } = useShared();
  const found = useAnswer(settings, []);
  const groups = [...new Set(found?.map(({ key }) => groupOf(key)))];
  return (
    <>
      <p class="quiet">{words.settingsHow}</p>
      {groups.map((group) => (
        <Group key={group} name={group} entries={found?.filter(({ key }) => groupOf(key) === group) ?? []} />
      ))}
    </>
  );
}

const groupOf = (key: string): string => key.split(/[.[]/)[0] ?? key;

function Group({ name, entries }: { readonly name: string; readonly entries: readonly Setting[] }) {
  const { words } = useShared();
  return (
    <section>
      <h3>{name}</h3>
      <dl>
        {entries.map(({ key, value, is_default, meaning }) => (
          <div key={key}>
            <dt>
              <code>{key}</code> <strong>{value}</strong>
              {is_default && <span class="quiet"> {words.isDefault}</span>}
            </dt>
            {meaning !== "" && <dd class="quiet">{meaning}</dd>}
          </div>
        ))}
      </dl>
    </section>
  );
}
