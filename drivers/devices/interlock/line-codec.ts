import { type Millis, millis } from "../../units.js";
import { crc16 } from "./crc16.js";
import type { InterlockLimits, InterlockStatus } from "./device.js";
import { faultsIn, type Refusal, refusalOf } from "./faults.js";

/** What the host says (firmware/PROTOCOL.md). */
export type HostLine =
  | { readonly type: "Q" | "I" | "X" | "p" | "l" }
  | { readonly type: "H" | "C"; readonly token: number }
  | {
      readonly type: "P" | "L";
      readonly token: number;
      /** 0 to FFFF. */
      readonly order: number;
      readonly duration: Millis;
    };

/** What the interlock answers. */
export type Answer = StatusLine | LimitsLine;

export interface StatusLine {
  readonly type: "S";
  readonly status: InterlockStatus;
  /** Of the line that is answered. */
  readonly refusal: Refusal;
  readonly token: number;
}

export interface LimitsLine {
  readonly type: "V";
  readonly limits: InterlockLimits;
}

/** Longest line that either side takes, from `:` to the character before the line's end. */
export const LONGEST_LINE = 96;

/** The token that the next line must carry: one step of the Galois LFSR with the mask A3000000. */
export const nextToken = (token: number): number =>
  (token & 1 ? (token >>> 1) ^ 0xa3000000 : token >>> 1) >>> 0;

/** As it is sent, from `:` to the line's end. Throws a RangeError for a number that its field cannot hold. */
export function encodeLine(line: HostLine): string {
  const said = line.type + fieldsOf(line);
  return `:${said}${hex(crc16(said), 4)}\n`;
}

function fieldsOf(line: HostLine): string {
  if (!("token" in line)) return "";
  const token = hex(line.token, 8);
  return "order" in line ? token + hex(line.order, 4) + hex(line.duration, 8) : token;
}

function hex(value: number, digits: number): string {
  if (!Number.isInteger(value) || value < 0 || value >= 16 ** digits)
    throw new RangeError(`${value} is no whole number of ${digits} hexadecimal digits`);
  return value.toString(16).toUpperCase().padStart(digits, "0");
}

/** Widths of the fields, in order. */
const STATUS = [2, 4, 2, 8, 4, 8, 8, 8, 8, 4, 8, 8];
const LIMITS = [2, 4, ...Array<number>(9).fill(8)];

/** What stands between `:` and the line's end; undefined for whatever is not exactly an answer. */
export function decodeAnswer(line: string): Answer | undefined {
  const said = line.slice(0, -4);
  if (!/^[SV][0-9A-F]+$/.test(line) || hex(crc16(said), 4) !== line.slice(-4)) return undefined;
  return said.startsWith("S") ? statusOf(numbers(said, STATUS)) : limitsOf(numbers(said, LIMITS));
}

function numbers(said: string, widths: readonly number[]): number[] | undefined {
  if (said.length !== 1 + sum(widths)) return undefined;
  const ends = widths.map((_, n) => 1 + sum(widths.slice(0, n + 1)));
  return widths.map((width, n) => Number.parseInt(said.slice((ends[n] ?? 0) - width, ends[n]), 16));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function statusOf(fields: number[] | undefined): StatusLine | undefined {
  if (!fields) return undefined;
  const [flags = 0, faults = 0, refusal = 0, token = 0, ...rest] = fields;
  return { type: "S", status: bothChannels(flags, faults, rest), refusal: refusalOf(refusal), token };
}

function bothChannels(flags: number, faults: number, fields: readonly number[]): InterlockStatus {
  const [pumpOrder = 0, on = 0, live = 0, rest = 0, budget = 0, ...light] = fields;
  const [lightOrder = 0, lightOn = 0, lightRest = 0] = light;
  return {
    closed: { pump: (flags & 0x01) > 0, light: (flags & 0x02) > 0 },
    live: { pump: (flags & 0x04) > 0, light: (flags & 0x08) > 0 },
    stopPressed: (flags & 0x10) > 0,
    faults: faultsIn(faults),
    order: { pump: pumpOrder, light: lightOrder },
    on: { pump: millis(on), light: millis(lightOn) },
    pumpLive: millis(live),
    rest: { pump: millis(rest), light: millis(lightRest) },
    budgetLeft: millis(budget),
  };
}

function limitsOf(fields: number[] | undefined): LimitsLine | undefined {
  if (!fields) return undefined;
  const [protocol = 0, firmware = 0, ...times] = fields;
  const [maxGap = 0, pumpCut = 0, pumpRest = 0, lightCut = 0, lightRest = 0, ...others] = times.map(millis);
  const [pumpHeartbeat = 0, lightHeartbeat = 0, feedback = 0, budget = 0] = others;
  const limits = { maxGap, pumpCut, pumpRest, lightCut, lightRest, pumpHeartbeat, lightHeartbeat, feedback };
  return { type: "V", limits: { protocol, firmware, ...limits, budget } as InterlockLimits };
}
