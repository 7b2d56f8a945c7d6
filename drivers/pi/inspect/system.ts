import type { Machine } from "./machine.js";

export interface OperatingSystem {
  /** "Debian GNU/Linux 12 (bookworm)". */
  readonly name: string;
  /** "bookworm"; undefined where the system does not say. */
  readonly codename?: string;
  /** Raspberry Pi's own make of Debian, which has its kernel, its firmware's tools and its groups. */
  readonly isRaspberryPiOs: boolean;
  /** Of the kernel: "6.12.47+rpt-rpi-v8". */
  readonly kernel: string;
  /** Of this program, which is the user land's. */
  readonly bits: 32 | 64;
}

/** Architectures of Node on which an address has 64 bits (process.arch). */
const WIDE = ["arm64", "x64", "riscv64", "ppc64", "s390x", "loong64"];

/** What /etc/os-release says [os-release(5)]; Raspberry Pi OS of 64 bits calls itself Debian, and has a file of its own. */
export function operatingSystem(machine: Machine, arch: string = process.arch): OperatingSystem {
  const fields = osRelease(machine.text("/etc/os-release") ?? "");
  const codename = fields.get("VERSION_CODENAME");
  return {
    name: fields.get("PRETTY_NAME") ?? "an unknown system",
    ...(codename !== undefined && { codename }),
    isRaspberryPiOs: fields.get("ID") === "raspbian" || machine.has("/etc/rpi-issue"),
    kernel: machine.text("/proc/sys/kernel/osrelease") ?? "unknown",
    bits: WIDE.includes(arch) ? 64 : 32,
  };
}

const osRelease = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^([A-Z_]+)="?(.*?)"?$/gm)].map(([, key = "", value = ""]) => [key, value] as const),
  );

/** Names of the groups that a user is in, by /etc/group and by the user's own group. */
export function groupsOf(machine: Machine, user: string): readonly string[] {
  const own = machine.text("/etc/passwd")?.match(new RegExp(`^${user}:[^:]*:\\d+:(\\d+):`, "m"))?.[1];
  const lines = (machine.text("/etc/group") ?? "").split("\n").map((line) => line.split(":"));
  return lines
    .filter(([, , id, members = ""]) => id === own || members.split(",").includes(user))
    .map(([name = ""]) => name);
}

/** The number of a group; undefined where there is none of that name. */
export function groupId(machine: Machine, group: string): number | undefined {
  const lines = (machine.text("/etc/group") ?? "").split("\n").map((line) => line.split(":"));
  const id = lines.find(([name]) => name === group)?.[2];
  return id === undefined ? undefined : Number(id);
}
