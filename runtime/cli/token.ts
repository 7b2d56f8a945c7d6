import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { TokenStore } from "../server/auth.js";
import { listTokens } from "../server/token-files.js";
import type { Role } from "../wire/identity.js";
import { houseTimeFor } from "./config-file.js";
import { CommandError } from "./failure.js";
import { print } from "./print.js";
import { makeState } from "./state.js";

interface Where {
  readonly state: string;
}

const folderOf = ({ state }: Where): string => join(state, "tokens");

/** Makes a token; a running runtime knows it within a second. */
export async function addToken(role: Role, name: string | undefined, where: Where): Promise<void> {
  await makeState(where.state);
  const tokens = await TokenStore.open(folderOf(where), new SystemClock(), () => undefined);
  process.stdout.write(`${await tokens.add(role, name)}\n`);
}

/** Name and day of making, a line each. */
export async function showTokens(where: Where): Promise<void> {
  const names = await listTokens(folderOf(where));
  if (names.length === 0) return print(`no tokens yet: the first start makes them in ${folderOf(where)}`);
  const width = Math.max(...names.map((name) => name.length));
  const time = await houseTimeFor(where);
  for (const name of names) {
    const { mtime } = await stat(join(folderOf(where), name));
    print(`${name.padEnd(width)}  since ${time.day(mtime.getTime())}`);
  }
}

export async function revokeToken(name: string, where: Where): Promise<void> {
  const names = await listTokens(folderOf(where));
  if (!names.includes(name))
    throw new CommandError(`there is no token "${name}" among ${names.join(", ") || "none"}`);
  await rm(join(folderOf(where), name));
  print(`${name} is taken back; who is connected with it is cut off within half a minute`);
}
