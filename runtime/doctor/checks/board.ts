import type { Machine } from "../../../drivers/pi/inspect/machine.js";
import { boardModel } from "../../../drivers/pi/inspect/system.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export const boardChecks = (patient: Patient): Check[] => [
  { name: "board", run: () => board(patient) },
  { name: "power", run: () => power(patient.machine) },
  { name: "temperature", run: () => temperature(patient.machine) },
  { name: "clock", run: () => clock(patient) },
  { name: "board watchdog", run: () => watchdog(patient) },
];

function board({ machine, config }: Patient): Finding {
  const model = boardModel(machine);
  if (model) return ok(model.name);
  if (config?.board === "pi")
    return failure(
      "this is no Raspberry Pi, and the configuration says board: pi",
      "run it on the Pi, or with --bench",
    );
  return skipped("no Raspberry Pi: the bench needs none");
}

/** Bits of get_throttled [vcgencmd(1)]. */
const UNDER_VOLTAGE_NOW = 1;
const UNDER_VOLTAGE_SEEN = 1 << 16;
const BETTER_SUPPLY = "use the board's own supply and a short, thick cable; pumps get a supply of their own";

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

/** The same by the hwmon driver `rpi_volt`, which knows of now and of nothing before. */
function byVoltageAlarm(machine: Machine): Finding {
  const sensors = machine.names("/sys/class/hwmon").map((name) => `/sys/class/hwmon/${name}`);
  const sensor = sensors.find((folder) => machine.text(`${folder}/name`) === "rpi_volt");
  if (sensor === undefined) return skipped("this computer does not tell of its supply");
  const isLow = machine.text(`${sensor}/in0_lcrit_alarm`) === "1";
  return isLow
    ? failure("the supply's voltage is too low right now", BETTER_SUPPLY)
    : ok("no under-voltage right now");
}

/** From 80 °C on a Pi runs slower by itself [Raspberry Pi documentation, "Frequency management and thermal control"]. */
const HOT = 80;

function temperature(machine: Machine): Finding {
  const milli = machine.text("/sys/class/thermal/thermal_zone0/temp");
  if (milli === undefined) return skipped("no sensor");
  const found = `${(Number(milli) / 1000).toFixed(0)} °C`;
  return Number(milli) / 1000 >= HOT
    ? warning(found, "give it air, a heat sink or a fan; not beside the lamp")
    : ok(found);
}

/** By the runtime's own judgement (drivers/clock/system-clock.ts), which only systemd-timesyncd can satisfy. */
function clock({ clock, machine }: Patient): Finding {
  const rtc = machine.text("/sys/class/rtc/rtc0/name");
  const beside = rtc === undefined ? "no clock of its own through a power cut" : `with ${rtc}`;
  if (clock.synchronised()) return ok(`synchronised since the start, ${beside}`);
  const mend =
    "sudo timedatectl set-ntp true, and look at timedatectl timesync-status; another NTP program is not believed";
  return warning(`not synchronised, ${beside}: after a reboot no time counts as passed`, mend);
}

function watchdog({ machine }: Patient): Finding {
  const folder = "/sys/class/watchdog/watchdog0";
  if (!machine.has(folder)) return missingWatchdog(machine);
  if (machine.text(`${folder}/state`) === "active")
    return ok(`${machine.text(`${folder}/identity`)}, fed by systemd`);
  return warning(
    "nobody feeds it: a kernel that hangs stays so",
    "RuntimeWatchdogSec=14s in /etc/systemd/system.conf.d, as the package brings it",
  );
}

const missingWatchdog = (machine: Machine): Finding =>
  boardModel(machine)
    ? warning("there is none", "dtparam=watchdog=on in config.txt, then reboot")
    : skipped("no Raspberry Pi");
