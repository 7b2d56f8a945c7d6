import type { BoardConfig } from "../board.js";
import { AwaitedInterlock } from "../devices/interlock/awaited-interlock.js";
import { Interlock } from "../devices/interlock/interlock.js";
import { interlockNeeds } from "../devices/interlock/needs.js";
import { InterlockPanel } from "../devices/interlock/panel.js";
import { openSerialLine } from "../devices/interlock/serial-line.js";
import type { Clock } from "../ports.js";

/** The interlock at its serial port, or the wait for it; undefined where none is configured. */
export async function openInterlock(config: BoardConfig, clock: Clock): Promise<InterlockPanel | undefined> {
  const port = config.interlock?.port;
  if (port === undefined) return undefined;
  const open = async () => Interlock.open(await openSerialLine(port, clock), clock);
  const device = await AwaitedInterlock.open(open, clock);
  const plants = config.plants.map(({ id }) => id);
  return new InterlockPanel({ device, needs: interlockNeeds(config.plants), plants, clock });
}
