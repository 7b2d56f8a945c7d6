import { join } from "node:path";
import type { Board, PlantHardware } from "../../drivers/open-board.js";
import type { Clock } from "../../drivers/ports.js";
import { minutes } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { PhotoLinks } from "./camera/photo-links.js";
import { CameraService } from "./camera/service.js";
import { isoUtc } from "./iso-time.js";
import { LightService } from "./light/service.js";
import type { Logs } from "./logs.js";
import { Sampler } from "./moisture/sampler.js";
import { type LedgerParts, type Ledgers, openLedgers } from "./open-ledgers.js";
import { plantOverview } from "./people/overview.js";
import { groundTruth, lightPermits, waterPermits } from "./permits.js";
import { PlantStatusService } from "./plant-status/service.js";
import type { Services } from "./services.js";
import { WaterService } from "./water/service.js";

export interface ServiceParts extends LedgerParts {
  readonly log: Log;
  /** Signs photo links. */
  readonly linkKey: Buffer;
  /** Real time, by which links expire. */
  readonly realClock: Clock;
  /** Base of photo links, without a slash at its end. */
  readonly publicUrl: () => string;
}

/** The services, and the rounds that go on without anybody's call. */
export interface OpenServices {
  readonly services: Services;
  readonly logs: Logs;
  /** Logs what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
  /** Reads every probe once; a faulty probe is logged, not thrown. */
  sample(): Promise<void>;
  /** Notes in the water ledger what the clocks read. */
  mark(): Promise<void>;
}

/** Opens everything with pumps and lights off: first what is known, then what judges, then what acts. */
export async function openServices(parts: ServiceParts): Promise<OpenServices> {
  const { board, plants, log } = parts;
  await board.allOff();
  const complain = (error: unknown) =>
    log("error", error instanceof Error ? error.message : String(error), causeOf(error));
  const ledgers = await openLedgers(parts);
  const status = await openGate(parts, ledgers);
  const services = assemble(parts, ledgers, status, complain);
  const sampler = new Sampler(plants.ids, ledgers.moisture, ledgers.watch, log);
  return {
    services,
    logs: ledgers.logs,
    complain,
    sample: () => sampler.sample(),
    mark: () => ledgers.ledger.mark(),
  };
}

function openGate({ board: { clock }, config }: ServiceParts, ledgers: Ledgers): Promise<PlantStatusService> {
  const { ledger, lightLedger, logs } = ledgers;
  const witnesses = {
    truth: (plant: string) => groundTruth(plant, { ...ledgers, clock }),
    spentIn: (cycle: number) => ({ ml: ledger.spentIn(cycle), lightMinutes: lightLedger.spentIn(cycle) }),
  };
  return PlantStatusService.open(logs.statuses, witnesses, clock, minutes(config.cycle.max_age_minutes));
}

type Complain = OpenServices["complain"];

function assemble(
  parts: ServiceParts,
  ledgers: Ledgers,
  status: PlantStatusService,
  complain: Complain,
): Services {
  const { board, plants, store, log } = parts;
  const { clock } = board;
  const { logs, control, messages, moisture } = ledgers;
  const { water, light } = openSwitches(parts, ledgers, status, complain);
  const services: Services = {
    clock,
    plants,
    moisture,
    water,
    light,
    camera: openCamera(parts, light),
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
      plants: plants.all.map((plant) => plantOverview(services, plant)),
    }),
    stopEverything: async (by) => {
      log("info", "everything off", { by });
      await allOf(plants.ids.flatMap((plant) => [water.stop(plant), light.turnOff(plant)]));
    },
  };
  return services;
}

/** The two that switch things on. */
function openSwitches(
  { board, store }: ServiceParts,
  ledgers: Ledgers,
  status: PlantStatusService,
  complain: Complain,
) {
  const { ledger, lightLedger, logs } = ledgers;
  const { clock } = board;
  const authorities = { ...ledgers, status, assertOwned: () => store.assertOwned() };
  const pumps = devicesOf(board, "pump");
  const lights = devicesOf(board, "light");
  return {
    water: new WaterService(pumps, ledger, logs.doses, waterPermits(authorities), clock, complain),
    light: new LightService(lights, lightLedger, lightPermits(authorities), clock, complain),
  };
}

function openCamera(
  { board, config, store, linkKey, realClock, publicUrl }: ServiceParts,
  light: LightService,
) {
  return new CameraService({
    cameras: devicesOf(board, "camera"),
    photos: store.photos,
    links: new PhotoLinks(linkKey, minutes(config.photos.link_minutes), realClock, publicUrl),
    folder: join(store.folder, "photos"),
    saveFile: store.saveFile.bind(store),
    keepBytes: config.photos.keep_megabytes * 1_000_000,
    isLit: (plant) => light.isOn(plant),
    clock: board.clock,
  });
}

/** Of the plants that have one. */
function devicesOf<K extends "pump" | "light" | "camera">({ plants }: Board, kind: K) {
  const devices = new Map<string, NonNullable<PlantHardware[K]>>();
  for (const [id, { [kind]: device }] of plants) if (device) devices.set(id, device);
  return devices;
}

/** Waits for all of them, then fails if one did: one switch that sticks keeps no other from going off. */
async function allOf(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(steps))
    if (outcome.status === "rejected") throw outcome.reason;
}

const causeOf = (error: unknown) =>
  error instanceof Error && error.cause !== undefined ? { cause: String(error.cause) } : {};
