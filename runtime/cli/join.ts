import { hostname } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { replaceFile } from "../../drivers/durable-file.js";
import type { Role } from "../wire/identity.js";
import { sameText } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import {
  clientProof,
  grantBody,
  LONGEST_GRANT,
  newClaim,
  pairingCode,
  serverProof,
} from "../wire/pairing.js";
import { harmlessExcerpt, parseJson, refusalIn } from "../wire/refusal.js";
import { CommandError, WRONG_USE } from "./failure.js";
import { JOINED_FILE } from "./joined.js";
import { print } from "./print.js";
import { httpUrl } from "./remote.js";
import { admitted, exchange } from "./secure-fetch.js";
import { makeState } from "./state.js";

/** Pairs this computer with a runtime elsewhere, as docs/security.md has it, and keeps token and key in the state folder. */
export async function joinRuntime(
  given: string,
  typed: string,
  { state, role }: { state: string; role: Role },
): Promise<void> {
  const url = new URL(httpUrl(given));
  const code = codeIn(typed);
  if (url.protocol !== "https:")
    throw new CommandError(`${given}: must be https://, a token goes by TLS alone`, WRONG_USE);
  await makeState(state);
  const { token, name, pin } = await paired(url, code, role);
  const kept = { url: new URL(PATHS.mcp, url).href, pin, token };
  await replaceFile(join(state, JOINED_FILE), JSON.stringify(kept), 0o600);
  print(`joined ${url.host} as ${name}; commands with this state folder go there`);
}

function codeIn(typed: string): string {
  try {
    return pairingCode(typed);
  } catch (error) {
    throw new CommandError(`the code ${error instanceof Error ? error.message : error}`, WRONG_USE);
  }
}

async function paired(url: URL, code: string, role: Role) {
  const claim = newClaim(hostname(), role);
  const { text, pin } = await ask(url, (pin) =>
    JSON.stringify({ ...claim, proof: clientProof(code, pin, claim) }),
  ).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const { proof, ...granted } = grantedIn(text, url);
  if (!sameText(proof, serverProof(code, pin, claim, granted)))
    throw new CommandError(`what answers at ${url.origin} does not know the code`);
  return { ...granted, pin };
}

/** Whoever it is learns nothing, and is known by its proof. */
async function ask(url: URL, bodyFor: (pin: string) => string): Promise<{ text: string; pin: string }> {
  let pin = "";
  const socket = await admitted(url, (found) => {
    pin = found;
    return undefined;
  });
  const request = new Request(new URL(PATHS.pair, url), { method: "POST", body: bodyFor(pin) });
  return { text: await (await exchange(request, socket, LONGEST_GRANT)).text(), pin };
}

function unreachable({ origin }: URL, error: unknown): CommandError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("ERR_SSL"))
    return new CommandError(
      `${origin} does not speak TLS 1.3 (${code}): give the address that \`tendril pair\` shows`,
    );
  return new CommandError(`${origin} cannot be reached: ${error instanceof Error ? error.message : error}`);
}

/** Throws a CommandError with the runtime's words: few, and none that steer a terminal, since nobody has shown yet whose they are. */
function grantedIn(text: string, { origin }: URL): z.output<typeof grantBody> {
  const read = grantBody.safeParse(parseJson(text));
  if (read.success) return read.data;
  const why = refusalIn(text)?.message ?? "it does not speak Tendril's pairing";
  throw new CommandError(`${origin} gives no token: ${harmlessExcerpt(why)}`);
}
