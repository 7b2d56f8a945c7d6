import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "./durable-file.js";

const named = z.strictObject({ version: z.literal(1), name: z.string().min(1) });

/**
 * By what an agent is told from others with its token, such as "attic-3f9a1c": the computer for people to read, and a
 * random part, since several may run there. Kept in its folder, so that a restart goes on caring. Throws the system's
 * error where the folder cannot be written.
 */
export function agentName(folder: string): string {
  const file = new DurableFile(join(folder, "agent.json"), named);
  const held = file.read();
  if (held.is === "value") return held.value.name;
  const name = `${hostname()}-${randomBytes(3).toString("hex")}`;
  file.write({ version: 1, name });
  return name;
}
