import { createHash } from "node:crypto";
import { chown, copyFile, lstat, mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BenchStateFile } from "../../drivers/bench/bench-state.js";
import { closedAfter, makeFolder, replaceFile, syncFolder } from "../../drivers/durable-file.js";
import { DriverError } from "../../drivers/errors.js";
import type { Clock } from "../../drivers/ports.js";
import { messageOf, troubleIn } from "../../drivers/system-error.js";
import { loadConfig } from "../configuration.js";
import { ConfigError, TendrilError } from "../errors.js";
import { AGENT_FOLDER, CONFIG_FILE, LEAVE_OUT, type LeftOut } from "../places.js";
import { readTokens } from "../server/token-files.js";
import { exists } from "../store/state-folder.js";
import { LOCK_FILE, lockState } from "../store/state-lock.js";
import { isoUtc } from "../tools/iso-time.js";
import { assertArchive, damaged, readArchive } from "./archive.js";
import { ASIDE, assertFreeSpace, belongs, MANIFEST, PHOTOS, stampIn } from "./backup-folder.js";
import { type Manifest, verifyBackup } from "./contents.js";
import { carryOverLedgers, type Ledgers } from "./restore-ledgers.js";
import { carryOut, decide, isUnfinished, removeStaged, STAGED, writePlan } from "./restore-mark.js";

interface RestoreOptions {
  readonly file: string;
  /** The state folder; made if it does not exist. */
  readonly state: string;
  /** The target of the configuration. */
  readonly config: string;
  readonly clock: Clock;
  /** What stays as it is today, or is made anew by the next start where there is none. */
  readonly leaveOut?: readonly LeftOut[];
  readonly onStep?: ((step: string) => void) | undefined;
}

export interface RestoreReport extends Ledgers {
  readonly manifest: Manifest;
  readonly aside: string;
  /** Entries of the state folder that stayed, besides the ledgers. */
  readonly stayed: readonly string[];
  /** The old configuration's file; undefined if it was not replaced. */
  readonly configAside: string | undefined;
}

/** Optional in a backup: if missing there, they stay. */
const NOT_ALWAYS = [PHOTOS, CONFIG_FILE];
/** Tokens and certificates stay as they are today on the same device. */
const OF_TODAY = ["tokens", "tokens-scoped", "tls"];

/**
 * Replaces the content of a state folder by a backup. The old content moves aside and is never deleted. Nothing changes before
 * the whole backup is verified, unpacked in the folder, and known to start. From then on the restore is decided: if interrupted, the
 * next start carries it out. Throws STATE_IN_USE if a runtime uses the folder, BACKUP_INVALID, BACKUP_CANNOT_START, STATE_TOO_NEW,
 * NO_ROOM, STORE_FAILED.
 */
export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { state, file } = options;
  await assertArchive(file); // before the folder is made
  await makeFolder(state, 0o700);
  const lock = await lockState(state);
  return restoreOwned(options).finally(() => lock.release());
}

async function restoreOwned(options: RestoreOptions): Promise<RestoreReport> {
  const { file, state, config, clock, leaveOut = [], onStep = () => undefined } = options;
  onStep("locked");
  await carryOut(state, onStep);
  await removeStaged(state);
  const manifest = await verifyBackup(file);
  onStep("verified");
  await assertFreeSpace(
    state,
    manifest.members.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const stage = await mkdtemp(join(state, STAGED));
  try {
    await extract(file, manifest, stage);
    onStep("extracted");
    await takeOut(stage, leaveOut);
    const ledgers = await carryOverLedgers(state, stage, {
      reason: reasonOf(manifest),
      timestamp: isoUtc(clock.now()),
    });
    onStep("dry");
    const ofToday = [...entriesOf(leaveOut), ...(isSameDevice(ledgers) ? OF_TODAY : [])];
    const present = await presentIn(state);
    await assertStarts(
      file,
      stage,
      present.filter((name) => ofToday.includes(name)),
    );
    const configAside = await placeConfig(state, stage, config, clock);
    onStep("configuration");
    const plan = await planOf(state, stage, ofToday, clock);
    await makeFolder(join(state, plan.steps.aside), 0o700);
    await writePlan(stage, plan.steps);
    await own(state, [...(await pathsIn(stage)), join(state, plan.steps.aside), join(state, LOCK_FILE)]);
    await syncTree(stage);
    await decide(state, stage);
    onStep("decided");
    await carryOut(state, onStep);
    return { manifest, ...ledgers, aside: join(state, plan.steps.aside), stayed: plan.stayed, configAside };
  } finally {
    await removeUndecided(state);
  }
}

const reasonOf = ({ made_at }: Manifest): string =>
  `a backup of ${made_at}, which knows nothing of what came after it`;

/** Checks against the manifest again, since the file may have changed after the verification. */
async function extract(file: string, manifest: Manifest, stage: string): Promise<void> {
  const expected = new Map(manifest.members.map((member) => [member.name, member]));
  await readArchive(file, async ({ name, bytes }, content) => {
    const member = expected.get(name);
    if (name !== MANIFEST && (member === undefined || member.bytes !== bytes)) throw changed(file, name);
    if (member === undefined) return drain(content);
    expected.delete(name);
    const target = join(stage, name);
    await makeFolder(dirname(target), 0o700);
    if ((await writeNew(target, content)) !== member.sha256) throw changed(file, name);
  });
  for (const name of expected.keys()) throw changed(file, name);
}

const changed = (file: string, name: string) => damaged(file, `"${name}" changed while it was read`);

async function drain(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of content);
}

