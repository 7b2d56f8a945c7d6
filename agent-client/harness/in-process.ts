import { z } from "zod";
import { INSTRUCTIONS } from "../../runtime/server/mcp.js";
import { type Agenda, agenda } from "../../runtime/wire/agenda.js";
import { dose } from "../../runtime/wire/plants.js";
import type { CallOptions, Runtime } from "../link/runtime.js";
import { readResult, refused, type ToolInfo, type ToolResult, toolInfo } from "../link/tools.js";
import type { World } from "./world.js";

type Role = "agent" | "human";

/** Told of every dose: what was poured by the runtime's account, and what of it came to the soil. */
type OnDose = (plant: string, ml: number, arrived: number) => void;

/**
 * The runtime as a client sees it, with the wire left out: the same registry, checks and answers. Keys against repeated
 * calls are left out with it: there is no link that could break and make a client repeat itself.
 */
export class InProcessRuntime implements Runtime {
  constructor(
    private readonly world: World,
    private readonly role: Role,
    private readonly onDose: OnDose = () => undefined,
  ) {}

  async instructions(): Promise<string> {
    return INSTRUCTIONS;
  }

  async tools(): Promise<readonly ToolInfo[]> {
    const { role } = this;
    return this.world.core.registry.list({ name: role, role }).map(toolInfo);
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
    return agenda.parse(await this.world.core.house.agenda());
  }

  /** Brings no news: the simulation itself says when a cycle begins. */
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
      signal: signal ?? new AbortController().signal,
      progress: () => undefined,
    });
    // only water takes the plant's time; all else is answered in none
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

/** Of a dose that a power cut ended nobody knows how much flowed: the runtime charges all of it. */
function pouredMl(result: ToolResult, args: unknown): number {
  if (result.ok) return delivered.safeParse(result.value).data?.dispensed ?? 0;
  if (result.error.code === "LINK_BROKEN") return asked.safeParse(args).data?.ml ?? 0;
  return cutShort.safeParse(result.error.details).data?.dispensed_ml ?? 0;
}
