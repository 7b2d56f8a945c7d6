import { createServer } from "node:net";
import { DriverError } from "../errors.js";
import { hasCode } from "../system-error.js";
import type { GuardPlan, LinePlan } from "./plan.js";

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
              { cause },
            )
          : cause,
      ),
    );
    server.listen(`\0tendril-relay:${placeOf(line)}`, resolve).unref();
  });
}

const placeOf = (line: LinePlan): string =>
  line.via === "led" ? line.path : line.via === "sysfs" ? `gpio${line.number}` : `bcm${line.gpio}`;
