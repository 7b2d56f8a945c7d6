import { Document, isCollection, isScalar, visit } from "yaml";
import type { RoomChipName } from "../../drivers/devices/room-sensor.js";

/** Lines that a terminal of 80 columns does not break. */
const HEADING = ` Written by "tendril setup" on DAY, yours to change. What each key means:
 docs/configuration-keys.md. "tendril config" checks it and shows every
 default, "tendril doctor" checks whether it fits the hardware.`;

/** The configuration as YAML with comments for its reader. `day`: "2026-11-21". */
export function yamlOf(draft: Draft, day: string): string {
  const document = new Document({ ...draft, plants: draft.plants.map(withFlow) });
  writeAddresses(document);
  document.commentBefore = HEADING.replace("DAY", day);
  for (const [at, plant] of draft.plants.entries()) explainPlant(document, plant, at, draft.board);
  for (const at of (draft.climate ?? []).keys()) flow(document, ["climate", at]);
  for (const at of (draft.inputs ?? []).keys()) flow(document, ["inputs", at]);
  if (draft.server)
    comment(document, ["server", "tls", "host"], "every address of this computer; calls need a token");
  return document.toString({ lineWidth: 0 });
}

const withFlow = (plant: DraftPlant) =>
  plant.pump ? { ...plant, pump: { flow_ml_per_s: GUESSED_FLOW, ...plant.pump } } : plant;

/** The schema's default, written out so that a person sees what calibration changes. */
const GUESSED_FLOW = 1.5;

function explainPlant(
  document: Document,
  { probe, pump, light, camera }: DraftPlant,
  at: number,
  board: Draft["board"],
): void {
  if (!probe) return;
  const path = ["plants", at];
  flow(document, [...path, "probe"]);
  if (board === "bench") return;
  comment(document, [...path, "probe"], 'not calibrated: "tendril calibrate moisture" measures dry and wet');
  if (pump) flow(document, [...path, "pump", "output"]);
  if (pump && pump.flow_ml_per_s === undefined)
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
  readonly active_low: boolean;
  readonly via: "led";
  readonly led: string;
}

export interface DraftPlant {
  readonly id: string;
  readonly name?: string | undefined;
  readonly species?: string | undefined;
  /** Undefined: simulated. */
  readonly probe?: {
    readonly chip: "seesaw" | "ads1115";
    readonly address: number;
    readonly channel?: number;
  };
  readonly pump?: { readonly flow_ml_per_s?: number; readonly output: DraftRelay };
  readonly light?: { readonly output: DraftRelay };
  readonly camera?: DraftCamera;
}

export type DraftCamera =
  | { readonly program: "rpicam-still" | "libcamera-still"; readonly index: number }
  | { readonly program: "fswebcam"; readonly device: string };

export interface DraftInput {
  readonly kind: "stop" | "leak" | "tank";
  readonly name: string;
  readonly gpio: number;
  readonly active_low: boolean;
}

/** The keys of a configuration that setup writes, in their order. */
export interface Draft {
  readonly board: "pi" | "bench";
  readonly i2c_bus?: number;
  readonly plants: readonly DraftPlant[];
  readonly climate?: readonly {
    readonly place: string;
    readonly chip: RoomChipName;
    readonly address: number;
  }[];
  readonly inputs?: readonly DraftInput[];
  readonly interlock?: { readonly via: "serial"; readonly port: string };
  readonly server?: object;
}

/** A missing or impossible answer. `key`: its place in a file of answers. */
export interface Problem {
  readonly key: string;
  readonly what: string;
}
