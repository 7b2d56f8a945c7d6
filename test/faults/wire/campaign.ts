import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { runtimeApi } from "../../../runtime/core.js";
import { type RunningServer, startServer } from "../../../runtime/server/server.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import { light } from "../../../runtime/services/light/service.js";
import { water } from "../../../runtime/services/water/service.js";
import { Rig } from "../../rig.js";
import { Dice } from "../campaign/dice.js";
import { ATTACKS } from "./attacks.js";

/** What was tried, and the rounds that broke a promise. */
export interface WireTotals {
  rounds: number;
  attacks: number;
  readonly broken: Array<{
    readonly round: number;
    readonly problems: readonly string[];
    readonly story: readonly string[];
  }>;
}

/** Attacks in one round, at the same time. A choice. */
const MAX_AT_ONCE = 5;

/** Attacks a whole runtime over sockets, in rounds numbered from `first` on, each drawn from its number alone. */
export async function attackWire(first: number, rounds: number, enough = 3): Promise<WireTotals> {
  const totals: WireTotals = { rounds: 0, attacks: 0, broken: [] };
  const target = await Attacked.open();
  try {
    for (let round = first; round < first + rounds && totals.broken.length < enough; round += 1) {
      const { story, problems } = await target.round(round);
      totals.rounds += 1;
      totals.attacks += story.length;
      if (problems.length > 0) totals.broken.push({ round, problems, story });
    }
  } finally {
    await target.close();
  }
  return totals;
}

/** A runtime on the bench, its time at a standstill, behind a real server. */
class Attacked {
  private readonly defects: string[] = [];
  private readonly note = (error: unknown) => void this.defects.push(`not caught: ${String(error)}`);

  private constructor(
    private readonly rig: Rig,
    private readonly server: RunningServer,
    private readonly folder: string,
    private readonly lines: string[],
  ) {
    process.on("uncaughtException", this.note).on("unhandledRejection", this.note);
  }

  static async open(): Promise<Attacked> {
    const rig = await Rig.start({ config: "server: { calls_per_second: 1000 }" });
    const folder = join(rig.state, "tokens");
    await mkdir(rig.state, { recursive: true });
    const clock = new SystemClock();
    const lines: string[] = [];
    const log = (level: string, what: string, fields = {}) =>
      void lines.push(`${level} ${what} ${JSON.stringify(fields)}`);
    const tokens = await TokenStore.open(folder, clock, log);
    const server = await startServer({ host: runtimeApi(rig.core), tokens, clock, listen: { port: 0 }, log });
    return new Attacked(rig, server, folder, lines);
  }

  async round(number: number): Promise<{ story: string[]; problems: string[] }> {
    const dice = new Dice(number);
    const before = await this.ledgers();
    const names = Array.from({ length: dice.between(1, MAX_AT_ONCE) }, () => dice.of(Object.keys(ATTACKS)));
    const attacks = names.map(async (name, at) => {
      const token = await this.token(dice.chance(0.5) ? "observer" : "agent");
      return ATTACKS[name]?.({ port: this.server.port, token }, new Dice(number * MAX_AT_ONCE + at));
    });
    const off = await this.off(); // in the midst of it
    await Promise.all(attacks);
    const problems = [...off, ...(await this.off()), ...(await this.served())];
    if ((await this.ledgers()) !== before) problems.push("something was switched on");
    return { story: names, problems: [...problems, ...this.complaints()] };
  }

  async close(): Promise<void> {
    process.off("uncaughtException", this.note).off("unhandledRejection", this.note);
    await this.server.close();
    await this.rig.end();
  }

  private async off(): Promise<string[]> {
    const answer = await fetch(`http://127.0.0.1:${this.server.port}/off`, {
      method: "POST",
      headers: { Connection: "close" },
    });
    return answer.status === 200 ? [] : [`POST /off was answered with ${answer.status}`];
  }

  /** A person's own call still works. */
  private async served(): Promise<string[]> {
    const headers = {
      Authorization: `Bearer ${await this.token("human")}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Connection: "close",
    };
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_current_time", arguments: {} },
    };
    const url = `http://127.0.0.1:${this.server.port}/mcp`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(call) });
    const text = await answer.text();
    return text.includes("timezone") || text.includes("timestamp")
      ? []
      : [`a person's call was answered: ${text.slice(0, 200)}`];
  }

  private async ledgers(): Promise<string> {
    const { house } = this.rig.core;
    const edges = this.rig.bench.pumpEdges("basil").length;
    return JSON.stringify([edges, house.get(water).usage("basil"), house.get(light).status("basil")]);
  }

  /** Errors in the log are defects: what a client does wrong is none. */
  private complaints(): string[] {
    const errors = [...this.lines.splice(0), ...this.rig.log.splice(0)].filter((line) =>
      line.startsWith("error "),
    );
    return [...errors, ...this.defects.splice(0)];
  }

  private async token(role: string): Promise<string> {
    return (await readFile(join(this.folder, role), "utf8")).trim();
  }
}
