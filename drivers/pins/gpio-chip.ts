import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DriverError } from "../errors.js";

const SYSFS_GPIO = "/sys/class/gpio";
/**
 * The chips that the header's pins belong to: of Pi 0 to 3, of Pi 4, of Pi 5 [raspberrypi/linux, drivers/pinctrl/bcm/
 * pinctrl-bcm2835.c and drivers/pinctrl/pinctrl-rp1.c].
 */
const HEADER_CHIPS = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"];
/** BCM numbers of the 40-pin header. */
const HEADER_LINES = 28;

/**
 * The kernel's own number of a BCM number. Kernels from 6.6 on no longer count from 0 (512 on most, 569 or 571 on a
 * Pi 5): whoever exports the BCM number itself gets EINVAL. Throws PIN_UNKNOWN or GPIO_MISSING.
 */
export function globalNumber(bcm: number, root = SYSFS_GPIO): number {
  if (!Number.isInteger(bcm) || bcm < 0 || bcm >= HEADER_LINES)
    throw new DriverError("PIN_UNKNOWN", `there is no GPIO ${bcm} on the header`);
  return headerBase(root) + bcm;
}

function headerBase(root: string): number {
  const chips = chipsIn(root);
  const chip = chips.find(({ label }) => HEADER_CHIPS.includes(label));
  if (chip) return chip.base;
  const found = chips.map(({ label }) => label).join(", ") || "no GPIO chip at all";
  throw new DriverError("GPIO_MISSING", `${root} shows no chip of a Raspberry Pi's header (${found})`);
}

function chipsIn(root: string) {
  const read = (chip: string, file: string) => readFileSync(join(root, chip, file), "latin1").trim();
  return namesIn(root)
    .filter((name) => name.startsWith("gpiochip"))
    .map((chip) => ({ label: read(chip, "label"), base: Number(read(chip, "base")) }));
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch (cause) {
    throw new DriverError("GPIO_MISSING", `${root} cannot be read`, { cause });
  }
}
