import { hostname } from "node:os";
import { ownNames } from "../server/tls/material.js";
import type { Role } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import type { OpenCode, OpenedCode } from "../wire/pairing.js";
import { CommandError } from "./failure.js";
import { joined } from "./joined.js";
import { assertKnowsToken } from "./knows-token.js";
import { print } from "./print.js";
import { httpUrl } from "./remote.js";
import { runtimeUrl, token } from "./state.js";

interface PairOptions {
  readonly state: string;
  readonly role: Role;
  readonly name?: string;
  readonly list?: boolean;
  readonly cancel?: boolean;
}

/** Opens, shows or voids a pairing code of the runtime that runs on this state folder. */
export async function pair(options: PairOptions): Promise<void> {
  if (options.list) return list(options);
  if (options.cancel) return cancel(options);
  const { role, name } = options;
  const opened = await ask<OpenedCode>(options, "POST", { role, ...(name !== undefined && { name }) });
  print(shown(opened, role));
}

async function list(options: PairOptions): Promise<void> {
  const { open } = await ask<{ open: OpenCode | null }>(options, "GET");
  if (!open) return print("no code is open");
  const { role, expires_in_s, tries_left } = open;
  print(
    `a code for the role ${role} is open for another ${inMinutes(expires_in_s)}, ${tries_left} tries left`,
  );
}

async function cancel(options: PairOptions): Promise<void> {
  const { voided } = await ask<{ voided: boolean }>(options, "DELETE");
  print(voided ? "the code is void" : "no code was open");
}

function shown({ code, expires_in_s, tls }: OpenedCode, role: Role): string {
  const at = `${ownNames().at(-1) ?? hostname()}:${tls.port}`;
  const how =
    role === "agent"
      ? `tendril agent --discover --pair ${code}\nor, on another network:\n  tendril agent --url wss://${at}${PATHS.mcp} --pair ${code}`
      : `tendril join https://${at} ${code} --role ${role}`;
  const may = role === "human" ? ", which may do everything" : "";
  return `${code}\n\nWorks once, within ${inMinutes(expires_in_s)}, for the role ${role}${may}. On the other computer:\n  ${how}\nThis runtime's key, which that computer remembers: ${tls.pin}`;
}

const inMinutes = (seconds: number): string =>
  seconds > 90 ? `${Math.round(seconds / 60)} minutes` : `${seconds} s`;

/** On this machine alone, so without TLS. Throws a CommandError with the runtime's own words. */
async function ask<T>({ state }: PairOptions, method: string, body?: object): Promise<T> {
  const elsewhere = joined({ state });
  if (elsewhere)
    throw new CommandError(
      `commands with ${state} go to ${elsewhere.url}, and codes are made on a runtime's own machine: call it there`,
    );
  const url = new URL(PATHS.pairing, httpUrl(runtimeUrl({ state })));
  const own = token({ state });
  const headers = { Authorization: `Bearer ${own}` };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const exchange = assertKnowsToken(url.href, own).then(() => fetch(url, init));
  const answer = await exchange.catch((cause: unknown) => {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`nothing answers at ${url.origin}: is the runtime running? (${String(cause)})`);
  });
  const said = (await answer.json()) as T & { error?: { message: string } };
  if (answer.ok) return said;
  throw new CommandError(said.error?.message ?? `${url} answered ${answer.status}`);
}
