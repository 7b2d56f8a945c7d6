import { looksFresh, looksOurs, REGISTER, swapBytes } from "../../chips/ads1115.js";
import { ID as BME280_ID, REGISTER as BME280_REGISTER, RELATIVES } from "../../chips/bme280.js";
import { Seesaw } from "../../chips/seesaw.js";
import type { InterlockDevice } from "../../devices/interlock/device.js";
import { Interlock } from "../../devices/interlock/interlock.js";
import { openSerialLine } from "../../devices/interlock/serial-line.js";
import { ROOM_CHIPS, type RoomChipName } from "../../devices/room-sensor.js";
import { closedAfter } from "../../durable-file.js";
import { DriverError } from "../../errors.js";
import type { Clock, I2cBus, SerialLine } from "../../ports.js";
import { hex } from "../../units.js";
import type { Machine } from "./machine.js";

/** Of the chips of soil probes. */
export const PROBE_ADDRESSES = {
  /** With the ADDR pin at GND, VDD, SDA, SCL [TI SBAS444, 9.5.1.1]. */
  ads1115: [0x48, 0x49, 0x4a, 0x4b],
  /** By the jumpers AD0 and AD1 [guide "Adafruit STEMMA Soil Sensor": Pinouts]. */
  seesaw: [0x36, 0x37, 0x38, 0x39],
} as const;

type ProbeChip = keyof typeof PROBE_ADDRESSES;
type ChipKind = ProbeChip | RoomChipName | "unknown";

export interface FoundChip {
  readonly address: number;
  readonly kind: ChipKind;
  /** What it answered, for messages. */
  readonly said: string;
}

/** Whether a soil probe can be behind it. */
export const isProbeChip = (chip: FoundChip): chip is FoundChip & { readonly kind: ProbeChip } =>
  chip.kind === "ads1115" || chip.kind === "seesaw";

export const isRoomChip = (chip: FoundChip): chip is FoundChip & { readonly kind: RoomChipName } =>
  Object.hasOwn(ROOM_CHIPS, chip.kind);

/**
 * Finds the chips at the addresses of soil probes and of rooms' sensors. It leaves other addresses alone: an unknown chip may take
 * a question for an order. Call it only while nothing else uses the bus. Rejects as the bus does, but not for silence.
 */
export async function findChips(bus: I2cBus, clock: Pick<Clock, "sleep">): Promise<readonly FoundChip[]> {
  const seesaws = await askEach(PROBE_ADDRESSES.seesaw, (address) => askSeesaw(bus, address, clock));
  const adcs = await findAdcs(bus);
  const bosch = await askEach(ROOM_CHIPS.bme280.addresses, (address) => askBosch(bus, address));
  const bh1750s = await askEach(ROOM_CHIPS.bh1750.addresses, (address) => askBh1750(bus, address));
  return [...seesaws, ...adcs, ...bosch, ...bh1750s];
}

/** Who answers at the addresses of an ADC alone. */
export const findAdcs = (bus: I2cBus): Promise<readonly FoundChip[]> =>
  askEach(PROBE_ADDRESSES.ads1115, (address) => askAdc(bus, address));

/** One after the other, without those that are silent. */
async function askEach(
  addresses: readonly number[],
  ask: (address: number) => Promise<FoundChip>,
): Promise<readonly FoundChip[]> {
  const found: FoundChip[] = [];
  for (const address of addresses) found.push(...(await unlessSilent(() => ask(address))));
  return found;
}

/**
 * Reads the config register, which starts nothing. A chip that has just got its supply says 0x8583, one that Tendril has used
 * is as Tendril leaves it; an ADS1015 cannot be told from an ADS1115 so.
 */
async function askAdc(bus: I2cBus, address: number): Promise<FoundChip> {
  const config = swapBytes(await bus.readWord(address, REGISTER.config));
  const kind = looksFresh(config) || looksOurs(config) ? "ads1115" : "unknown";
  return { address, kind, said: `config register ${hex(config, 4)}` };
}

/**
 * A byte first, which tells whether anybody is there and asks nothing of it. Then the hardware id, for which a seesaw must be
 * told a register: the fuel gauges that also live at 0x36 (MAX17040 and its like) have nothing at register 0 to be changed.
 */
async function askSeesaw(bus: I2cBus, address: number, clock: Pick<Clock, "sleep">): Promise<FoundChip> {
  await bus.read(address, 1);
  const isSeesaw = await new Seesaw(bus, address, clock).isSeesaw();
  return {
    address,
    kind: isSeesaw ? "seesaw" : "unknown",
    said: isSeesaw ? "hardware id of a seesaw" : "no hardware id of a seesaw",
  };
}

/** Reads the register `id`, which all of Bosch's sensors of the air have at the same place [BST-BME280-DS002, 5.4.1]. */
async function askBosch(bus: I2cBus, address: number): Promise<FoundChip> {
  const id = (await bus.readWord(address, BME280_REGISTER.id)) & 0xff;
  const kind = id === BME280_ID ? "bme280" : "unknown";
  const name = RELATIVES[id];
  return { address, kind, said: `id ${hex(id)}${name ? `, a ${name}` : ""}` };
}

/**
 * A BH1750 has no id, and each byte that it hears is a command. So it is only read, which changes nothing of it: the answer
 * tells that something is there, not what it is.
 */
async function askBh1750(bus: I2cBus, address: number): Promise<FoundChip> {
  await bus.read(address, 2);
  return { address, kind: "unknown", said: "perhaps a BH1750, which has no id" };
}

async function unlessSilent(ask: () => Promise<FoundChip>): Promise<FoundChip[]> {
  try {
    return [await ask()];
  } catch (error) {
    if (error instanceof DriverError && error.code === "BUS_NACK") return [];
    throw error;
  }
}

/**
 * Asks for an interlock at a serial port. This switches everything off there. Undefined without an answer. Call it only while
 * no runtime has the port. Rejects with INTERLOCK_PORT or PACKAGE_UNAVAILABLE.
 */
export async function askInterlock(
  port: string,
  clock: Clock,
  openLine: (port: string, clock: Clock) => Promise<SerialLine> = openSerialLine,
): Promise<InterlockDevice["latest"]> {
  return closedAfter(await Interlock.open(await openLine(port, clock), clock), async ({ latest }) => latest);
}

/** Serial ports where an interlock may be; none is opened. Names that stay the same after a restart come first. */
export function serialPorts(machine: Machine): readonly string[] {
  const byId = machine.names("/dev/serial/by-id").map((name) => `/dev/serial/by-id/${name}`);
  const plugged = machine.names("/dev").filter((name) => /^tty(USB|ACM)\d+$/.test(name));
  const own = machine.has("/dev/serial0") ? ["/dev/serial0"] : [];
  const devices = byId.length > 0 ? byId : plugged.map((name) => `/dev/${name}`);
  return [...devices, ...own];
}
