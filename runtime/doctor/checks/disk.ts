import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "../../../drivers/pi/inspect/machine.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export const diskChecks = ({ machine, state }: Patient): Check[] => [
  { name: "disk space", run: () => space(state) },
  { name: "disk errors", run: () => errors(machine) },
  { name: "disk wear", run: () => wear(machine) },
];

/** Choices: a day's journals and readings are some megabytes, a picture some 300 kB, an update some hundred megabytes. */
const TOO_LITTLE = 50e6;
const LITTLE = 500e6;

async function space(state: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(state).catch(() => statfs("."));
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  if (free < TOO_LITTLE)
    return failure(found, "make room: without it nothing is recorded, and no water flows");
  return free < LITTLE
    ? warning(found, "make room; photos.keep_megabytes says how much the pictures may take")
    : ok(found);
}

/** Mounted read-only by the kernel after an error, and what ext4 counts of errors since the card was formatted. */
function errors(machine: Machine): Finding {
  const mounts = (machine.text("/proc/mounts") ?? "").split("\n").map((line) => line.split(" "));
  const root = mounts.findLast(([, folder]) => folder === "/");
  if (root?.[3]?.split(",").includes("ro"))
    return failure("/ is mounted read-only", "sudo dmesg says why; a card that does so is to be replaced");
  const counts = machine.names("/sys/fs/ext4").flatMap((disk) => countOf(machine, disk));
  if (counts.length === 0) return skipped("the file system does not count them");
  const bad = counts.filter(({ count }) => count > 0);
  if (bad.length === 0) return ok(`none counted by ext4 on ${counts.map(({ disk }) => disk).join(", ")}`);
  const found = bad.map(({ disk, count }) => `${count} on ${disk}`).join(", ");
  return failure(`errors counted by ext4: ${found}`, "save /var/lib/tendril, then replace the card");
}

function countOf(machine: Machine, disk: string): { disk: string; count: number }[] {
  const count = machine.text(`/sys/fs/ext4/${disk}/errors_count`);
  return count === undefined ? [] : [{ disk, count: Number(count) }];
}

/** Of eMMC: used-up tenths of its life, and the state of its reserve [JESD84-B51, EXT_CSD 267 to 269]. */
function wear(machine: Machine): Finding {
  const cards = machine.names("/sys/block").filter((name) => /^mmcblk\d+$/.test(name));
  const tells = cards.find((card) => machine.has(join("/sys/block", card, "device/life_time")));
  if (tells === undefined)
    return skipped(
      cards.length > 0 ? "SD cards do not say: keep a backup, and a spare card" : "no card in sight",
    );
  const read = (name: string) => machine.text(join("/sys/block", tells, "device", name)) ?? "";
  const tenths = Math.max(...read("life_time").split(/\s+/).map(Number));
  const found = `${tells}: at most ${tenths * 10} % of its life is used`;
  if (read("pre_eol_info") === "0x03" || tenths > 10) return failure(found, "replace it now");
  return tenths > 8 || read("pre_eol_info") === "0x02" ? warning(found, "have a spare ready") : ok(found);
}
