import { DriverError } from "../../drivers/errors.js";
import type { Bench, Board } from "../../drivers/open-board.js";
import type { Clock } from "../../drivers/ports.js";
import { hours, type Millis, minutes } from "../../drivers/units.js";
import { probeConfig } from "../config/probe.js";
import type { Config } from "../config/schema.js";
import type { Plants } from "../plants.js";
import type { ResponseRule } from "../safety/response.js";
import { elapsed, stampOf } from "../safety/stamp.js";
import type { Store } from "../store/store.js";
import { Memories } from "./agenda/memories.js";
import { Tasks } from "./agenda/tasks.js";
import { Inputs } from "./inputs/inputs.js";
import { isoUtc } from "./iso-time.js";
import { LightLedger } from "./light/ledger.js";
import { afterLoss, forgiveLosses, type Logs, openLogs } from "./logs.js";
import { MoistureService, type Probe, type ProbePlace } from "./moisture/service.js";
import { SoilWatch } from "./moisture/soil-watch.js";
import { Control } from "./people/control.js";
import { MessageLimit } from "./people/message-limit.js";
import { Messages } from "./people/messages.js";
import { STATUSES_REMEMBERED } from "./plant-status/service.js";
import { WaterLedger } from "./water/ledger.js";
import { ANY_NEW_PLANT, wiredPlants } from "./water/pots.js";
import { ResponseWatch } from "./water/response-watch.js";

export interface LedgerParts {
  readonly config: Config;
  readonly plants: Plants;
  readonly board: Board;
  readonly store: Store;
}

/** What is known: the logs and all that is folded from them. Nothing here switches anything. */
export interface Ledgers {
  readonly logs: Logs;
  readonly ledger: WaterLedger;
  readonly lightLedger: LightLedger;
  readonly control: Control;
  readonly inputs: Inputs;
  readonly messages: Messages;
  readonly tasks: Tasks;
  readonly memories: Memories;
  readonly moisture: MoistureService;
  readonly watch: ResponseWatch;
  readonly soil: SoilWatch;
}

/** To be called with pumps and lights off: what a crash left open is closed here. */
export async function openLedgers({ config, plants, board, store }: LedgerParts): Promise<Ledgers> {
  const { clock } = board;
  const logs = await openLogs(store);
  const rules = { limit: config.water.daily_limit_ml, plants: wiredPlants(config.plants) };
  const ledger = await WaterLedger.open(logs.doses, clock, rules);
  const lightLedger = await LightLedger.open(logs.light, clock);
  const control = await Control.open(logs.control);
  await afterLoss(logs.doses, async (reason) => {
    await control.record({ timestamp: isoUtc(clock.now()), kind: "doses_lost", by: "runtime", reason });
    await ledger.chargeLostLedger(reason);
  });
  await afterLoss(logs.light, () => each(plants, (plant) => lightLedger.restAfterLoss(plant)));
  await afterLoss(logs.control, (reason) => control.holdAfterLoss(reason, isoUtc(clock.now())));
  await afterLoss(logs.calls, () =>
    endCycles(logs.statuses, control, clock, minutes(config.cycle.max_age_minutes)),
  );
  await forgiveLosses(logs);
  store.warnings.push(...inheritances(plants, ledger));
  await carryOver(plants.ids, { ledger, lightLedger, control }, clock);
  const messages = await openMessages(config, logs, clock);
  const tasks = await Tasks.open(logs.tasks, clock);
  const memories = await Memories.open(logs.memories, clock);
  const moisture = await MoistureService.open(probesOf(config, board), store.readings, clock);
  const watch = new ResponseWatch(responseRule(config), ledger, moisture, control, messages, clock);
  const soil = await SoilWatch.open(config.plants, { moisture, control, messages, clock });
  const inputs = new Inputs(board);
  return { logs, ledger, lightLedger, control, inputs, messages, tasks, memories, moisture, watch, soil };
}

/**
 * The keys of calls are lost: a client that repeats one in its open cycle would act twice. So no cycle that was open goes on. An
 * agent begins a new one, for which it looks anew.
 */
