import { join } from "node:path";
import t, { type Test } from "tap";
import { LinkError } from "../../../agent-client/errors.js";
import type { Runtime } from "../../../agent-client/link/runtime.js";
import { backupsIn } from "../../../runtime/backup/backup-folder.js";
import { connectOnce } from "../../connect-once.js";
import { RuntimeProcess } from "../../process.js";
import { tendrilHere } from "../../tendril-here.js";
import { thought } from "../../thought.js";
import { folderFor } from "./backup-rig.js";

const ROUNDS = 3;
/** So many that each round's line is among the newest thousand that a runtime answers from. */
const WORKERS = 2;

/** Writes as fast as it is answered, and remembers what was acknowledged. */
class Worker {
  readonly done: string[] = [];
  private over = false;

  constructor(
    private readonly link: Runtime,
    private readonly name: string,
  ) {}

  async work(): Promise<void> {
    for (let n = 0; !this.over; n += 1) {
      const key = `${this.name}n${n}`;
      const answer = await this.link.call("log_thought", thought(key)).catch(linkFailure);
      if (!answer) return;
      if (answer.ok) this.done.push(key);
    }
  }

  stop(): void {
    this.over = true;
  }
}

function linkFailure(error: unknown): undefined {
  if (!(error instanceof LinkError)) throw error;
}

async function linkTo(runtime: RuntimeProcess, signal: AbortSignal): Promise<Runtime> {
  return connectOnce({ url: runtime.url, token: await runtime.token("human"), signal });
}

async function started(t: Test, state: string): Promise<RuntimeProcess> {
  const runtime = await RuntimeProcess.start({ state });
  t.teardown(() => runtime.stop("SIGKILL").then(() => undefined));
  return runtime;
}

t.test(
  "backups of a runtime at work hold all that it had acknowledged, and start as if nothing had been",
  async (t) => {
    const [state, to, elsewhere] = [await folderFor(t), await folderFor(t), await folderFor(t)];
    const runtime = await started(t, state);
    const over = new AbortController();
    const workers: Worker[] = [];
    for (let n = 0; n < WORKERS; n += 1)
      workers.push(new Worker(await linkTo(runtime, over.signal), `w${n}`));
    const working = workers.map((worker) => worker.work());
    let acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      acknowledged = workers.flatMap(({ done }) => done);
      const { code, err } = await tendrilHere(["backup", "--state", state, "--to", to]);
      t.equal(code, 0, err);
    }
    for (const worker of workers) worker.stop();
    await Promise.all(working);
    t.ok(acknowledged.length > 10, `${acknowledged.length} lines before the last backup`);
    const [{ file } = { file: "" }, ...rest] = await backupsIn(to);
    t.equal(rest.length, ROUNDS - 1);

    const restored = join(elsewhere, "state");
    t.match(await tendrilHere(["restore", file, "--state", restored]), { code: 0, out: /counts as poured/ });
    const second = await started(t, restored);
    const link = await linkTo(second, over.signal);
    const { log } = await check(t, link, acknowledged, second);
    over.abort();
    for (const line of log.split("\n").filter((each) => / warn /.test(each)))
      t.match(line, /is from a backup of/, "nothing else is lost, torn or made anew");
  },
);

async function check(t: Test, link: Runtime, acknowledged: readonly string[], runtime: RuntimeProcess) {
  const found = new Set<string>();
  for (let offset = 0; ; offset += 50) {
    const page = await link.call("get_recent_thoughts", { n: 50, offset });
    if (!page.ok) throw new Error(page.error.message);
    const { thoughts } = page.value as { thoughts: { observation: string }[] };
    for (const { observation } of thoughts) found.add(observation);
    if (thoughts.length < 50) break;
  }
  const missing = acknowledged.filter((key) => !found.has(key));
  t.same(missing, [], `${acknowledged.length} acknowledged, ${found.size} found`);
  await link.close();
  return runtime.stop();
}
