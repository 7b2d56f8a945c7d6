import { resolve } from "node:path";
import { confirm, isCancel } from "@clack/prompts";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { stampIn } from "../backup/backup-folder.js";
import { configFile, PACKAGED, type Places } from "../places.js";
import { type Part, partsOf, scrubbed, writeBundle } from "../support/bundle.js";
import { secretsOf } from "../support/secrets.js";
import { isoUtc } from "../tools/iso-time.js";
import { wrongUse } from "./failure.js";
import { print } from "./print.js";
import { withRemote } from "./remote.js";
import { placesInUse } from "./state.js";

interface BundleArgs extends Places {
  readonly to: string;
  readonly withJournals?: boolean;
  readonly withTexts?: boolean;
  readonly yes?: boolean;
}

/** Collects information about a problem, without secrets; lists it, asks, and writes one file. */
export async function supportBundle(args: BundleArgs): Promise<void> {
  const { state, to, withJournals, withTexts, yes } = args;
  const clock = new SystemClock();
  const parts = await partsOf({
    state,
    config: resolve(configFile(placesInUse(args))),
    root: "/",
    journals: withJournals ?? false,
    texts: withTexts ?? false,
    clock,
    doctor: doctorOf(args),
    overview: () => withRemote({ state }, (remote) => remote.call("get_overview")),
  });
  const clean = scrubbed(parts, await secretsOf({ state, env: process.env, root: "/" }));
  show(clean, withTexts ?? false);
  if (!yes && !(await agreed())) return print("Nothing was written.");
  const at = isoUtc(clock.now());
  const file = await writeBundle(resolve(to), `tendril-support-${stampIn(at)}.tar.gz`, clean, new Date(at));
  print(
    `${file}\nCheck it before you send it: tar xzf FILE makes a folder tendril-support with plain texts.`,
  );
}

/** A configuration file that was not named may be missing. */
const doctorOf = ({ state, config }: BundleArgs): string[] => [
  ...thisProgram(process.argv[1] ?? ""),
  ...["doctor", "--json", "--state", state],
  ...(config === undefined ? [] : ["--config", resolve(config)]),
];

/** The package's own command, since a doctor run by root cannot see what the service's user may do. */
const thisProgram = (script: string): string[] =>
  script.startsWith(PACKAGED.programs) ? [PACKAGED.command] : [process.execPath, script];

function show(parts: readonly Part[], texts: boolean): void {
  for (const { name, text } of parts) {
    const missing = /^not to be had: /.test(text) ? `  ${text.trim()}` : "";
    print(`${String(Buffer.byteLength(text)).padStart(10)}  ${name}${missing}`);
  }
  print("Tokens, keys, passwords, mail addresses and network names are removed everywhere.");
  if (!texts) print("Texts of people and agents are left out: --with-texts includes them.");
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw wrongUse("no terminal to ask: look at the list above and call it again with --yes");
  const answer = await confirm({ message: "Write this to a file?", initialValue: false });
  return !isCancel(answer) && answer;
}
