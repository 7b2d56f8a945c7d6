import { Document, isCollection, isScalar, visit } from "yaml";
import type { Level } from "../../drivers/pi/inspect/pins.js";

/** Lines that a terminal of 80 columns does not break. */
const HEADING = ` Written by "tendril setup" on DAY, yours to change. What each key means:
 docs/hardware.md. "tendril config" checks it and shows every default,
 "tendril doctor" checks whether it fits the hardware.`;

/** The configuration as YAML with comments for its reader. `day`: "2026-11-21". */
export function yamlOf(draft: Draft, day: string): string {
  const document = new Document(contentOf(draft));
  writeAddresses(document);
  document.commentBefore = HEADING.replace("DAY", day);
  for (const [at, plant] of draft.plants.entries()) explainPlant(document, plant, at);
  for (const at of (draft.climate ?? []).keys()) flow(document, ["climate", at]);
  for (const at of draft.inputs.keys()) flow(document, ["inputs", at]);
  if (draft.houseName !== undefined)
    comment(document, ["server", "tls", "host"], "every address of this computer; calls need a token");
  return document.toString({ lineWidth: 0 });
}

function contentOf({ board, plants, climate = [], inputs, interlock, houseName }: Draft) {
  return {
    board,
    ...(board === "pi" && { i2c_bus: 1 }),
    plants: plants.map((plant) => (board === "pi" ? wiredPlant(plant) : simulatedPlant(plant))),
    ...(climate.length > 0 && {
      climate: climate.map(({ place, address }) => ({ place, chip: "bme280", address })),
    }),
    ...(inputs.length > 0 && { inputs: inputs.map(inputKeys) }),
    ...(interlock !== undefined && { interlock: { via: "serial", port: interlock } }),
    ...(houseName !== undefined && { server: serverKeys(houseName) }),
  };
}

const simulatedPlant = ({ id, name, species }: DraftPlant) => ({
  id,
  ...(name !== undefined && { name }),
  ...(species !== undefined && { species }),
});

const wiredPlant = (plant: DraftPlant) => ({
  ...simulatedPlant(plant),
  probe: probeKeys(plant.probe),
  ...(plant.pump && {
    pump: {
      flow_ml_per_s: plant.pump.flow ?? GUESSED_FLOW,
      output: relayKeys(plant.pump, `${plant.id}-pump`),
    },
  }),
  ...(plant.light && { light: { output: relayKeys(plant.light, `${plant.id}-light`) } }),
  ...(plant.camera && { camera: plant.camera }),
});

const probeKeys = ({ address, channel }: DraftPlant["probe"]) =>
  channel === undefined ? { chip: "seesaw", address } : { chip: "ads1115", address, channel };

/** The schema's default, written out so that a person sees what calibration changes. */
const GUESSED_FLOW = 1.5;

const relayKeys = ({ gpio, onWhen }: DraftRelay, led: string) => ({
  gpio,
  active_low: onWhen === "low",
  via: "led",
  led,
});

const inputKeys = ({ kind, name, gpio, activeWhen }: DraftInput) => ({
  kind,
  name,
  gpio,
  active_low: activeWhen === "low",
});

/** The plain port stays on loopback. mDNS gives the name in the house [RFC 6762, 3]; the port is the schema's default. */
const serverKeys = (name: string) => ({
  tls: { host: "0.0.0.0", port: 8732 },
  public_url: `https://${name}.local:8732`,
  allowed_hosts: [name, `${name}.local`],
});

function explainPlant(document: Document, { pump, light, camera }: DraftPlant, at: number): void {
  const path = ["plants", at];
  if (!document.hasIn([...path, "probe"])) return;
  flow(document, [...path, "probe"]);
  comment(document, [...path, "probe"], 'not calibrated: "tendril calibrate moisture" measures dry and wet');
  if (pump) flow(document, [...path, "pump", "output"]);
  if (pump && pump.flow === undefined)
    comment(document, [...path, "pump", "flow_ml_per_s"], 'a guess: "tendril calibrate pump" measures it');
  if (light) flow(document, [...path, "light", "output"]);
  if (camera) flow(document, [...path, "camera"]);
}

export function configText(config: object): string {
  const document = new Document(config);
  writeAddresses(document);
  return String(document);
}

/** I²C addresses in hexadecimal, as people, datasheets and i2cdetect write them. */
const writeAddresses = (document: Document): void =>
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === "address" && isScalar(value)) value.format = "HEX";
    },
  });

type Path = readonly (string | number)[];

const nodeAt = (document: Document, path: Path): unknown => document.getIn([...path], true);

function flow(document: Document, path: Path): void {
  const node = nodeAt(document, path);
  if (isCollection(node)) node.flow = true;
}

function comment(document: Document, path: Path, text: string): void {
  const node = nodeAt(document, path);
  if (isCollection(node) || isScalar(node)) node.comment = ` ${text}`;
}

export interface DraftRelay {
  readonly gpio: number;
  readonly onWhen: Level;
}

export interface DraftPlant {
  readonly id: string;
  readonly name?: string;
  readonly species?: string;
  readonly probe: { readonly address: number; readonly channel?: number };
  readonly pump?: DraftRelay & { readonly flow?: number };
  readonly light?: DraftRelay;
  readonly camera?: DraftCamera;
}

export type DraftCamera =
  | { readonly program: "rpicam-still" | "libcamera-still"; readonly index: number }
  | { readonly program: "fswebcam"; readonly device: string };

export interface DraftInput {
  readonly kind: "stop" | "leak" | "tank";
  readonly name: string;
  readonly gpio: number;
  readonly activeWhen: Level;
}

export interface Draft {
  readonly board: "pi" | "bench";
  readonly plants: readonly DraftPlant[];
  readonly inputs: readonly DraftInput[];
  readonly climate?: readonly { readonly place: string; readonly address: number }[];
  readonly interlock?: string;
  /** This computer's name in the house's network; undefined: loopback only. */
  readonly houseName?: string;
}

/** A missing or impossible answer. `key`: its place in a file of answers. */
export interface Problem {
  readonly key: string;
  readonly what: string;
}
