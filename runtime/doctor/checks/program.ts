import { type Check, failure, failureOf, ok } from "../check.js";
import type { Installation } from "../installation.js";

/** package.json, "engines". */
const NODE = { least: [20, 17], below: 27 } as const;

export const programChecks = (installation: Installation): Check[] => [
  { name: "node", run: () => nodeVersion(process.versions.node) },
  { name: "native parts", run: () => nativeParts(installation) },
];

export function nodeVersion(version: string) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < NODE.least[0] || (major === NODE.least[0] && minor < NODE.least[1]);
  if (!isOld && major < NODE.below) return ok(`version ${version}`);
  return failure(`version ${version}`, `install Node ${NODE.least.join(".")} to ${NODE.below - 1}`);
}

type Part = readonly [name: string, load: () => Promise<unknown>];

async function nativeParts(installation: Installation) {
  const parts = partsOf(installation);
  for (const [name, load] of parts) {
    try {
      await load();
    } catch (error) {
      const { found } = failureOf(error);
      return failure(`${name} does not load: ${found}`, `npm rebuild ${name}, or install the package again`);
    }
  }
  return ok(parts.map(([name]) => name).join(", "));
}

function partsOf({ config }: Installation): Part[] {
  const isPi = config?.board === "pi";
  const isPlain = config?.plants.some(({ pump, light }) =>
    [pump.output, light?.output].some((output) => output?.i_accept_software_cutoff),
  );
  const needsPins = isPi && (isPlain || config.inputs.length > 0);
  return [
    ["sqlite3", loadSqlite],
    ...(isPi ? [["i2c-bus", loadI2c] as const] : []),
    ...(needsPins
      ? [["onoff", async () => (await import("../../../drivers/pins/sysfs-lines.js")).loadOnoff()] as const]
      : []),
    ...(config?.interlock.via === "serial" ? [["serialport", loadSerial] as const] : []),
  ];
}

async function loadSqlite(): Promise<void> {
  const { Database } = await import("../../store/database.js");
  await (await Database.open({ file: ":memory:", setup: [] })).close();
}

/** Opens no device before the first transfer. */
const loadI2c = async () => (await import("../../../drivers/buses/linux-i2c.js")).openWithPackage(1);

const loadSerial = async () =>
  (await import("../../../drivers/devices/interlock/serial-line.js")).loadSerialPort();
