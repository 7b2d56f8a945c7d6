import { join } from "node:path";
import { boardModel, type Machine } from "../../../drivers/pi/inspect/machine.js";
import { freeBytes } from "../../store/free-space.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export const boardChecks = (installation: Installation): Check[] => [
  { name: "board", run: () => board(installation) },
  { name: "power", run: () => power(installation.machine) },
  { name: "temperature", run: () => temperature(installation.machine) },
  { name: "clock", run: () => clock(installation) },
  { name: "board watchdog", run: () => watchdog(installation) },
];

function board({ machine, config }: Installation): Finding {
  const model = boardModel(machine);
  if (model) return ok(model);
  if (config?.board === "pi")
    return failure(
      "this is not a Raspberry Pi, but the configuration says board: pi",
      "run it on the Pi, or with --bench",
    );
  return skipped("not a Raspberry Pi: the bench needs none");
}

/** Bits of get_throttled [vcgencmd(1)]. */
const UNDER_VOLTAGE_NOW = 1;
const UNDER_VOLTAGE_SEEN = 1 << 16;
const BETTER_SUPPLY = "use the board's own supply and a short, thick cable; pumps need their own supply";

function power(machine: Machine): Finding {
  const bits = throttled(machine);
  if (bits === undefined) return byVoltageAlarm(machine);
  if (bits & UNDER_VOLTAGE_NOW) return failure("the supply's voltage is too low right now", BETTER_SUPPLY);
  if (bits & UNDER_VOLTAGE_SEEN)
    return warning("the supply's voltage was too low since the start", BETTER_SUPPLY);
  return ok("the supply's voltage has been high enough since the start");
}

/** /sys/devices/platform/soc/soc:firmware/get_throttled; a Pi 5 has its address in these names [raspberrypi/linux, raspberrypi.c]. */
function throttled(machine: Machine): number | undefined {
  const platform = "/sys/devices/platform";
  const folders = machine.names(platform).filter((name) => name.startsWith("soc"));
  const files = folders.flatMap((soc) =>
    machine.names(`${platform}/${soc}`).map((part) => `${platform}/${soc}/${part}/get_throttled`),
  );
  const text = files.map((file) => machine.text(file)).find((each) => each !== undefined);
  return text === undefined ? undefined : Number.parseInt(text, 16);
}

/** The same by the hwmon driver `rpi_volt`, which knows only the present. */
function byVoltageAlarm(machine: Machine): Finding {
  const sensors = machine.names("/sys/class/hwmon").map((name) => `/sys/class/hwmon/${name}`);
  const sensor = sensors.find((folder) => machine.text(`${folder}/name`) === "rpi_volt");
  if (sensor === undefined) return skipped("this computer does not measure its supply");
  const isLow = machine.text(`${sensor}/in0_lcrit_alarm`) === "1";
  return isLow
    ? failure("the supply's voltage is too low right now", BETTER_SUPPLY)
    : ok("no under-voltage right now");
}

/** From 80 °C on a Pi slows down [Raspberry Pi documentation, "Frequency management and thermal control"]. */
const HOT = 80;

function temperature(machine: Machine): Finding {
  const milli = machine.text("/sys/class/thermal/thermal_zone0/temp");
  if (milli === undefined) return skipped("no sensor");
  const found = `${(Number(milli) / 1000).toFixed(0)} °C`;
  return Number(milli) / 1000 >= HOT
    ? warning(found, "give it air, a heat sink or a fan; keep it away from the lamp")
    : ok(found);
}

/** By the runtime's own test (drivers/clock/system-clock.ts), which only systemd-timesyncd passes. */
function clock({ clock, machine }: Installation): Finding {
  const rtc = machine.text("/sys/class/rtc/rtc0/name");
  const beside = rtc === undefined ? "without a battery-backed clock" : `with ${rtc}`;
  if (clock.synchronised()) return ok(`synchronised since the start, ${beside}`);
  const mend =
    "sudo timedatectl set-ntp true, and check timedatectl timesync-status; other NTP programs are not supported";
  return warning(`not synchronised, ${beside}: after a reboot no time counts as passed`, mend);
}

