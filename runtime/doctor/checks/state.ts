import { existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { closedAfter, isOpenToOthers, openPlain } from "../../../drivers/durable-file.js";
import type { Machine } from "../../../drivers/pi/inspect/machine.js";
import { isMissing, messageOf } from "../../../drivers/system-error.js";
import { isUnfinished } from "../../backup/restore-mark.js";
import { JOINED_FILE, joined } from "../../cli/state.js";
import { PACKAGED } from "../../places.js";
import { listTokens, readToken } from "../../server/token-files.js";
import { readLines, tailOf } from "../../store/journal-lines.js";
import { DATABASE_FILE } from "../../store/open-database.js";
import { readUsedMark, USED_MARK } from "../../store/state-folder.js";
import { OWNER } from "../../wire/identity.js";
import { counted } from "../../wire/phrases.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export const stateChecks = (installation: Installation): Check[] => [
  { name: "configuration", run: () => configuration(installation) },
  { name: "state folder", run: () => stateFolder(installation) },
  { name: "runtime", run: () => runtime(installation) },
  { name: "journals", run: () => journals(installation) },
  { name: "tokens", run: () => tokens(installation.state) },
  { name: "restore", run: () => restore(installation.state) },
  { name: "joined", run: () => joinedElsewhere(installation.state) },
];

function configuration({ file, config, configProblem }: Installation): Finding {
  if (!config) return failure(configProblem ?? file, `correct ${file}: "tendril config" names each line`);
  const plants = config.plants.map(({ id }) => id).join(", ");
  if (config.board === "bench")
    return warning(
      `${existsSync(file) ? file : `there is no ${file}`}: board: bench, simulated plants (${plants})`,
      '"tendril setup" writes one for the hardware',
    );
  return ok(`${file}: ${plants}`);
}

async function stateFolder({ state, machine, config }: Installation): Promise<Finding> {
  const found = await stat(state).catch(() => undefined);
  if (!found) return skipped(`${state} does not exist yet: the first start makes it`);
  if (!found.isDirectory())
    return failure(`${state} is not a folder`, "name another with --state or TENDRIL_STATE");
  const uid = process.getuid?.();
  if (uid !== 0 && found.uid !== uid)
    return failure(
      `${state} belongs to another user`,
      `run this as that user: sudo -u '#${found.uid}' tendril doctor`,
    );
  if (isOpenToOthers(found)) return failure(`${state} is open to other users`, `chmod 700 ${state}`);
  const kind = fileSystemOf(await realpath(state), machine);
  // a bench may forget its plants; of a real one it is what was poured
  if (config?.board === "pi" && FORGETFUL.includes(kind))
    return warning(
      `${state} is on ${kind}: what was poured, holds and tokens are lost when this machine (or its container) starts anew`,
      "put it on a disk; on a Raspberry Pi: sudo raspi-config, Performance Options, Overlay File System, No",
    );
  return ok(`${state}, open only to its owner`);
}

/** File systems in memory, or over one. */
const FORGETFUL: readonly string[] = ["tmpfs", "ramfs", "overlay"];

/** The kind of the file system that a folder is on: of the mount with the longest path over it. */
function fileSystemOf(folder: string, machine: Machine): string {
  let [longest, kind] = ["", ""];
  for (const mount of machine.mounts()) {
    const isOver = folder === mount.at || folder.startsWith(mount.at === "/" ? "/" : `${mount.at}/`);
    if (isOver && mount.at.length >= longest.length) [longest, kind] = [mount.at, mount.kind];
  }
  return kind;
}

function runtime({ runtime, state }: Installation): Finding {
  if (runtime.is === "none") return skipped(`none runs on ${state}`);
  if (runtime.is === "dead")
    return warning(
      `it has died (process ${runtime.pid})`,
      'start it again; "journalctl -u tendril -p err" may show why',
    );
  const { pid, url, overview, problem, hasDiskTrouble } = runtime;
  if (hasDiskTrouble)
    return failure(
      `process ${pid} runs: ${problem}`,
      "repair the disk; if it waits, it starts by itself half a minute later",
    );
  if (!overview && !hasOwnersToken(state))
    return skipped(`process ${pid} runs; it cannot be asked without the token ${OWNER}`);
  if (!overview)
    return failure(
      `process ${pid} runs, but does not answer at ${url}: ${problem}`,
      state === PACKAGED.state
        ? "sudo systemctl restart tendril"
        : `end process ${pid} (Ctrl-C in its terminal, or: kill ${pid}), and start it again`,
    );
  const [first] = overview.warnings;
  if (first !== undefined)
    return warning(`it runs, with a warning: ${first}`, "fix what it names; tendril status shows all of it");
  return ok(`process ${pid} answers at ${url}`);
}

