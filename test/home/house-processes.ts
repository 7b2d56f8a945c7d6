import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { Runtime } from "../../agent-client/link/runtime.js";
import type { ToolResult } from "../../agent-client/link/tools.js";
import { millis } from "../../drivers/units.js";
import { TokenStore } from "../../runtime/server/tokens.js";
import { connectTo } from "../connect-once.js";
import { freePort } from "../free-port.js";
import { RuntimeProcess } from "../process.js";
import { bridgeFolder, spawnBridge } from "../runtime/bridge/bridge-process.js";
import { CLOCK, type TestHome, until } from "./tested-adapter.js";

export interface Request {
  readonly id: number;
  readonly agent: string;
  readonly state: string;
}

/** Runtime and bridge as on a Pi: two processes, each of which can be killed alone. */
export class HouseProcesses {
  private readonly links = new Map<string, Promise<Runtime>>();
  private runtime: RuntimeProcess | undefined;
  private bridge: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;

  private constructor(
    readonly state: string,
    private readonly bridgeState: string,
    private readonly port: number,
  ) {}

  /** `agents`: names of agents, each with a token of its own. */
  static async start(
    t: Test,
    home: TestHome,
    { config, agents }: { readonly config: string; readonly agents: readonly string[] },
  ): Promise<HouseProcesses> {
    const folder = await mkdtemp(join(tmpdir(), "tendril-test-house-"));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const state = join(folder, "state");
    await mkdir(state);
    await writeFile(join(state, "tendril.yaml"), config);
    await keepBenchAlone(state);
    const tokens = await TokenStore.open(join(state, "tokens"), CLOCK, () => undefined);
    await tokens.add("bridge");
    for (const name of agents) await tokens.add("agent", name);
    const { viewer, resident } = home.tokens;
    const yaml = `home:\n  url: ${home.url}\n  read_token: ${viewer}\n  act_token: ${resident}\n`;
    const house = new HouseProcesses(state, await bridgeFolder(t, yaml), await freePort());
    t.teardown(() => house.end());
    await house.startRuntime();
    house.startBridge();
    await house.isReady();
    return house;
  }

  async startRuntime(): Promise<void> {
    this.runtime = await RuntimeProcess.start({ state: this.state, args: ["--port", String(this.port)] });
  }

  startBridge(): void {
    const token = join(this.state, "tokens-scoped", "bridge");
    const url = `ws://127.0.0.1:${this.port}/mcp`;
    this.bridge = spawnBridge(["--url", url, "--token-file", token, "--state", this.bridgeState]);
  }

  /** As `kill -9`. */
  async kill(which: "runtime" | "bridge"): Promise<void> {
    if (which === "bridge") {
      this.bridge?.child.kill("SIGKILL");
      await this.bridge?.ended;
      return;
    }
    await this.runtime?.stop("SIGKILL");
    for (const token of this.links.keys()) await this.close(token);
  }

  /** SIGSTOP: the process stands still. SIGCONT: it goes on. */
  signal(which: "runtime" | "bridge", signal: "SIGSTOP" | "SIGCONT"): void {
    if (which === "bridge") this.bridge?.child.kill(signal);
    else this.runtime?.signal(signal);
  }

  /** Resolves when the bridge takes jobs and reaches Home Assistant with both tokens. */
  async isReady(): Promise<void> {
    for (;;) {
      const answer = await (await this.link("human")).call("show_home", { limit: 1 });
      if (answer.ok) return;
      await CLOCK.sleep(millis(20));
    }
  }

  /** A call that has to work, as the person. */
  async person<T>(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const answer = await (await this.link("human")).call(tool, args);
    if (answer.ok) return answer.value as T;
    throw new Error(`${tool}: ${JSON.stringify(answer.error)}`);
  }

  async agent(
    name: string,
    args: object,
    { key, signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
  ): Promise<ToolResult> {
    const link = await this.link(`agent.${name}`);
    const options = { ...(key !== undefined && { idempotencyKey: key }), ...(signal && { signal }) };
    return link.call("call_ha_service", { ...args }, options);
  }

  /** What this agent asked for and nobody has answered. */
  async requestOf(name: string): Promise<Request | undefined> {
    const { approvals } = await this.person<{ approvals: readonly Request[] }>("list_approvals");
    return approvals.find(({ agent, state }) => agent === `agent.${name}` && state === "pending");
  }

  /** Resolves when the claim of this agent's call is on the disk: from then on it may have been sent. */
  async hasClaimed(name: string): Promise<void> {
    const by = `"by":"agent.${name}"`;
    const isSent = (line: string) => line.includes(by) && line.includes('"status":"sent"');
    const journal = (log: string) =>
      readFile(join(this.state, "journal", `${log}.jsonl`), "utf8").catch(() => "");
    await until(async () => (await journal("home")).split("\n").some(isSent));
    await until(async () => {
      const lines = (await journal("jobs")).trim().split("\n");
      return lines.at(-1)?.includes('"what":"call"');
    });
  }

  /** The agent goes away; what it asked for stays asked. */
  leave(name: string): Promise<void> {
    return this.close(`agent.${name}`);
  }

  async end(): Promise<void> {
    for (const which of ["runtime", "bridge"] as const) this.signal(which, "SIGCONT");
    await this.kill("bridge");
    await this.kill("runtime");
  }

  private async close(token: string): Promise<void> {
    const link = this.links.get(token);
    this.links.delete(token);
    await link?.then(
      (each) => each.close(),
      () => undefined, // whoever asked for it was told why there is none
    );
  }

  private link(token: string): Promise<Runtime> {
    const known = this.links.get(token);
    if (known) return known;
    if (!this.runtime) throw new Error("the runtime is not started");
    const link = connectTo(this.runtime, token);
    this.links.set(token, link);
    return link;
  }
}

/**
 * A bench starts a bridge of its own, which ends with it. One whose file others can read does not start: then the bridge is
 * the one that is killed apart from the runtime, as on a Pi.
 */
async function keepBenchAlone(state: string): Promise<void> {
  await mkdir(`${state}-bridge`, { mode: 0o700 });
  await writeFile(join(`${state}-bridge`, "bridge.yaml"), "{}\n", { mode: 0o644 });
}
