import { useState } from "preact/hooks";
import type { Setting } from "../../wire/settings.js";
import { useAnswer, useShared } from "./context.tsx";
import { settings } from "./session.js";

/** The configuration in force, with the meaning of each value. It is changed in its file. */
export function Settings() {
  const { words } = useShared();
  const [isOpen, setOpen] = useState(false);
  const found = useAnswer(() => (isOpen ? settings() : Promise.resolve([])), [isOpen]);
  const groups = [...new Set(found?.map(({ key }) => groupOf(key)))];
  return (
    <details
      class="card wide settings"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{words.settings}</summary>
      <p class="quiet">{words.settingsHow}</p>
      {groups.map((group) => (
        <Group key={group} name={group} entries={found?.filter(({ key }) => groupOf(key) === group) ?? []} />
      ))}
    </details>
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
