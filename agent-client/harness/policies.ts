import { createHash } from "node:crypto";
import { plantInPrompt } from "../cycle/context.js";
import type { ToolInfo } from "../link/tools.js";
import { takesPlant } from "../link/tools.js";
import { allOf, type Exchange, exchangesOf, latest, numbered } from "../models/caretaker/facts.js";
import { FIGURES } from "../models/caretaker/steps.js";
import type { Message, Model, Reply } from "../models/model.js";

/** The largest and the smallest dose of the contract, ml. */
const [DOSE, MIN_DOSE] = [25, 10];
/** Choices, in a cycle. */
const MAX_DOSES = 5;
const MAX_STATUSES = 2;

/** The doses to give now, in millilitres, whatever the plant's state. */
type Strategy = (now: string) => readonly number[];

/**
 * Models to compare with: they keep the runtime's rules and do not look at the plant. A full pot shows no rise after a dose,
 * so the runtime locks the pump and refuses the rest.
 */
class Policy implements Model {
  readonly reads = "plant";

  constructor(
    readonly name: string,
    private readonly strategy: Strategy,
  ) {}

  async respond(conversation: readonly Message[], tools: readonly ToolInfo[]): Promise<Reply> {
    const done = exchangesOf(conversation);
    const { plant } = plantInPrompt(conversation);
    const calls = this.next(done).map(({ name, args }) => {
      const which =
        plant !== undefined && takesPlant(tools.find((tool) => tool.name === name)) ? { plant } : {};
      return { name, arguments: { ...args, ...which } };
    });
    return { toolCalls: numbered(done, calls) };
  }

  private next(done: readonly Exchange[]): readonly Pick<Exchange, "name" | "args">[] {
    if (done.length === 0) return FIGURES.map((name) => ({ name, args: {} }));
    const statuses = allOf(done, "write_plant_status");
    const isCleared = read(statuses.at(-1)?.value, "proceed") === true;
    // the second status has no water if the first was refused: the soil is wet, or the pump is locked
    if (!isCleared && statuses.length < MAX_STATUSES)
      return [{ name: "write_plant_status", args: this.status(done, statuses.length === 0) }];
    const poured = allOf(done, "dispense_water");
    const ml = isCleared && statuses.length === 1 ? this.affordable(done)[poured.length] : undefined;
    if (ml !== undefined && !poured.some(({ error }) => error))
      return [{ name: "dispense_water", args: { ml } }];
    if (latest(done, "log_action")) return [];
    return [{ name: "log_action", args: { type: "observe", details: { policy: this.name } } }];
  }

  private status(done: readonly Exchange[], withWater: boolean): Exchange["args"] {
    const figure = (tool: string, field: string) => {
      const { value, error } = latest(done, tool) ?? {};
      return read(value, field) ?? read(read(error?.details, "last_good"), field);
    };
    const doses = withWater ? this.affordable(done) : [];
    const water = doses.map((value, index) => ({ order: index + 1, action: "water", value }));
    return {
      timestamp: figure("get_current_time", "timestamp"),
      sensor_reading: figure("read_moisture", "value"),
      water_24h: figure("get_water_usage_24h", "used_ml"),
      light_today: figure("get_light_status", "light_today"),
      plant_state: "unknown",
      next_action_sequence: water,
      reasoning: `the policy ${this.name} looks at no plant`,
    };
  }

  /** The doses that fit the day's budget; none while the probe gives no reading. */
  private affordable(done: readonly Exchange[]): readonly number[] {
    if (latest(done, "read_moisture")?.error) return [];
    const left = read(latest(done, "get_water_usage_24h")?.value, "remaining_ml");
    const now = read(latest(done, "get_current_time")?.value, "timestamp");
    let budget = typeof left === "number" ? left : 0;
    return this.strategy(String(now)).filter((ml) => {
      budget -= ml;
      return budget >= 0;
    });
  }
}

function read(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[field];
}

/** Up to five doses of 10 to 25 ml. The same time gives the same doses, so that a run can be repeated. */
const random: Strategy = (now) => {
  const drawn = [...createHash("sha256").update(now).digest()];
  const count = (drawn[0] ?? 0) % (MAX_DOSES + 1);
  return drawn.slice(1, count + 1).map((byte) => MIN_DOSE + (byte % (DOSE - MIN_DOSE + 1)));
};

const always: Strategy = () => Array.from({ length: MAX_DOSES }, () => DOSE);

export const POLICIES: Readonly<Record<string, () => Model>> = {
  "never-water": () => new Policy("never-water", () => []),
  "always-water": () => new Policy("always-water", always),
  "random-water": () => new Policy("random-water", random),
};
