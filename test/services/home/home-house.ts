import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import { homeAdapter } from "../../../runtime/bridge/home/adapter.js";
import type { ServiceResult } from "../../../runtime/wire/home-tools.js";
import { BridgeOfTest } from "../../bridge-of-test.js";
import { HomeStandIn } from "../../home/stand-in.js";
import { type CallOptions, type Rig, type RigOptions, rigFor } from "../../rig.js";

/** What the tests' owner lists by default, as lines under `home: entities:`. */
export const LISTED = {
  "light.kitchen_lights": "{ name: Kitchen lights, opaque: allowed }",
  "light.ceiling_lights": "{ name: Ceiling lights, opaque: allowed }",
  "light.office_rgbw_lights": "{ name: Desk light }",
  "light.bed_light": "{ name: Bed light }",
  "light.porch_light": "{ name: Porch light }",
  "lock.front_door": "{ name: Front door, opt_in: true }",
  "lock.kitchen_door": "{ name: Kitchen door }",
  "group.downstairs": "{ name: Downstairs }",
  "sensor.soil_moisture": "{ name: Soil, may: see }",
  "sensor.long_text": "{ name: Long text, may: see }",
} as const;

export const configOf = (listed: Readonly<Record<string, string>>, more = ""): string =>
  [
    "server: { calls_per_second: 100000 }",
    more,
    "home:",
    "  entities:",
    ...Object.entries(listed).map(([id, settings]) => `    ${id}: ${settings}`),
  ].join("\n");

/** The whole runtime, the real adapter and the stand-in of Home Assistant, in one process. */
export class HomeHouse {
  private constructor(
    readonly rig: Rig,
    readonly home: HomeStandIn,
    private readonly bridge: BridgeOfTest,
  ) {}

  static async start(t: Test, config = configOf(LISTED), options: RigOptions = {}): Promise<HomeHouse> {
    const home = await HomeStandIn.start(t);
    const rig = await rigFor(t, { config, ...options });
    const { viewer: read_token, resident: act_token } = home.tokens;
    const bridge = new BridgeOfTest(rig, homeAdapter, { url: home.url, read_token, act_token });
    const house = new HomeHouse(rig, home, bridge);
    t.teardown(() => house.leave());
    await house.isThere();
    // names that the owner has not written would taint the agent
    await house.agent("get_ha_entities", {}, { token: "looks" });
    return house;
  }

  /** A new runtime on the same folder, with the same bridge. */
  async restart(config?: string): Promise<void> {
    await this.rig.restart(config);
    await this.isThere();
  }

  /** The runtime dies as by kill -9, and starts again. */
  async crash(): Promise<void> {
    await this.rig.crash();
    await this.rig.open();
    await this.isThere();
  }

  /** The runtime dies in the moment in which the journals write their nth line from now. */
  async diesWhileWriting(line: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const next = (left: number): void =>
        this.rig.duringNextWrite(async () => {
          if (left > 1) return next(left - 1);
          await this.rig.crash().then(resolve, reject);
        });
      next(line);
    });
    await this.rig.open();
    await this.isThere();
  }

  /** Other members of a group; resolves when the bridge knows. */
  async regroup(group: string, members: readonly string[]): Promise<void> {
    this.home.home.set(group, "on", { entity_id: members });
    await this.until(async () => {
      const { attributes } = await this.agent("get_entity_state", { entity_id: group }, { token: "looks" });
      return String((attributes as { entity_id: string[] }).entity_id) === String(members);
    });
  }

  agent(tool: string, args: object = {}, options: CallOptions = {}) {
    return this.rig.get(tool, { ...args }, options);
  }

  /** Calls a service as an agent; waits for nobody: a call that waits for a yes gives up at once. */
  async service(args: object, options: CallOptions = {}): Promise<ServiceResult> {
    const giveUp = new AbortController();
    const token = options.token ?? "agent";
    const result = this.agent("call_ha_service", args, { token, signal: giveUp.signal, ...options });
    let isDone = false;
    void result
      .catch(() => undefined)
      .finally(() => {
        isDone = true;
      });
    while (!isDone) {
      if ((await this.requestOf(token)) !== undefined) giveUp.abort();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return (await result) as unknown as ServiceResult;
  }

  /** The request of this token that waits for a yes. */
  async requestOf(token: string): Promise<{ id: number; words: string } | undefined> {
    const { approvals } = (await this.rig.get("list_approvals", {}, { as: "human" })) as {
      approvals: { id: number; agent: string; state: string; words: string }[];
    };
    return approvals.find(({ agent, state }) => agent === token && state === "pending");
  }

  answer(id: number, approve = true) {
    return this.rig.get("answer_approval", { id, approve }, { as: "human" });
  }

  /** The result as it goes over the wire. */
  raw(name: string, args: object) {
    return this.rig.core.registry.call({
      ...{ name, arguments: args, identity: { name: "agent", role: "agent" } },
      ...{ signal: () => new AbortController().signal, progress: () => undefined },
    });
  }

  /** The lines of journal/home.jsonl. */
  async journal(): Promise<object[]> {
    const text = await readFile(join(this.rig.state, "journal", "home.jsonl"), "utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** Asks until there is something. */
  async until<T>(ask: () => Promise<T | undefined> | T | undefined): Promise<NonNullable<T>> {
    for (;;) {
      const found = await ask();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  state(id: string): string | undefined {
    return this.home.state(id);
  }

  /** "lock.unlock lock.front_door", for each call that Home Assistant got. */
  get sent(): string[] {
    return this.home.calls.map(
      ({ domain, service, target }) =>
        `${domain}.${service} ${(target as { entity_id: string[] }).entity_id.join(" ")}`,
    );
  }

  private async isThere(): Promise<void> {
    for (;;) {
      const { bridge } = await this.rig.get("get_overview", {}, { as: "human" });
      if ((bridge as { connected: boolean } | undefined)?.connected) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async end(): Promise<void> {
    await this.leave();
    await this.rig.end();
  }

  /** The bridge goes away. */
  leave(): Promise<void> {
    return this.bridge.leave();
  }
}
