import type { OutputWiring } from "../../drivers/board.js";
import type { Machine } from "../../drivers/pi/inspect/machine.js";
import { boardConfig } from "../config/board.js";
import type { Config } from "../configuration.js";

/** A device, and the group that may use it (systemd/udev/60-tendril.rules, and Raspberry Pi OS's own rules). */
export interface Device {
  readonly file: string;
  readonly group: string;
}

/** What the configuration makes the runtime open, but for cameras on the ribbon, which a program of the system finds. */
export function devicesOf(config: Config, machine: Machine): readonly Device[] {
  const { plants, inputs = [], i2cBus = 1, interlock } = boardConfig(config);
  const outputs = plants.flatMap(({ pump, light }) =>
    [pump.output, light?.output].filter((each) => each !== undefined),
  );
  const leds = outputs.filter((output) => isLed(output, machine));
  const cameras = plants.flatMap(({ camera }) => (camera && "device" in camera ? [camera.device] : []));
  return [
    { file: `/dev/i2c-${i2cBus}`, group: "i2c" },
    ...leds.map(({ led }) => ({ file: `/sys/class/leds/${led}/brightness`, group: "gpio" })),
    ...(inputs.length + outputs.length > leds.length
      ? [{ file: "/sys/class/gpio/export", group: "gpio" }]
      : []),
    ...[...new Set(cameras)].map((file) => ({ file, group: "video" })),
    ...(interlock?.port === undefined ? [] : [{ file: interlock.port, group: "dialout" }]),
  ];
}

/** As `via: auto` chooses (drivers/pi/outputs.ts): a LED where there is one, a plain pin only where that is accepted. */
const isLed = ({ via, led, acceptSoftwareCutoff }: OutputWiring, machine: Machine): boolean =>
  via === "led" || (via === "auto" && (!acceptSoftwareCutoff || machine.has(`/sys/class/leds/${led}`)));

/** The groups that the runtime's user must be in. */
export function groupsFor(config: Config, machine: Machine): readonly string[] {
  const groups = devicesOf(config, machine).map(({ group }) => group);
  const hasCamera = config.plants.some(({ camera }) => camera !== undefined);
  return [...new Set([...groups, ...(hasCamera ? ["video"] : [])])];
}