/** Returns the content's SHA-256. "wx": overwrites nothing and follows no link. */
async function writeNew(target: string, content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  await closedAfter(await open(target, "wx", 0o600), async (handle) => {
    for await (const chunk of content) {
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  });
  return hash.digest("hex");
}

const isSameDevice = ({ kept }: Ledgers): boolean => kept.includes("water");

const presentIn = async (state: string): Promise<readonly string[]> =>
  (await readdir(state)).filter((name) => belongs(name) || /^tendril\.sqlite-/.test(name));

/** Which present entries move aside, and which move in. */
async function planOf(state: string, stage: string, ofToday: readonly string[], clock: Clock) {
  const incoming = await readdir(stage);
  const present = await presentIn(state);
  const stays = (name: string) =>
    (NOT_ALWAYS.includes(name) && !incoming.includes(name)) || ofToday.includes(name);
  const stayed = present.filter(stays);
  const steps = {
    staged: stage.slice(state.length + 1),
    aside: await freeName(state, clock),
    outgoing: present.filter((name) => !stays(name)),
    incoming: incoming.filter((name) => !stayed.includes(name)),
  };
  return { steps, stayed };
}

async function freeName(state: string, clock: Clock): Promise<string> {
  const first = `${ASIDE}${stampIn(isoUtc(clock.now()))}`;
  for (let nth = 1, name = first; ; nth += 1, name = `${first}-${nth}`)
    if (!(await exists(join(state, name)))) return name;
}

/**
 * A configuration in the state folder is restored with the rest. In another place it is replaced by a rename, before the restore
 * is decided: a crash in between leaves the old state with the backup's configuration.
 */
async function placeConfig(
  state: string,
  stage: string,
  config: string,
  clock: Clock,
): Promise<string | undefined> {
  const restored = join(stage, CONFIG_FILE);
  if (config === join(state, CONFIG_FILE) || !(await exists(restored))) return undefined;
  const text = await readFile(restored);
  await rm(restored);
  const old = await readFile(config).catch(() => undefined);
  if (old?.equals(text)) return undefined;
  const aside = `${config}.${ASIDE}${stampIn(isoUtc(clock.now()))}`;
  if (old) await copyFile(config, aside);
  await makeFolder(dirname(config));
  await replaceFile(config, text, 0o640);
  if (process.geteuid?.() === 0) await chown(config, 0, (await stat(dirname(config))).gid);
  return old ? aside : undefined;
}

/** Files made by root get the state folder's owner. */
async function own(state: string, paths: readonly string[]): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(state);
  for (const path of paths) await chown(path, uid, gid);
}

async function syncTree(stage: string): Promise<void> {
  for (const path of await pathsIn(stage)) if ((await lstat(path)).isDirectory()) await syncFolder(path);
}

async function pathsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return [folder, ...names.map((name) => join(folder, name))];
}

/** After a failure, removes the unpacked backup; a decided restore stays for the next start. */
async function removeUndecided(state: string): Promise<void> {
  if (!(await isUnfinished(state))) await removeStaged(state);
}

/** The entries of a state folder that go with each. */
const ENTRIES: Readonly<Record<LeftOut, readonly string[]>> = {
  [CONFIG_FILE]: [CONFIG_FILE],
  tokens: ["tokens", "tokens-scoped"],
  "bench.json": ["bench.json"],
};

const entriesOf = (leftOut: readonly LeftOut[]): readonly string[] =>
  leftOut.flatMap((each) => ENTRIES[each]);

/** Takes them out of an unpacked backup, and an agent's folder, which belongs to its computer. */
async function takeOut(stage: string, leftOut: readonly LeftOut[]): Promise<void> {
  for (const entry of [...entriesOf(leftOut), AGENT_FOLDER])
    await rm(join(stage, entry), { recursive: true, force: true });
}

/** Read by the code that reads them at a start. */
const READERS: Readonly<Record<LeftOut, (stage: string) => Promise<unknown>>> = {
  [CONFIG_FILE]: async (stage) => loadConfig(join(stage, CONFIG_FILE)),
  tokens: (stage) => readTokens(join(stage, "tokens")),
  "bench.json": (stage) => new BenchStateFile(stage).load(),
};

/**
 * Throws BACKUP_CANNOT_START if a start on this unpacked backup would be refused. `unused`: entries that the restore does not take
 * from it.
 */
async function assertStarts(file: string, stage: string, unused: readonly string[]): Promise<void> {
  const used = (await readdir(stage)).filter((entry) => !unused.includes(entry));
  for (const name of LEAVE_OUT) {
    if (!ENTRIES[name].some((entry) => used.includes(entry))) continue;
    await READERS[name](stage).catch((cause: unknown) => {
      const reason = messageIn(cause).replaceAll(`${stage}/`, "").trim();
      const what = `no runtime would start with the ${name} of ${file} (${reason})`;
      throw new TendrilError("BACKUP_CANNOT_START", what, { cause });
    });
  }
}

/** Without the advice that is for a start. */
function messageIn(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join("; ");
  if (error instanceof TendrilError) return error.what;
  if (error instanceof DriverError) return error.what;
  return troubleIn(error) ?? messageOf(error);
}
