import type { Setting } from "../../wire/owner-page.js";
import { useAnswer, useShared } from "./context.tsx";
import { settings } from "./session.js";

/** The configuration in force by its parts: the meaning of each value first. It is changed in its file. */
export function Settings() {
  const { words } = useShared();
  const found = useAnswer(settings, []) ?? [];
  const single = found.filter(({ key }) => groupOf(key) === key);
  const plants = found.filter(({ key }) => /^plants\[\d+\]\.id$/.test(key));
  const groups = [...new Set(found.map(({ key }) => groupOf(key)))].filter(
    (group) => !single.some(({ key }) => key === group),
  );
  const nameOf = (group: string): string => {
    const id = plants.find(({ key }) => groupOf(key) === group)?.value;
    return id === undefined ? group : `${words.plant} ${JSON.parse(id)}`;
  };
  return (
    <>
      <p class="quiet">{words.settingsHow}</p>
      <dl>
        {single.map((setting) => (
          <Entry key={setting.key} setting={setting} />
        ))}
      </dl>
      {groups.map((group) => (
        <Group key={group} name={nameOf(group)} entries={found.filter(({ key }) => groupOf(key) === group)} />
      ))}
    </>
  );
}

/** "plants[0]" of "plants[0].probe.address". */
const groupOf = (key: string): string => key.split(".")[0] ?? key;

/** "probe" of "plants[0].probe.address"; empty for what stands in the group itself. */
const partOf = (key: string): string => key.split(".").slice(1, -1).join(".");

function Group({ name, entries }: { readonly name: string; readonly entries: readonly Setting[] }) {
  const parts = [...new Set(entries.map(({ key }) => partOf(key)))];
  return (
    <details>
      <summary>
        <h3>{name}</h3>
      </summary>
      {parts.map((part) => (
        <section key={part}>
          {part !== "" && <h4>{part}</h4>}
          <dl>
            {entries
              .filter(({ key }) => partOf(key) === part)
              .map((setting) => (
                <Entry key={setting.key} setting={setting} />
              ))}
          </dl>
        </section>
      ))}
    </details>
  );
}

function Entry({ setting: { key, value, is_default, meaning } }: { readonly setting: Setting }) {
  const { words } = useShared();
  return (
    <div>
      <dt>{meaning === "" ? nameIn(key) : meaning}</dt>
      <dd>
        <strong>{shown(key, JSON.parse(value), words.settingValues)}</strong>
        {is_default && <span class="quiet"> {words.isDefault}</span>} <code>{key}</code>
      </dd>
    </div>
  );
}

/** "ml per second" of "plants[0].pump.ml_per_second". */
const nameIn = (key: string): string => (key.split(".").at(-1) ?? key).replaceAll("_", " ");

/** In plain words. An address on a bus stands as the manuals and the configuration have it: 0x48. */
function shown(key: string, value: unknown, named: Readonly<Record<string, string>>): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((each) => shown(key, each, named)).join(", ");
  if (typeof value === "number" && /\baddress$/.test(key)) return `0x${value.toString(16)}`;
  return named[String(value)] ?? String(value);
}