/** Only reads: a start would move damaged files aside, this does not. */
async function journals({ state, runtime }: Installation): Promise<Finding> {
  const folder = join(state, "journal");
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const bad = [...(await emptied(state)), ...(await noDatabase(join(state, DATABASE_FILE)))];
  if (names.length === 0 && bad.length === 0) return skipped("none yet: the first start makes them");
  for (const name of names)
    bad.push(...(await wrongIn(join(folder, name), name, runtime.is === "running").catch(unreadable(name))));
  if (bad.length === 0) return ok(`${names.length}, every line readable`);
  return warning(
    bad.join("; "),
    "what is lost counts as poured or on hold; check the disk, and tendril status",
  );
}

const unreadable =
  (name: string) =>
  (error: unknown): string[] => [
    isMissing(error)
      ? `${name} is a link to a file that is not there`
      : `${name} cannot be read: ${messageOf(error)}`,
  ];

/** Journals that have lost all their records. */
async function emptied(state: string): Promise<string[]> {
  const { names, damaged } = await readUsedMark(state);
  const lost = damaged ? [`${join(state, USED_MARK)} is damaged`] : [];
  for (const name of names) {
    const size = await stat(join(state, "journal", `${name}.jsonl`)).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0) lost.push(`${name}.jsonl had records, and is missing or empty`);
  }
  return lost;
}

const SQLITE_HEADER = "SQLite format 3\0"; // the first bytes of every database [sqlite.org/fileformat2, 1.3]

/** An empty file is a new database. Reads only its beginning, since opening it could change it. */
async function noDatabase(file: string): Promise<string[]> {
  const handle = await openPlain(file).catch(() => undefined);
  if (!handle) return [];
  return closedAfter(handle, async () => {
    const head = Buffer.alloc(SQLITE_HEADER.length);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    if (bytesRead === 0 || head.toString("latin1") === SQLITE_HEADER) return [];
    return [`${file} is not a database: the next start moves it aside, with the readings`];
  });
}

/** An incomplete last line is fine while a runtime is writing. */
async function wrongIn(file: string, name: string, isWritten: boolean): Promise<string[]> {
  const handle = await openPlain(file);
  if (!handle) return [`${name} is no file`];
  try {
    const { size } = await handle.stat();
    const tail = await tailOf(handle, size);
    let damaged = 0;
    for await (const line of readLines(handle, 0, tail?.start ?? size)) if ("damaged" in line) damaged++;
    return [
      ...(damaged > 0 ? [`${name} has ${counted(damaged, "line")} that cannot be read`] : []),
      ...(tail && !tail.torn ? [`${name} ends in ${tail.bytes} bytes that are not a line`] : []),
      ...(tail?.torn && !isWritten ? [`${name} ends in a torn line`] : []),
    ];
  } finally {
    await handle.close();
  }
}

/** Reads tokens as the server does, so the errors are the same. */
async function tokens(state: string): Promise<Finding> {
  const folder = join(state, "tokens");
  const paths = await listTokens(folder);
  if (paths.length === 0) return skipped("none yet: the first start makes one for each role");
  for (const path of paths) await readToken(path);
  if (!hasOwnersToken(state))
    return failure(
      `there is no token ${OWNER} in ${folder}: the commands here and the page are closed to you`,
      `tendril token add ${OWNER}`,
    );
  return ok(`${paths.map((path) => basename(path)).join(", ")} in ${folder}`);
}

/** With it the commands and the doctor ask the runtime. */
const hasOwnersToken = (state: string): boolean => existsSync(join(state, "tokens", OWNER));

/** A restore that was decided but not completed. */
async function restore(state: string): Promise<Finding> {
  if (!(await isUnfinished(state))) return ok("none is unfinished");
  const mend = "sudo systemctl start tendril: a start completes it; then check your plants";
  return warning(`a restore of ${state} was interrupted`, mend);
}

/** The file contains a token. */
async function joinedElsewhere(state: string): Promise<Finding> {
  const file = join(state, JOINED_FILE);
  const found = await stat(file).catch(() => undefined);
  if (!found) return skipped("no: commands go to the runtime here");
  if (isOpenToOthers(found))
    return failure(`${file} contains a token and is open to other users`, `chmod 600 ${file}`);
  const elsewhere = joined({ state });
  if (!elsewhere) return ok("to another runtime, but commands go to the one that runs here");
  return ok(`commands go to ${elsewhere.url}`);
}
