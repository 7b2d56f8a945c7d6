import { run } from "./toolchain.js";

/**
 * Names of the C++ library's versions, and the gcc whose library has them first:
 * https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
 */
const GCC_OF: Record<string, string> = { "3.4.29": "11", "3.4.30": "12", "3.4.31": "13.1", "3.4.32": "13.2" };
/** No native of ours wants an older one: Raspberry Pi OS bookworm has 12. */
const LEAST_GCC = "11";

/** What the natives ask of the system's libraries, as a list of dependencies. */
export function librariesOf(natives: readonly string[]): string {
  const symbols = natives.map((file) => run("objdump", "-T", file)).join("\n");
  const libc = newest(symbols, /\bGLIBC_([0-9.]+)/g);
  const gcc = GCC_OF[newest(symbols, /\bGLIBCXX_([0-9.]+)/g)] ?? LEAST_GCC;
  return `libc6 (>= ${libc}), libgcc-s1, libstdc++6 (>= ${gcc})`;
}

function newest(text: string, pattern: RegExp): string {
  const found = [...new Set([...text.matchAll(pattern)].map(([, version = ""]) => version))];
  return found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "0";
}

interface ControlFields {
  readonly version: string;
  readonly architecture: string;
  /** Of what is installed, in KiB. */
  readonly size: number;
  readonly libraries: string;
}

export const controlFile = ({
  version,
  architecture,
  size,
  libraries,
}: ControlFields): string => `Package: tendril
Version: ${version}
Architecture: ${architecture}
Maintainer: The Tendril authors <maintainers@tendril.example>
Installed-Size: ${size}
Depends: ${libraries}, nodejs (>= 20.17), openssl, systemd (>= 252), udev
Suggests: rpicam-apps-core | fswebcam | ffmpeg, g++
Section: misc
Priority: optional
Description: waters plants under the direction of a language model, safely
 Tendril gives a language model hands to care for plants, and keeps those hands
 safe. It reads the soil, switches a pump and a grow light through a guard that
 ends every pulse by itself, and serves these as tools (MCP over WebSocket and
 HTTP) to an agent.
 .
 Meant for a Raspberry Pi of ARMv7 or later. On any other computer it runs with
 a simulated plant: tendril demo.
`;
