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
export function faultsIn(bits: number): string[] {
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

export const refusalOf = (number: number): Refusal => REFUSALS[number] ?? "unknown";
