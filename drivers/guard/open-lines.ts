import { createServer } from "node:net";
import { DriverError } from "../errors.js";
import type { InputKind } from "../inputs.js";
import type { DebounceTimes } from "../pins/debounce.js";
import { LedLine } from "../pins/led-line.js";
import { exportLine, loadOnoff, pinReason, SysfsInput, SysfsLine } from "../pins/sysfs-lines.js";
import type { Clock } from "../ports.js";
import { hasCode } from "../system-error.js";
import { millis, seconds } from "../units.js";
import type { GuardParts } from "./guard.js";
import type { GuardPlan, InputPlan, LinePlan, OutputPlan } from "./protocol.js";
import type { RelayLine } from "./relay.js";

type Parts = Pick<GuardParts, "outputs" | "inputs">;

/**
 * Choices: a contact bounces for some milliseconds, a person presses for tenths of seconds; drops come and go, and a
 * float rocks on the waves.
 */
const STEADY: Readonly<Record<InputKind, DebounceTimes>> = {
  stop: { trip: millis(10), release: millis(500) },
  leak: { trip: millis(200), release: seconds(5) },
  tank: { trip: seconds(1), release: seconds(5) },
};

/** Opens the relays, off; then the inputs. Rejects with PIN_FAILED and PACKAGE_UNAVAILABLE. */
export async function openParts(plan: GuardPlan, clock: Clock): Promise<Parts> {
  const outputs: GuardParts["outputs"][number][] = [];
  for (const output of plan.outputs) outputs.push({ ...output, line: await openOutput(output, clock) });
  const inputs: GuardParts["inputs"][number][] = [];
  for (const input of plan.inputs) inputs.push({ ...input, pin: await openInput(input, clock) });
  return { outputs, inputs };
}

const openOutput = ({ name, line }: OutputPlan, clock: Clock): Promise<RelayLine> =>
  opened(name, () => openLine(line, clock));

const openInput = ({ name, kind, number, activeLow }: InputPlan, clock: Clock) =>
  opened(name, async () => {
    const onoff = await loadOnoff();
    await exportLine(number, clock);
    return new SysfsInput(onoff, number, activeLow, STEADY[kind], clock);
  });

async function openLine(line: LinePlan, clock: Clock): Promise<RelayLine> {
  if (line.via === "led") return LedLine.open(line.path, clock);
  if (line.via === "sysfs") return openSysfsLine(line, clock);
  const { loadPigpio, openPigpioLine } = await import("../pins/pigpio-line.js");
  return openPigpioLine(loadPigpio(), line);
}

async function openSysfsLine({ number, activeLow }: LinePlan & { via: "sysfs" }, clock: Clock) {
  const onoff = await loadOnoff();
  await exportLine(number, clock);
  return new SysfsLine(onoff, number, activeLow);
}

async function opened<T>(name: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof DriverError) throw cause;
    const reason = pinReason(cause);
    const facts = { part: name, during: "opening", reasons: [reason] } as const;
    throw new DriverError("PIN_FAILED", `${name} could not be opened (${reason})`, { cause, facts });
  }
}

/**
 * Claims every relay for this process, by a name in the kernel's abstract socket namespace [unix(7)]: it cannot be
 * taken twice, and is free again when the process is gone, however it went. Rejects with GUARD_BUSY.
 */
export async function claimLines({ outputs }: GuardPlan): Promise<void> {
  for (const { name, line } of outputs) await claim(name, line);
}

function claim(name: string, line: LinePlan): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer((visitor) => visitor.destroy());
    server.once("error", (cause) =>
      reject(
        hasCode(cause, "EADDRINUSE")
          ? new DriverError(
              "GUARD_BUSY",
              `another process drives the ${name}, perhaps a guard that still tries to switch it off`,
              { cause, facts: { part: name } },
            )
          : cause,
      ),
    );
    server.listen(`\0tendril-relay:${placeOf(line)}`, resolve).unref();
  });
}

const placeOf = (line: LinePlan): string =>
  line.via === "led" ? line.path : line.via === "sysfs" ? `gpio${line.number}` : `bcm${line.gpio}`;
