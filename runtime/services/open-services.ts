import { join } from "node:path";
import type { Board } from "../../drivers/open-board.js";
import type { Clock } from "../../drivers/ports.js";
import { hours, minutes } from "../../drivers/units.js";
import type { Config } from "../config/schema.js";
import type { Log } from "../log.js";
import type { Plants } from "../plants.js";
import type { ResponseRule } from "../safety/response.js";
import type { Store } from "../store/store.js";
import { PhotoLinks } from "./camera/photo-links.js";
import { CameraService } from "./camera/service.js";
import { isoUtc } from "./iso-time.js";
import { LightLedger } from "./light/ledger.js";
import { LightService } from "./light/service.js";
import { afterLoss, forgiveLosses, type Logs, openLogs } from "./logs.js";
import { Sampler } from "./moisture/sampler.js";
import { MoistureService, type Probe } from "./moisture/service.js";
import { Control } from "./people/control.js";
import { Messages } from "./people/messages.js";
import { plantOverview } from "./people/overview.js";
import { groundTruth, lightPermits, waterPermits } from "./permits.js";
import { PlantStatusService } from "./plant-status/service.js";
import type { Services } from "./services.js";
import { WaterLedger } from "./water/ledger.js";
import { ResponseWatch } from "./water/response-watch.js";
import { WaterService } from "./water/service.js";

export interface ServiceParts {
  readonly config: Config;
  readonly plants: Plants;
  readonly board: Board;
  readonly store: Store;
  readonly log: Log;
  /** Signs photo links. */
  readonly linkKey: Buffer;
  /** Real time, by which links expire. */
  readonly realClock: Clock;
  readonly publicUrl: () => string;
}

/** The services, and the rounds that go on without anybody's call. */
export interface OpenServices {
  readonly services: Services;
  readonly logs: Logs;
  /** Reads every probe once; a faulty probe is logged, not thrown. */
  sample(): Promise<void>;
  /** Notes in the water ledger what the clocks read. */
  mark(): Promise<void>;
}

/** Opens everything with pumps and lights off. The order is that of need: ledgers, then what reads them, then what acts. */
export async function openServices(parts: ServiceParts): Promise<OpenServices> {
  const { config, board, store, log, plants } = parts;
  const { clock } = board;
  await board.allOff();
  const complain = (error: unknown) =>
    log("error", "a record could not be written", { error: String(error) });
  const devices = splitDevices(board);

  const logs = await openLogs(store);
  const ledger = await WaterLedger.open(logs.doses, clock, config.water.daily_limit_ml);
  const lightLedger = await LightLedger.open(logs.light, clock);
  const control = await Control.open(logs.control);
  await afterLoss(logs.doses, (reason) =>
    each(plants.ids, (plant) => ledger.chargeLostLedger(plant, reason)),
  );
  await afterLoss(logs.light, () => each(plants.ids, (plant) => lightLedger.restAfterLoss(plant)));
  await afterLoss(logs.control, (reason) => control.holdAfterLoss(reason, isoUtc(clock.now())));
  await forgiveLosses(logs);
  const messages = new Messages(logs.messages, clock);
  const moisture = await MoistureService.open(probesOf(config, board), store.readings, clock);
  const watch = new ResponseWatch(responseRule(config), ledger, moisture, control, messages, clock);

  const truth = (plant: string) => groundTruth(plant, { clock, moisture, ledger, lightLedger, control });
  const spentIn = (cycle: number) => ({
    ml: ledger.spentIn(cycle),
    lightMinutes: lightLedger.spentIn(cycle),
  });
  const maxAge = minutes(config.cycle.max_age_minutes);
  const status = await PlantStatusService.open(logs.statuses, { truth, spentIn }, clock, maxAge);

  const water = new WaterService(
    devices.pumps,
    ledger,
    logs.doses,
    waterPermits({ control, moisture, watch, status }),
    clock,
    complain,
  );
  const light = new LightService(
    devices.lights,
    lightLedger,
    lightPermits({ control, status }),
    clock,
    complain,
  );
  const links = new PhotoLinks(
    parts.linkKey,
    minutes(config.photos.link_minutes),
    parts.realClock,
    parts.publicUrl,
  );
  const camera = new CameraService({
    cameras: devices.cameras,
    photos: store.photos,
    links,
    folder: join(store.folder, "photos"),
    keepBytes: config.photos.keep_megabytes * 1_000_000,
    isLit: (plant) => light.isOn(plant),
    clock,
  });

  const services: Services = {
    clock,
    plants,
    moisture,
    water,
    light,
    camera,
    status,
    thoughts: logs.thoughts,
    actions: logs.actions,
    notes: store.notes,
    messages,
    control,
    timestamp: () => isoUtc(clock.now()),
    overview: () => ({
      timestamp: isoUtc(clock.now()),
      board: board.kind,
      warnings: [...store.warnings],
      plants: plants.all.map(({ id, name = id }) => plantOverview(services, id, name)),
    }),
    stopEverything: async (by) => {
      log("info", "everything off", { by });
      await allOf(plants.ids.flatMap((plant) => [water.stop(plant), light.turnOff(plant)]));
    },
  };
  const sampler = new Sampler(plants.ids, moisture, watch, log);
  return { services, logs, sample: () => sampler.sample(), mark: () => ledger.mark() };
}

/** Waits for all of them, then fails if one did: one switch that sticks keeps no other from going off. */
async function allOf(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(steps))
    if (outcome.status === "rejected") throw outcome.reason;
}

const responseRule = ({ water: { no_response: rule } }: Config): ResponseRule => ({
  ml: rule.ml,
  window: hours(rule.window_hours),
  settle: minutes(rule.settle_minutes),
});

async function each(plants: readonly string[], step: (plant: string) => Promise<void>): Promise<void> {
  for (const plant of plants) await step(plant);
}

const splitDevices = ({ plants }: Board) => {
  const pick = <K extends "pump" | "light" | "camera">(kind: K) =>
    new Map([...plants].map(([id, hardware]) => [id, hardware[kind]] as const));
  return { pumps: pick("pump"), lights: pick("light"), cameras: pick("camera") };
};

/** Each probe with the span of its calibration. */
const probesOf = (config: Config, { plants }: Board): Map<string, Probe> =>
  new Map(
    config.plants.flatMap(({ id, probe }) => {
      const driver = plants.get(id)?.probe;
      return driver ? [[id, { driver, span: probe.wet_volts - probe.dry_volts }] as const] : [];
    }),
  );
