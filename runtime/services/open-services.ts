import { join } from "node:path";
import type { Clock } from "../../drivers/ports.js";
import { hours, minutes } from "../../drivers/units.js";
import { HouseTime } from "../house-time.js";
import type { Log } from "../log.js";
import { CARE_FILE } from "../state-files.js";
import { isoUtc } from "../tools/iso-time.js";
import type { Stops } from "../tools/stops.js";
import { Agenda } from "./agenda/agenda.js";
import { Approvals } from "./approvals/approvals.js";
import { PhotoLinks } from "./camera/photo-links.js";
import { CameraService } from "./camera/service.js";
import { Fitted } from "./fitted.js";
import { InputWatch } from "./inputs/input-watch.js";
import { LightService } from "./light/service.js";
import type { Logs } from "./logs.js";
import { Sampler } from "./moisture/sampler.js";
import { type LedgerParts, type Ledgers, openLedgers } from "./open-ledgers.js";
import { RUNTIME } from "./people/messages.js";
import { plantOverview } from "./people/overview.js";
import { groundTruth, lightPermits, waterPermits } from "./permits.js";
import { CareWatch } from "./plant-status/care-watch.js";
import { obstacleTo } from "./plant-status/obstacle.js";
import { PlantStatusService } from "./plant-status/service.js";
import type { Services } from "./services.js";
import { settleAll } from "./settle-all.js";
import { TroubleWatch } from "./trouble-watch.js";
import { WaterService } from "./water/service.js";

export interface ServiceParts extends LedgerParts {
  readonly log: Log;
  /** Signs photo links. */
  readonly linkKey: Buffer;
  /** Counts what the services stop. */
  readonly stops: Stops;
  /** Real time, by which links expire. */
  readonly realClock: Clock;
  /** Base of photo links, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Whether there is a token of this name now. */
  readonly isToken: (name: string) => boolean;
}

/** The services, and the rounds that go on without anybody's call. */
export interface OpenServices {
  readonly services: Services;
  readonly logs: Logs;
  /** Logs what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
  /** Reads every probe once; a faulty probe is logged, not thrown. */
  sample(): Promise<void>;
  /** Notes in the water ledger what the clocks read, and tells the person of plants that nobody cares for. */
  mark(): Promise<void>;
  /** Tells the person of plants that nobody cares for. */
  lookForCare(): Promise<void>;
  /** Resolves once all that buttons, sensors and troubles have told so far has had its consequences. */
  heeded(): Promise<void>;
  /** Heeds buttons, sensors, troubles and the time of tasks no longer; the board itself still does. */
  ignoreBoard(): Promise<void>;
}

/** Opens everything with pumps and lights off: first what is known, then what judges, then what acts. */
export async function openServices(parts: ServiceParts): Promise<OpenServices> {
  const { board, plants, log } = parts;
  await board.allOff();
  const complain = (error: unknown) =>
    log("error", error instanceof Error ? error.message : String(error), causeOf(error));
  const ledgers = await openLedgers(parts);
  const status = await openGate(parts, ledgers);
  const approvals = await openApprovals(parts, ledgers, status, complain);
  const careWatch = await openCareWatch(parts, ledgers, complain);
  const services = assemble(parts, ledgers, { status, careWatch, approvals }, complain);
  const sampler = new Sampler(plants.ids, ledgers.moisture, [ledgers.watch, ledgers.soil], log);
  return {
    ...(await heedBoard(parts, ledgers, services, complain)),
    services,
    logs: ledgers.logs,
    complain,
    sample: () => sampler.sample(),
    mark: () => settleAll([ledgers.ledger.mark(), careWatch.look()]),
    lookForCare: () => careWatch.look(),
  };
}

/** From now on what the board tells by itself has its consequences; what it tells already, has them first. */
async function heedBoard(
  { board, log, plants }: ServiceParts,
  { control, messages, tasks }: Ledgers,
  { clock, water, stopEverything }: Services,
  complain: Complain,
): Promise<Pick<OpenServices, "heeded" | "ignoreBoard">> {
  for (const line of board.explanation) log("info", line);
  const common = { board, control, messages, clock, complain };
  const troubles = new TroubleWatch({ ...common, log, plants: plants.ids });
  const unwatch = troubles.begin();
  const stopWater = (plant: string) => water.stop(plant);
  const inputs = new InputWatch({ ...common, stopEverything, stopWater });
  const ignore = await inputs.begin();
  const heeded = async () => {
    await Promise.all([inputs.settled(), troubles.settled()]);
  };
  const ignoreBoard = () => {
    unwatch();
    ignore();
    tasks.close();
    return heeded();
  };
  return { heeded, ignoreBoard };
}

function openGate({ board, config, isToken }: ServiceParts, ledgers: Ledgers): Promise<PlantStatusService> {
  const { ledger, lightLedger, logs, control } = ledgers;
  const { clock } = board;
  const witnesses = {
    truth: (plant: string) => groundTruth(plant, { ...ledgers, board, clock }),
    spentIn: (cycle: number) => ({ ml: ledger.spentIn(cycle), lightMinutes: lightLedger.spentIn(cycle) }),
    isToken,
    releases: control,
  };
  return PlantStatusService.open(logs.statuses, witnesses, clock, minutes(config.cycle.max_age_minutes));
}