async function endCycles(
  statuses: Logs["statuses"],
  control: Control,
  clock: Clock,
  maxAge: Millis,
): Promise<void> {
  const timestamp = isoUtc(clock.now());
  for (const { record } of await statuses.newestFirst(STATUSES_REMEMBERED, 0)) {
    const { plant, proceed, care, timestamp: status_at } = record;
    const { certain, atLeast } = elapsed(record.stamp, stampOf(clock));
    const isOver = certain && atLeast > maxAge;
    if (isOver || !proceed || care !== "taken" || control.isReleased(plant, status_at)) continue;
    const reason = "the record of calls is lost, so no cycle goes on";
    await control.record({ timestamp, kind: "care_released", plant, by: "runtime", reason, status_at });
  }
}

/** What a plant that was renamed, or has another's pump or probe, counts of the other's water. */
const inheritances = ({ ids }: Plants, ledger: WaterLedger): string[] =>
  ids.flatMap((id) =>
    [...ledger.inherited(id)].map(([former, ml]) => {
      const whose =
        former === ANY_NEW_PLANT ? "before it was configured, when the ledger was lost" : `as ${former}`;
      return `${id} counts ${ml} ml of the last 24 h that were charged ${whose}, since it may be the same pot. A plant that says in the configuration what it was called, such as formerly: [basil], is told from others, if it says so at the first start with its new id; said later, that id counts for it too.`;
    }),
  );

/** A pot whose plant has another id now keeps its locks and holds, and its lamp rests. Written down last, so that no crash loses it. */
export async function carryOver(
  ids: readonly string[],
  { ledger, lightLedger, control }: Pick<Ledgers, "ledger" | "lightLedger" | "control">,
  clock: Clock,
): Promise<void> {
  const { pots } = ledger;
  if (!pots.changed) return;
  for (const id of pots.lightsOfOthers) await lightLedger.restAfterLoss(id);
  const timestamp = isoUtc(clock.now());
  for (const id of ids) {
    const formers = pots.predecessors(id);
    await control.inherit(id, formers, timestamp);
    if (pots.isNewId(id)) await control.settleInherited(id, formers, ledger.lastId, timestamp);
  }
  await ledger.keepWiring();
}

/** An agent's plant status begins a cycle of its messages. */
function openMessages({ agent, cycle }: Config, logs: Logs, clock: Clock): Promise<Messages> {
  const limit = new MessageLimit(clock, {
    perCycle: agent.messages_per_cycle,
    perDay: agent.messages_per_day,
    cycle: minutes(cycle.max_age_minutes),
  });
  logs.statuses.watch(({ record }) => limit.beginCycle(record.agent, record.plant));
  return Messages.open(logs.messages, clock, limit);
}

async function each({ ids }: Plants, step: (plant: string) => Promise<void>): Promise<void> {
  for (const plant of ids) await step(plant);
}

/** Each probe with its calibration. */
const probesOf = (config: Config, { plants, bench }: Board): Map<string, Probe> =>
  new Map(
    config.plants.flatMap(({ id, probe }) => {
      const driver = plants.get(id)?.probe;
      const { calibration } = probeConfig(probe);
      const move = bench && ((to: ProbePlace) => moveOnBench(bench, id, to));
      const gap = bench && (() => gapOf(bench));
      const extras = { ...(move && { move }), ...(gap && { gap }) };
      return driver ? [[id, { driver, calibration, ...extras }] as const] : [];
    }),
  );

function gapOf(bench: Bench): DriverError | undefined {
  const gap = bench.recordingGap();
  if (!gap) return undefined;
  const [from, until] = [isoUtc(gap.from), isoUtc(gap.until)];
  // said here too: an agent is told of the probe's fault alone, and of what helps against that
  return new DriverError(
    "REPLAY_GAP",
    `the recording has a gap from ${from} until ${until}, which --skip-gaps would leave out`,
  );
}

function moveOnBench(bench: Bench, plant: string, to: ProbePlace): void {
  const faults = bench.faults(plant);
  if (to === "pot") delete faults.probeIn;
  else faults.probeIn = to;
}

const responseRule = ({ water: { no_response: rule } }: Config): ResponseRule => ({
  ml: rule.ml,
  window: hours(rule.window_hours),
  settle: minutes(rule.settle_minutes),
});
