import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { TokenStore } from "../server/auth.js";
import type { Role } from "../services/tool.js";
import { makeState } from "./state.js";

/** Makes a token; a running runtime knows it within a second. */
export async function addToken(
  role: Role,
  name: string | undefined,
  { state }: { state: string },
): Promise<void> {
  await makeState(state);
  const tokens = await TokenStore.open(join(state, "tokens"), new SystemClock(), () => undefined);
  process.stdout.write(`${await tokens.add(role, name)}\n`);
}