/** Before anybody can call: what happens from now on is counted. */
function openCareWatch(
  { board, plants, store, config }: ServiceParts,
  ledgers: Ledgers,
  complain: Complain,
): Promise<CareWatch> {
  const { logs, lightLedger, messages } = ledgers;
  const after = config.care.tell_after_hours;
  return CareWatch.open({
    plants: plants.ids,
    logs,
    file: join(store.folder, CARE_FILE),
    saveFile: store.saveFile.bind(store),
    period: after === "never" ? undefined : hours(after),
    obstacle: (plant) => obstacleTo(plant, { ...ledgers, board }),
    isLit: (plant) => lightLedger.status(plant).status === "on",
    tell: (letter) => messages.send("to_human", letter, undefined, RUNTIME),
    clock: board.clock,
    complain,
  });
}

/** What waits for a yes is refused where a hold begins. */
async function openApprovals(
  { board: { clock, bench }, config, realClock }: ServiceParts,
  { logs, messages, control }: Ledgers,
  status: PlantStatusService,
  complain: Complain,
): Promise<Approvals> {
  const approvals = await Approvals.open({
    log: logs.approvals,
    clock,
    realClock,
    rules: config.confirm,
    within: minutes(config.confirm_within_minutes),
    time: new HouseTime(config.zone),
    by: config.confirm_by,
    cycleOf: (plant, call) => status.openCycle(plant, call),
    cycle: minutes(config.cycle.max_age_minutes),
    tell: (letter) => messages.send("to_human", letter, undefined, "runtime"),
    complain,
  });
  // at sixty times real time a cycle, and its requests with it, would be over before a person has read of them
  approvals.watch(() => bench?.keepRealTime(approvals.pending().length > 0));
  const isHeld = (plant = "") => control.hold(plant) !== undefined;
  control.watchHeld(() => approvals.refuseAll("runtime", "put on hold", isHeld));
  return approvals;
}

type Complain = OpenServices["complain"];

/** What judges calls before anything acts, and what watches over them. */
interface Judges {
  readonly status: PlantStatusService;
  readonly careWatch: CareWatch;
  readonly approvals: Approvals;
}

function assemble(
  parts: ServiceParts,
  ledgers: Ledgers,
  { status, careWatch, approvals }: Judges,
  complain: Complain,
): Services {
  const { board, plants, store, log } = parts;
  const { clock } = board;
  const { logs, control, inputs, messages, moisture, tasks, memories } = ledgers;
  const { water, light } = openSwitches(parts, ledgers, status, complain);
  const services: Services = {
    clock,
    plants,
    moisture,
    water,
    light,
    camera: openCamera(parts, light),
    status,
    careWatch,
    thoughts: logs.thoughts,
    actions: logs.actions,
    notes: store.notes,
    tasks,
    memories,
    agenda: new Agenda({ tasks, messages, approvals, control, status, plants, clock }),
    approvals,
    messages,
    control,
    inputs,
    ...(board.interlock && { interlock: board.interlock }),
    zone: parts.config.zone,
    timestamp: () => isoUtc(clock.now()),
    overview: () => ({
      timestamp: isoUtc(clock.now()),
      zone: parts.config.zone,
      board: board.kind,
      warnings: [...store.warnings],
      interlock: board.interlock?.view() ?? null,
      inputs: inputs.all().map((input) => ({ ...input, plants: [...input.plants] })),
      approvals: approvals.pending(),
      plants: plants.all.map((plant) => plantOverview({ ...services, soil: ledgers.soil, board }, plant)),
    }),
    stopEverything: async (by) => {
      log("info", "everything off", { by });
      const off = plants.ids.flatMap((plant) => [water.stop(plant), light.turnOff(plant)]);
      approvals.refuseAll(by, "everything was switched off");
      await settleAll(off);
    },
  };
  return services;
}

/** The two that switch things on. */
function openSwitches(
  { board, plants, store, stops }: ServiceParts,
  ledgers: Ledgers,
  status: PlantStatusService,
  complain: Complain,
) {
  const { ledger, lightLedger, logs } = ledgers;
  const { clock } = board;
  const authorities = { ...ledgers, board, status, assertOwned: () => store.assertOwned() };
  const common = { stops, clock, onFailure: complain };
  const pumps = new Fitted("pump", board, plants);
  const lights = new Fitted("light", board, plants);
  return {
    water: new WaterService({
      ...common,
      pumps,
      ledger,
      log: logs.doses,
      permits: waterPermits(authorities),
    }),
    light: new LightService({ ...common, lights, ledger: lightLedger, permits: lightPermits(authorities) }),
  };
}

function openCamera(
  { board, plants, config, store, linkKey, realClock, publicUrl }: ServiceParts,
  light: LightService,
) {
  return new CameraService({
    cameras: new Fitted("camera", board, plants),
    photos: store.photos,
    links: new PhotoLinks(linkKey, minutes(config.photos.link_minutes), realClock, publicUrl),
    folder: join(store.folder, "photos"),
    saveFile: store.saveFile.bind(store),
    keepBytes: config.photos.keep_megabytes * 1_000_000,
    isLit: (plant) => light.isOn(plant),
    clock: board.clock,
  });
}

const causeOf = (error: unknown) =>
  error instanceof Error && error.cause !== undefined ? { cause: String(error.cause) } : {};
