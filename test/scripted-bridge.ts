import { type Millis, millis } from "../drivers/units.js";
import type { CalendarEvent } from "../runtime/wire/calendar.js";
import type { Rig } from "./rig.js";

interface Job {
  readonly job_id: string;
  readonly what: string;
  readonly arguments: { readonly name: string; readonly known: string | null; readonly from: string };
}

const BRIDGE = "0123456789abcdef";
const WAIT = 10_000;

/** A bridge of the test's own: it takes what there is, and answers as it is told. */
export class ScriptedBridge {
  constructor(private readonly rig: Rig) {}

  /** Takes the jobs that wait, answers each, and returns them. */
  async work(answer: (job: Job) => object): Promise<readonly Job[]> {
    const jobs = await this.take(0);
    await turns();
    jobs.push(...(await this.take(0)));
    await this.answer(jobs, answer);
    return jobs;
  }

  /** The same for a time, as a bridge does that always asks. */
  async through(time: Millis, answer: (job: Job) => object): Promise<readonly Job[]> {
    const all: Job[] = [];
    for (let left: number = time; left > 0; left -= WAIT) {
      const asked = this.take(WAIT / 1000);
      await turns();
      await this.rig.pass(millis(Math.min(left, WAIT)));
      const jobs = await asked;
      await this.answer(jobs, answer);
      all.push(...jobs);
    }
    return all;
  }

  private async answer(jobs: readonly Job[], answer: (job: Job) => object): Promise<void> {
    for (const job of jobs) {
      const args = { bridge: BRIDGE, job_id: job.job_id, ...answer(job) };
      await this.rig.call("answer_job", args, { as: "bridge" });
    }
    if (jobs.length > 0) await turns();
  }

  private async take(wait_s: number): Promise<Job[]> {
    const args = { bridge: BRIDGE, version: "1", wait_s };
    return (await this.rig.get("take_jobs", args, { as: "bridge" })).jobs as Job[];
  }
}

/** The disk writes what was fetched. */
async function turns(): Promise<void> {
  for (let at = 0; at < 50; at += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const gives = (...events: readonly Partial<CalendarEvent>[]): object => ({
  outcome: "done",
  result: { version: "v1", events: events.map(eventOf), left_off: 0 },
});

export const fails = (code: string, message: string): object => ({ outcome: "failed", code, message });

const eventOf = (event: Partial<CalendarEvent>): CalendarEvent => ({
  title: "Dentist",
  location: null,
  start: "2026-06-02T09:00:00.000Z",
  end: "2026-06-02T10:00:00.000Z",
  all_day: false,
  external_id: "1@example.com",
  external_url: null,
  ...event,
});
