import { type Millis, millis } from "../../units.js";
import type { InterlockLimits, InterlockStatus } from "./device.js";

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

interface LimitsLine {
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

/** `line`: the text between `:` and the line's end. Undefined for anything that is not exactly an answer. */
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

/** The interlock's latched faults, by their bits (firmware/core/interlock.h). */
const FAULTS: readonly (readonly [number, string])[] = [
  [0x0001, "the pump met the interlock's longest time on"],
  [0x0002, "the light met the interlock's longest time on"],
  [0x0004, "no heartbeat while the pump ran"],
  [0x0008, "the pump was live although the interlock's contact was open"],
  [0x0010, "the light was live although the interlock's contact was open"],
  [0x0020, "the emergency stop was pressed"],
  [0x0040, "the interlock's clock or loop had a gap"],
  [0x0080, "the interlock's memory was damaged: only a reset helps"],
  [0x0100, "the interlock's watchdog restarted it"],
];

/** In words. A bit of a firmware that is newer than this table is a fault too. */
function faultsIn(bits: number): string[] {
  const known = FAULTS.filter(([bit]) => bits & bit).map(([, words]) => words);
  const rest = FAULTS.reduce((left, [bit]) => left & ~bit, bits);
  return rest ? [...known, `unknown fault ${rest.toString(16).toUpperCase()}`] : known;
}

/** Why the interlock did nothing about a line, by number (firmware/core/interlock.h). */
const REFUSALS = [
  "nothing",
  "fault",
  "heartbeat",
  "busy",
  "rest",
  "budget",
  "too long",
  "not idle",
  "token",
] as const;

export type Refusal = (typeof REFUSALS)[number] | "unknown";

const refusalOf = (number: number): Refusal => REFUSALS[number] ?? "unknown";

/** Bytes in, as they come; whole answers out. Whatever is no answer is dropped. */
export class LineReader {
  /** What has come since the last `:`; undefined while none has, or the line is longer than any may be. */
  private line: string | undefined;

  constructor(private readonly onAnswer: (answer: Answer) => void) {}

  push(bytes: Uint8Array): void {
    for (const character of Buffer.from(bytes).toString("latin1")) this.take(character);
  }

  private take(character: string): void {
    if (character === ":") this.line = "";
    else if (character === "\n") this.end();
    else if (this.line !== undefined) this.add(character);
  }

  private add(character: string): void {
    const line = this.line + character;
    this.line = line.length < LONGEST_LINE ? line : undefined;
  }

  private end(): void {
    const answer = this.line === undefined ? undefined : decodeAnswer(this.line.replace(/\r$/, ""));
    this.line = undefined;
    if (answer) this.onAnswer(answer);
  }
}

/** CRC-16/CCITT-FALSE: polynomial 1021, init FFFF, no reflection, no final xor. "123456789" gives 29B1. */
export function crc16(text: string): number {
  let crc = 0xffff;
  for (const character of Buffer.from(text, "latin1")) {
    crc ^= character << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc;
}
