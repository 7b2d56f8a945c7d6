import { resolve } from "node:path";
import { confirm, isCancel } from "@clack/prompts";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { stampIn } from "../backup/names.js";
import { configFile, PACKAGED, type Places } from "../places.js";
import { type Part, partsOf, scrubbed, writeBundle } from "../support/bundle.js";
import { secretsOf } from "../support/secrets.js";
import { isoUtc } from "../tools/iso-time.js";
import { CommandError, WRONG_USE } from "./failure.js";
import { print } from "./print.js";
import { withRemote } from "./remote.js";

export interface BundleArgs extends Places {
  readonly to: string;
  readonly withJournals?: boolean;
  readonly withTexts?: boolean;
  readonly yes?: boolean;
}

/** Collects what helps to find out what is wrong, without secrets, shows what it is, asks, and writes one file. */
export async function supportBundle(args: BundleArgs): Promise<void> {
  const { state, to, withJournals, withTexts, yes } = args;
  const clock = new SystemClock();
  const parts = await partsOf({
    state,
    config: resolve(configFile(args)),
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
    `${file}\nLook into it before you send it: tar xzf FILE makes a folder tendril-support of plain texts.`,
  );
}

/** A file that nobody has named need not be there. */
const doctorOf = ({ state, config }: BundleArgs): string[] => [
  ...thisProgram(process.argv[1] ?? ""),
  ...["doctor", "--json", "--state", state],
  ...(config === undefined ? [] : ["--config", resolve(config)]),
];

/** Where the package is installed, by its own command: a doctor asked by root would find that root may do anything. */
const thisProgram = (script: string): string[] =>
  script.startsWith(PACKAGED.programs) ? [PACKAGED.command] : [process.execPath, script];

function show(parts: readonly Part[], texts: boolean): void {
  for (const { name, text } of parts) {
    const missing = /^not to be had: /.test(text) ? `  ${text.trim()}` : "";
    print(`${String(Buffer.byteLength(text)).padStart(10)}  ${name}${missing}`);
  }
  print("Tokens, keys, passwords, addresses of mail and names of networks are removed, wherever they stood.");
  if (!texts) print("What people and agents have written is left out: --with-texts takes it in.");
}

async function agreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CommandError(
      "nobody can be asked here: look at the list above and call it again with --yes",
      WRONG_USE,
    );
  const answer = await confirm({ message: "Write this to a file?", initialValue: false });
  return !isCancel(answer) && answer;
}
