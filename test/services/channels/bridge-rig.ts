import { seconds } from "../../../drivers/units.js";
import { outbox } from "../../../runtime/services/outbox/outbox.js";
import { type Rig, rigFor } from "../../rig.js";

const BRIDGE = "0123456789abcdef";
export const AS = { as: "bridge" } as const;
export const DONE = { outcome: "done", result: { ref: null } };
export const FAILED = {
  ...{ outcome: "failed", code: "TRY_LATER", message: "the mail server says to try again later" },
};

export interface Job {
  readonly job_id: string;
  readonly adapter: string;
  readonly what: string;
  readonly arguments: {
    readonly to: string;
    readonly title: string;
    readonly text: string;
    readonly charts?: readonly { readonly caption: string; readonly png: string }[];
    readonly pictures?: readonly { readonly caption: string }[];
    readonly buttons: readonly { readonly label: string; readonly data: string }[];
  };
}

/** A house whose bridge is the test itself: it takes jobs and answers them. People's time is the plants'. */
export async function rigAt(t: Parameters<typeof rigFor>[0], start: string, config: string): Promise<Rig> {
  const rig = await rigFor(t, { config, start, peopleToo: true });
  await take(rig, 0);
  await rig.pass(seconds(1));
  return rig;
}

export const take = async (rig: Rig, wait_s: number): Promise<readonly Job[]> =>
  (await rig.get("take_jobs", { bridge: BRIDGE, version: "1", wait_s }, AS)).jobs as Job[];

export const answer = (rig: Rig, { job_id }: Job, given: object) =>
  rig.get("answer_job", { bridge: BRIDGE, job_id, ...given }, AS);

/** Waits for a letter, and answers its job. Letters that are changed meanwhile are. */
export async function letter(rig: Rig, given: object): Promise<Job | undefined> {
  const [job] = await take(rig, 10);
  const isRevision = job?.what === "revise";
  if (job) await answer(rig, job, isRevision ? { outcome: "done", result: { revised: true } } : given);
  return isRevision ? letter(rig, given) : job;
}

/** No letter comes, within the time that the bridge waits for one. */
export async function nothing(rig: Rig): Promise<boolean> {
  const waiting = take(rig, 10);
  await rig.pass(seconds(11));
  return (await waiting).length === 0;
}

export const leak = (rig: Rig) =>
  rig.core.get(outbox).tell({
    ...{ kind: "leak", severity: "urgent", key: "floor" },
    data: { input: "floor", plants: ["basil"] },
  });
