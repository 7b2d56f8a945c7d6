import { hasCode } from "../system-error.js";

/** Why a pin could not be had: the two that people meet while they wire up, in their words; anything else as the system says it. */
export function pinReason(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  if (hasCode(cause, "EBUSY")) return "EBUSY: its pin is taken, by an overlay or another program";
  if (hasCode(cause, "EACCES")) return `${said}; docs/hardware.md has the groups and the udev rule`;
  return said;
}
