import { accessSync, constants } from "node:fs";
import { userInfo } from "node:os";
import type { OutputWiring } from "../../../drivers/board.js";
import { groupsOf, type Machine } from "../../../drivers/pi/inspect/machine.js";
import { boardConfig } from "../../config/schema.js";
import type { Config } from "../../configuration.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export const accessChecks = (installation: Installation): Check[] => [
  { name: "user and groups", run: () => groups(installation) },
  { name: "devices", run: () => devices(installation) },
];

function groups({ machine, isHere, config }: Installation): Finding {
  if (config?.board !== "pi") return skipped("no device is needed on the bench");
  if (!isHere) return skipped("another computer's");
  const { username } = userInfo();
  if (username === "root")
    return warning(
      "this is root, which may do everything: the check needs the service's user",
      "sudo -u tendril tendril doctor",
    );
  const has = groupsOf(machine, username);
  const wanted = groupsFor(config, machine);
  const missing = wanted.filter((group) => !has.includes(group));
  if (missing.length === 0) return ok(`${username} is in ${wanted.join(", ")}`);
  const mend = `sudo usermod -aG ${missing.join(",")} ${username}, then log in again`;
  return failure(`${username} is not in ${missing.join(", ")}`, mend);
}

function devices({ machine, config }: Installation): Finding {
  if (config?.board !== "pi") return skipped("none is needed on the bench");
  const wanted = devicesOf(config, machine);
  const missing = wanted.filter(({ file }) => !machine.has(file)).map(({ file }) => file);
  if (missing.length > 0)
    return failure(
      `${missing.join(", ")}: missing`,
      'see "config.txt" and the relays below; after a change there, reboot',
    );
  const closed = wanted.filter(({ file }) => !isOpen(machine.path(file)));
  if (closed.length === 0) return ok(wanted.map(({ file }) => file).join(", "));
  const found = `${closed.map(({ file }) => file).join(", ")}: may not be used`;
  return failure(
    found,
    `join the group ${closed[0]?.group}; the udev rule 60-tendril.rules gives LEDs to gpio`,
  );
}

function isOpen(file: string): boolean {
  try {
    accessSync(file, file.endsWith("/export") ? constants.W_OK : constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A device, and the group that may use it (systemd/udev/60-tendril.rules, and Raspberry Pi OS's rules). */
interface Device {
  readonly file: string;
  readonly group: string;
}

/** The devices that the runtime opens with this configuration, without ribbon cameras, which a system program opens. */
function devicesOf(config: Config, machine: Machine): readonly Device[] {
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

/** As `via: auto` chooses (drivers/pi/outputs.ts): a LED if there is one, a plain pin only if that is accepted. */
const isLed = ({ via, led, acceptSoftwareCutoff }: OutputWiring, machine: Machine): boolean =>
  via === "led" || (via === "auto" && (!acceptSoftwareCutoff || machine.has(`/sys/class/leds/${led}`)));

/** The groups that the runtime's user must be in. */
function groupsFor(config: Config, machine: Machine): readonly string[] {
  const groups = devicesOf(config, machine).map(({ group }) => group);
  const hasCamera = config.plants.some(({ camera }) => camera !== undefined);
  return [...new Set([...groups, ...(hasCamera ? ["video"] : [])])];
}
