import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

interface Mount {
  readonly at: string;
  /** The kind of its file system, and that one's own options: not those of this mount. */
  readonly kind: string;
  readonly options: readonly string[];
}

/**
 * The files that describe a computer, below a folder that stands for its root: "/", or a recorded tree. It only reads.
 * A file that cannot be read counts as absent.
 */
export class Machine {
  constructor(readonly root = "/") {}

  /** Where a file of this computer really is. */
  path(file: string): string {
    return join(this.root, file);
  }

  has(file: string): boolean {
    return attempt(() => statSync(this.path(file))) !== undefined;
  }

  bytes(file: string): Buffer | undefined {
    return attempt(() => readFileSync(this.path(file)));
  }

  /** Without what surrounds it, and without the NUL at the end of the device tree's strings. */
  text(file: string): string | undefined {
    return this.bytes(file)?.toString("utf8").replaceAll("\0", "").trim();
  }

  /** Sorted; numbers by their value, so that i2c-10 comes after i2c-2. */
  names(folder: string): readonly string[] {
    const names = attempt(() => readdirSync(this.path(folder))) ?? [];
    return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  /** What is mounted where, in order: of two at one place the later one hides the other [proc_pid_mountinfo(5)]. */
  mounts(): readonly Mount[] {
    return (this.text("/proc/self/mountinfo") ?? "").split("\n").map((line) => {
      const [mount = "", system = ""] = line.split(" - ");
      const [kind = "", , options = ""] = system.split(" ");
      return { at: (mount.split(" ")[4] ?? "").replaceAll("\\040", " "), kind, options: options.split(",") };
    });
  }

  /** What a symbolic link says, as it stands there. */
  link(file: string): string | undefined {
    return attempt(() => readlinkSync(this.path(file)));
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // not there, or root's alone: nothing can be said of it either way
  }
}

interface Said {
  /** Its standard output, then its standard error. */
  readonly said: string;
  /** Undefined where it could not be started, or was ended. */
  readonly status: number | undefined;
}

export type RunProgram = (file: string, args: readonly string[]) => Promise<Said>;

/** A choice: rpicam-still looks for cameras in a second or two on the slowest Pi; systemctl and the like answer at once. */
const PATIENCE_MS = 15_000;
/** Nothing of ours; messages in English. */
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" };

/** Runs a program of the system without a shell, and never rejects. */
export const runProgram: RunProgram = (file, args) =>
  new Promise((resolve) => {
    const options = { env: ENVIRONMENT, timeout: PATIENCE_MS, killSignal: "SIGKILL" as const, cwd: "/" };
    execFile(file, args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      resolve({ said: `${stdout}${stderr}`, status: typeof status === "number" ? status : undefined });
    });
  });

export interface OperatingSystem {
  /** "Debian GNU/Linux 12 (bookworm)". */
  readonly name: string;
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
  return {
    name: fields.get("PRETTY_NAME") ?? "an unknown system",
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
  return groupLines(machine)
    .filter(([, , id, members = ""]) => id === own || members.split(",").includes(user))
    .map(([name = ""]) => name);
}

/** The number of a group; undefined where there is none of that name. */
export function groupId(machine: Machine, group: string): number | undefined {
  const id = groupLines(machine).find(([name]) => name === group)?.[2];
  return id === undefined ? undefined : Number(id);
}

const groupLines = (machine: Machine): string[][] =>
  (machine.text("/etc/group") ?? "").split("\n").map((line) => line.split(":"));

/** "Raspberry Pi 4 Model B Rev 1.4", as the device tree has it. Undefined on what is no Raspberry Pi. */
export function boardModel(machine: Machine): string | undefined {
  const name = machine.text("/proc/device-tree/model");
  return name?.startsWith("Raspberry Pi") ? name : undefined;
}

/** Pages of memory that the kernel has, in MB of 10⁶ bytes; a little less than what is soldered on. */
export function memoryMegabytes(machine: Machine): number | undefined {
  const kibibytes = /^MemTotal:\s*(\d+) kB/m.exec(machine.text("/proc/meminfo") ?? "")?.[1];
  return kibibytes === undefined ? undefined : Math.round((Number(kibibytes) * 1024) / 1e6);
}
