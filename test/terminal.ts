import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { PLAIN_NODE } from "./spawn-node.js";

/** Whether this machine has script(1), which makes the terminal. */
export const hasTerminals = (): boolean => spawnSync("script", ["--version"]).status === 0;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** A Node program in a pseudo-terminal of its own, driven as a person does: look, then type. */
export class Terminal {
  private seen = "";
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly ended: Promise<unknown[]>;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}, columns = 200) {
    // exec: a shell in between would get Ctrl-C too, and may end by it
    const command = [...PLAIN_NODE, ...args].map(quoted).join(" ");
    const own = { ...process.env, TERM: "xterm-256color", COLUMNS: String(columns), ...env };
    this.child = spawn("script", ["-qec", `stty rows 50 cols ${columns}; exec ${command}`, "/dev/null"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: own,
    });
    this.child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      this.seen += chunk;
    });
    this.ended = once(this.child, "close");
  }

  /** Resolves when that stands on the screen, later than what was waited for last. */
  async until(text: RegExp): Promise<void> {
    while (!text.test(stripVTControlCharacters(this.seen))) {
      const [more] = await Promise.race([
        once(this.child.stdout, "data"),
        this.ended.then(() => [undefined]),
      ]);
      if (more === undefined && !text.test(stripVTControlCharacters(this.seen)))
        throw new Error(`ended without ${text}: ${stripVTControlCharacters(this.seen)}`);
    }
    this.seen = "";
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** What stands on the screen since what was waited for last, a line each. */
  lines(): string[] {
    return stripVTControlCharacters(this.seen).split(/\r?\n/);
  }

  /** Its exit code. */
  async end(): Promise<number> {
    const [code] = await this.ended;
    return Number(code);
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}
