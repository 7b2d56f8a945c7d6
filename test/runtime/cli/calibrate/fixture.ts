import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { benchOf } from "../../../../drivers/open-board.js";
import { CalibrationFile } from "../../../../runtime/cli/calibrate/calibration.js";
import type { PumpSession } from "../../../../runtime/cli/calibrate/dose.js";
import { type Remote, switchOff, withRemote } from "../../../../runtime/cli/remote.js";
import { interruption, type Terminal } from "../../../../runtime/cli/terminal.js";
import { startRuntime } from "../../../../runtime/main.js";

export const FILE = `# mine
server: { port: 0 }
plants:
  - id: basil   # on the sill
    probe: { channel: 0 }   # the black one
    pump:
      flow_ml_per_s: 1.5
`;

/** Who answers a question by what it says; a question without an answer ends the input. */
export class ScriptedPerson implements Terminal {
  readonly heard: string[] = [];
  /** Called with whatever is said. */
  listen: (text: string) => void = () => undefined;
  private readonly controller = new AbortController();

  constructor(private readonly answers: ReadonlyArray<readonly [to: RegExp, answer: string]>) {}

  readonly interrupted = this.controller.signal;
  private readonly asked = new Map<number, number>();

  say(text: string): void {
    this.heard.push(text);
    this.listen(text);
  }

  show(): void {}

  async ask(question: string): Promise<string> {
    this.say(question);
    if (this.interrupted.aborted) throw interruption();
    const at = this.answers.findIndex(([to], index) => to.test(question) && !this.asked.has(index));
    const answer = this.answers[at]?.[1];
    if (answer === undefined) throw new Error(`nobody answers "${question}"`);
    this.asked.set(at, 1);
    return answer;
  }

  pressCtrlC(): void {
    this.controller.abort(interruption());
  }

  get all(): string {
    return this.heard.join("\n");
  }
}

/** A bench that serves over loopback, its plant's time 60 times as fast, and a session of a person with it. */
export async function calibrationRig(t: Test, { file = FILE, speed = 60, hydration = 60 } = {}) {
  const state = await mkdtemp(join(tmpdir(), "tendril-calibrate-"));
  const path = join(state, "tendril.yaml");
  await writeFile(path, file, { mode: 0o640 });
  const opened = await CalibrationFile.open({ state });
  const board = { speed, seed: 1, startHydration: hydration };
  const runtime = await startRuntime({ config: opened.config, state, board, log: () => undefined });
  t.teardown(async () => {
    await runtime.stop();
    await rm(state, { recursive: true });
  });
  const address = { state, url: runtime.url };
  const as = <T>(use: (remote: Remote) => Promise<T>) => withRemote(address, use);
  const run = (calibrate: (session: PumpSession) => Promise<void>, person: ScriptedPerson, yes = false) =>
    as((remote) =>
      calibrate({
        remote,
        terminal: person,
        clock: runtime.board.clock,
        file: opened,
        plant: opened.plant(undefined),
        yes,
        restart: "restart it",
        ml: 15,
        switchOff: () => switchOff(runtime.url),
      }),
    );
  const text = () => readFile(path, "utf8");
  const kept = async () => (await readdir(state)).filter((name) => name.startsWith("tendril.yaml.before-"));
  return { state, path, runtime, bench: benchOf(runtime.board), as, run, text, kept };
}
