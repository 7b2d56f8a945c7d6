import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder, syncFolder } from "../../drivers/durable-file.js";
import { RESTORE_MARK } from "../places.js";
import { readIfThere, writeDurably } from "../store/durable-file.js";
import { exists } from "../store/state-folder.js";
import { lockState } from "../store/state-lock.js";
import { damaged } from "./archive.js";
import { ASIDE, belongs } from "./backup-folder.js";

/** The steps of a decided restore: entries of the state folder move aside, others take their place. */
const schema = z.strictObject({
  staged: z.string().regex(/^\.restore-[\w-]+$/),
  aside: z
    .string()
    .startsWith(ASIDE)
    .regex(/^[\w-]+$/),
  /** Entries of the state folder that move aside. */
  outgoing: z.array(z.string().regex(/^\w[\w.-]*$/)),
  /** Entries of the staged folder that move in. */
  incoming: z.array(z.string().refine(belongs)),
});

type RestorePlan = z.infer<typeof schema>;

export const STAGED = ".restore-";

/** Writes the plan into the staged folder; `decide` puts it into force. */
export const writePlan = (stage: string, plan: RestorePlan): Promise<void> =>
  writeDurably(join(stage, RESTORE_MARK), JSON.stringify(plan));

/** Decides the restore: if this process ends, the next start carries it out. */
export async function decide(state: string, stage: string): Promise<void> {
  await rename(join(stage, RESTORE_MARK), join(state, RESTORE_MARK));
  await syncFolder(state);
}

/** Whether a restore was decided but not completed. */
export const isUnfinished = (state: string): Promise<boolean> => exists(join(state, RESTORE_MARK));

/**
 * Carries out a decided restore, if there is one. Each step is a rename, and skipped if it was done before. Only for the owner
 * of the folder's lock. Resolves with the folder that has the state from before.
 */
export async function carryOut(
  state: string,
  onStep: (step: string) => void = () => undefined,
): Promise<string | undefined> {
  const text = await readIfThere(join(state, RESTORE_MARK));
  if (text === undefined) return undefined;
  const plan = parsePlan(state, text);
  const [staged, aside] = [join(state, plan.staged), join(state, plan.aside)];
  await makeFolder(aside, 0o700);
  for (const name of plan.outgoing) {
    if (await exists(join(aside, name))) continue;
    await renameIfThere(join(state, name), join(aside, name));
    onStep(`aside ${name}`);
  }
  for (const name of plan.incoming) {
    await renameIfThere(join(staged, name), join(state, name));
    onStep(`in ${name}`);
  }
  for (const folder of [aside, state]) await syncFolder(folder);
  await rm(join(state, RESTORE_MARK), { force: true });
  await syncFolder(state);
  await rm(staged, { recursive: true, force: true });
  return aside;
}

/** Removes what undecided restores have left. Only for the owner of the folder's lock. */
export async function removeStaged(state: string): Promise<void> {
  for (const name of await readdir(state))
    if (name.startsWith(STAGED)) await rm(join(state, name), { recursive: true, force: true });
}

/** Completes an interrupted restore before a runtime starts. Throws STATE_IN_USE. */
export async function finishRestore(state: string): Promise<string | undefined> {
  if (!(await isUnfinished(state))) return undefined;
  const lock = await lockState(state);
  return carryOut(state).finally(() => lock.release());
}

async function renameIfThere(from: string, to: string): Promise<void> {
  if (await exists(from)) await rename(from, to);
}

function parsePlan(state: string, text: string): RestorePlan {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw damaged(join(state, RESTORE_MARK), "it was not written by tendril restore");
  }
}