function watchdog({ machine }: Installation): Finding {
  const folder = "/sys/class/watchdog/watchdog0";
  if (!machine.has(folder)) return missingWatchdog(machine);
  if (machine.text(`${folder}/state`) === "active")
    return ok(`${machine.text(`${folder}/identity`)}, fed by systemd`);
  return warning(
    "it is not fed: a kernel that hangs will not restart",
    "RuntimeWatchdogSec=14s in /etc/systemd/system.conf.d, as in the package",
  );
}

const missingWatchdog = (machine: Machine): Finding =>
  boardModel(machine)
    ? warning("there is none", "dtparam=watchdog=on in config.txt, then reboot")
    : skipped("not a Raspberry Pi");

export const diskChecks = ({ machine, state }: Installation): Check[] => [
  { name: "disk space", run: () => space(state) },
  { name: "disk errors", run: () => errors(machine) },
  { name: "disk wear", run: () => wear(machine) },
];

/** Choices: a day's journals and readings take some megabytes, a picture some 300 kB, an update some hundred megabytes. */
const TOO_LITTLE = 50e6;
const LITTLE = 500e6;

async function space(state: string): Promise<Finding> {
  const free = await freeBytes(state).catch(() => freeBytes("."));
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  if (free < TOO_LITTLE)
    return failure(found, "free some space: without it nothing is recorded, and no water flows");
  return free < LITTLE
    ? warning(found, "free some space; photos.keep_megabytes limits the pictures")
    : ok(found);
}

/** Whether the kernel has made / read-only after an error, and ext4's count of errors since formatting. */
function errors(machine: Machine): Finding {
  if (isRootReadOnly(machine))
    return failure("/ is mounted read-only", "sudo dmesg shows why; replace a card that does this");
  const counts = machine.names("/sys/fs/ext4").flatMap((disk) => countOf(machine, disk));
  if (counts.length === 0) return skipped("the file system does not count them");
  const bad = counts.filter(({ count }) => count > 0);
  if (bad.length === 0) return ok(`none counted by ext4 on ${counts.map(({ disk }) => disk).join(", ")}`);
  const found = bad.map(({ disk, count }) => `${count} on ${disk}`).join(", ");
  return failure(`errors counted by ext4: ${found}`, "save /var/lib/tendril, then replace the card");
}

/**
 * By the options of the file system. Those of the mount are read-only for the service's own processes (ProtectSystem=), and the
 * page's doctor is one.
 */
const isRootReadOnly = (machine: Machine): boolean =>
  machine.mounts().some(({ at, options }) => at === "/" && options.includes("ro"));

function countOf(machine: Machine, disk: string): { disk: string; count: number }[] {
  const count = machine.text(`/sys/fs/ext4/${disk}/errors_count`);
  return count === undefined ? [] : [{ disk, count: Number(count) }];
}

/** For eMMC: used tenths of its life, and the state of its reserve [JESD84-B51, EXT_CSD 267 to 269]. */
function wear(machine: Machine): Finding {
  const cards = machine.names("/sys/block").filter((name) => /^mmcblk\d+$/.test(name));
  const tells = cards.find((card) => machine.has(join("/sys/block", card, "device/life_time")));
  if (tells === undefined)
    return skipped(
      cards.length > 0 ? "SD cards do not tell: keep a backup and a spare card" : "no card found",
    );
  const read = (name: string) => machine.text(join("/sys/block", tells, "device", name)) ?? "";
  const tenths = Math.max(...read("life_time").split(/\s+/).map(Number));
  const found = `${tells}: at most ${tenths * 10} % of its life is used`;
  if (read("pre_eol_info") === "0x03" || tenths > 10) return failure(found, "replace it now");
  return tenths > 8 || read("pre_eol_info") === "0x02" ? warning(found, "have a spare ready") : ok(found);
}
