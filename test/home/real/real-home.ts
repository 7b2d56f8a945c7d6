import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { HomeSocket } from "../../../runtime/bridge/home/socket.js";
import { freePort } from "../../free-port.js";
import type { TestHome } from "../tested-adapter.js";
import { furnish } from "./furnish.js";
import { SOURCES } from "./install.js";
import { onboard } from "./onboard.js";

const CLOCK = new SystemClock();
/** Choices: a first start takes some 20 s, 90 on a busy machine. The kernel ends a forgotten home after an hour. */
const START: Millis = seconds(240);
const LIFE_S = 3600;
const POLL: Millis = millis(200);

/** A real Home Assistant on loopback, with the things of config/ and three users. */
export class RealHome implements TestHome {
  tokens = { owner: "", resident: "", viewer: "" };
  private child: ChildProcess | undefined;

  private constructor(
    private readonly python: string,
    readonly folder: string,
    private readonly port: number,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts a new home, and furnishes it. Rejects with the last lines of its log. */
  static async start(python: string): Promise<RealHome> {
    const folder = await mkdtemp(join(tmpdir(), "tendril-test-home-"));
    await cp(join(SOURCES, "config"), folder, { recursive: true });
    await mkdir(join(folder, ".storage"));
    // The step of onboarding that is marked as done would add integrations that ask the Internet.
    const done = { done: ["core_config", "analytics", "integration"] };
    const onboarding = { version: 4, minor_version: 1, key: "onboarding", data: done };
    await writeFile(join(folder, ".storage", "onboarding"), JSON.stringify(onboarding));
    const home = new RealHome(python, folder, await freePort());
    try {
      await home.boot();
      home.tokens = await onboard(home.url, (token) => home.socket(token));
      const owner = await home.socket(home.tokens.owner);
      await furnish(owner);
      owner.close();
      return home;
    } catch (error) {
      const log = await home.log();
      await home.remove();
      throw new Error(`${error instanceof Error ? error.message : error}\n${log}`);
    }
  }

  /** A connection of its own, as this user. */
  socket(token: string): Promise<HomeSocket> {
    const url = `${this.url.replace("http", "ws")}/api/websocket`;
    return HomeSocket.open({ url, token, clock: CLOCK, signal: new AbortController().signal });
  }

  /** Begins the process, with the folder as it is, and waits until every integration is up. */
  async boot(): Promise<void> {
    const args = [
      join(SOURCES, "loopback.py"),
      String(LIFE_S),
      "--skip-pip",
      "--log-no-color",
      "--config",
      this.folder,
    ];
    const env = { ...process.env, TEST_HOME_PORT: String(this.port) };
    this.child = spawn(this.python, args, { cwd: this.folder, env, stdio: "ignore", detached: false });
    const until = CLOCK.monotonic() + START;
    while (CLOCK.monotonic() < until) {
      if (this.child.exitCode !== null) throw new Error("Home Assistant ended while it was starting");
      if (await this.isUp()) return;
      await CLOCK.sleep(POLL);
    }
    throw new Error("Home Assistant was not up in time");
  }

  /** "SIGTERM", or "SIGKILL": as a power cut. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** SIGSTOP: it stands still. SIGCONT: it goes on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.child?.kill(signal);
  }

  async remove(): Promise<void> {
    await this.end("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Before the first user there is none who could ask for the state: then the page of onboarding has to answer. */
  private async isUp(): Promise<boolean> {
    try {
      if (this.tokens.owner === "") return (await fetch(`${this.url}/api/onboarding`)).ok;
      const headers = { authorization: `Bearer ${this.tokens.owner}` };
      const answer = await fetch(`${this.url}/api/config`, { headers });
      return answer.ok && ((await answer.json()) as { state: string }).state === "RUNNING";
    } catch {
      return false;
    }
  }

  private async log(): Promise<string> {
    const text = await readFile(join(this.folder, "home-assistant.log"), "utf8").catch(() => "no log");
    return text.trim().split("\n").slice(-15).join("\n");
  }
}
