import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { campaign, type Totals } from "./campaign/campaign.js";
import { realLives } from "./campaign/real-lives.js";
import { attackWire, type WireTotals } from "./wire/campaign.js";

/**
 * `npm run test:faults [-- --lives N --first N --real N --wire N]`: whole lives against the water limit and the light's rest, in
 * process and with a real process that is killed; and rounds of attacks on the wire. A life or a round that breaks a promise is told with its number and its story, and
 * `--first NUMBER --lives 1` lives it again.
 */

/** Lives in one message of a worker: a choice, a second or so. */
const BATCH = 100;

const wanted = (value: string, name: string): number => {
  if (/^\d+$/.test(value)) return Number(value);
  throw new Error(`--${name} must be a whole number, not "${value}"`);
};

if (process.send) work();
else await direct();

/** Answers each number with what the lives from there on were. */
function work(): void {
  process.on("message", async ({ first, lives }: { first: number; lives: number }) => {
    const totals = await campaign(first, lives);
    process.send?.({ ...totals, refusals: [...totals.refusals] });
  });
}

async function direct(): Promise<void> {
  const number = { type: "string" } as const;
  const { values } = parseArgs({ options: { lives: number, first: number, real: number, wire: number } });
  const first = wanted(values.first ?? "1", "first");
  const lives = wanted(values.lives ?? "20000", "lives");
  const inProcess = await shareOut(first, lives);
  const real = await realLives(wanted(values.real ?? "200", "real"), first);
  const wire = await attack(first, wanted(values.wire ?? "1000", "wire"));
  const failed = inProcess.broken.length + real.broken.length + wire.broken.length;
  const passed = inProcess.lives + real.lives + wire.rounds - failed;
  console.log(`# { total: ${passed + failed}, pass: ${passed}, fail: ${failed} }`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function attack(first: number, rounds: number): Promise<WireTotals> {
  const clock = new SystemClock();
  const began = clock.monotonic();
  const totals = await attackWire(first, rounds);
  const took = ((clock.monotonic() - began) / 1000).toFixed(0);
  console.log(`${totals.rounds} rounds with ${totals.attacks} attacks on the wire in ${took} s`);
  for (const { round, problems, story } of totals.broken)
    console.log(`not ok: round ${round}: ${story.join(", ")}\n  ${problems.join("\n  ")}`);
  return totals;
}

async function shareOut(first: number, lives: number): Promise<Totals> {
  const clock = new SystemClock();
  const began = clock.monotonic();
  const totals: Totals = { lives: 0, doses: 0, stretches: 0, kills: 0, refusals: new Map(), broken: [] };
  let next = first;
  const worker = async () => {
    const child = fork(fileURLToPath(import.meta.url));
    while (next < first + lives && totals.broken.length === 0) {
      const batch = { first: next, lives: Math.min(BATCH, first + lives - next) };
      next += batch.lives;
      add(totals, await asked(child, batch));
    }
    child.kill();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  const { doses, stretches, kills, broken } = totals;
  const took = ((clock.monotonic() - began) / 1000).toFixed(0);
  console.log(
    `${totals.lives} lives in ${took} s: ${doses} doses, ${stretches} stretches of light, ${kills} kills and power cuts; refused: ${[...totals.refusals].map(([code, n]) => `${n} ${code}`).join(", ")}`,
  );
  for (const { life, problems, story } of broken)
    console.log(`not ok: life ${life}\n  ${problems.join("\n  ")}\n    ${story.join("\n    ")}`);
  return totals;
}

type Answer = Omit<Totals, "refusals"> & { readonly refusals: ReadonlyArray<readonly [string, number]> };

async function asked(child: ChildProcess, batch: { first: number; lives: number }): Promise<Answer> {
  const over = new AbortController();
  const answered = once(child, "message", over).then(([answer]) => answer as Answer);
  const ended = once(child, "exit", over).then(() => undefined);
  child.send(batch);
  const answer = await Promise.race([answered, ended]);
  for (const waiting of [answered, ended]) waiting.catch(() => undefined); // the other is given up
  over.abort();
  if (!answer) throw new Error(`a worker ended with code ${child.exitCode}, at life ${batch.first} or later`);
  return answer;
}

function add(totals: Totals, { lives, doses, stretches, kills, refusals, broken }: Answer): void {
  totals.lives += lives;
  totals.doses += doses;
  totals.stretches += stretches;
  totals.kills += kills;
  totals.broken.push(...broken);
  for (const [code, n] of refusals) totals.refusals.set(code, (totals.refusals.get(code) ?? 0) + n);
}
