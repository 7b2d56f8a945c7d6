import { z } from "zod";
import { INSTRUCTIONS } from "../../runtime/server/mcp.js";
import type { Agenda } from "../../runtime/wire/agenda.js";
import { dose } from "../../runtime/wire/plants.js";
import type { CallOptions, Runtime } from "../link/runtime.js";
import { readResult, refused, type ToolInfo, type ToolResult, toolInfo } from "../link/tools.js";
import type { World } from "./world.js";

type Role = "agent" | "human";

/** Called for every dose: ml by the runtime's account, and ml that reached the soil. */
type OnDose = (plant: string, ml: number, arrived: number) => void;

/**
 * The runtime as a client sees it, without the wire: the same registry, checks and answers. Idempotency keys are not needed:
 * there is no link that could break and make a client repeat a call.
 */
export class InProcessRuntime implements Runtime {
  private listed: { readonly registry: object; readonly tools: readonly ToolInfo[] } | undefined;

  constructor(
    private readonly world: World,
    private readonly role: Role,
    private readonly onDose: OnDose = () => undefined,
  ) {}

  async instructions(): Promise<string> {
    return INSTRUCTIONS;
  }

  /** Asked for each cycle; the list of a registry never changes. */
  async tools(): Promise<readonly ToolInfo[]> {
    const { role, listed } = this;
    const { registry } = this.world.core;
    if (listed?.registry === registry) return listed.tools;
    const tools = registry.list({ name: role, role }).map(toolInfo);
    this.listed = { registry, tools };
    return tools;
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<ToolResult> {
    if (name !== "dispense_water") return this.ask(name, args, options);
    const plant = this.world.plantNamed(args.plant);
    const before = this.received(plant);
    const result = await this.ask(name, args, options);
    const ml = pouredMl(result, args);
    if (ml > 0) this.onDose(plant, ml, this.received(plant) - before);
    return result;
  }

  async agenda(): Promise<Agenda> {
    return this.world.core.house.agenda({ name: "agent", role: "agent" });
  }

  /** Never reports a change: the simulation itself starts the cycles. */
  watchAgenda() {
    return () => undefined;
  }

  private async ask(
    name: string,
    args: Readonly<Record<string, unknown>>,
    { signal }: CallOptions,
  ): Promise<ToolResult> {
    const { role } = this;
    const answer = this.world.core.registry.call({
      name,
      arguments: args,
      identity: { name: role, role },
      signal: () => signal ?? new AbortController().signal,
      progress: () => undefined,
    });
    // only water takes time; all other answers come at once
    const result = await (name === "dispense_water" ? this.world.during(answer) : answer);
    if (result) return readResult(result);
    return refused("LINK_BROKEN", `${name}: the power went; whether it was carried out is in the history`);
  }

  private received(plant: string): number {
    return this.world.bench.truth(plant).water.received;
  }

  async close(): Promise<void> {}
}

const delivered = dose.pick({ dispensed: true });
const cutShort = z.object({ dispensed_ml: z.number() });

const asked = z.object({ ml: z.number() });

/** If a power cut ends a dose, nobody knows how much flowed: the runtime counts all of it. */
function pouredMl(result: ToolResult, args: unknown): number {
  if (result.ok) return delivered.safeParse(result.value).data?.dispensed ?? 0;
  if (result.error.code === "LINK_BROKEN") return asked.safeParse(args).data?.ml ?? 0;
  return cutShort.safeParse(result.error.details).data?.dispensed_ml ?? 0;
}
