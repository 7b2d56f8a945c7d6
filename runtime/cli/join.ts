import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../drivers/durable-file.js";
import { readCode } from "../server/pairing/code.js";
import { clientProof, sameProof, serverProof } from "../server/pairing/proof.js";
import type { Role } from "../services/tool.js";
import { CommandError, WRONG_USE } from "./failure.js";
import { JOINED_FILE } from "./joined.js";
import { print } from "./print.js";
import { httpUrl } from "./remote.js";
import { admitted, exchange } from "./secure-fetch.js";
import { makeState } from "./state.js";

const grant = z.object({ token: z.string(), name: z.string(), proof: z.string() });
const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Pairs this computer with a runtime elsewhere, as docs/security.md has it, and keeps token and key in the state folder. */
export async function joinRuntime(
  given: string,
  typed: string,
  { state, role }: { state: string; role: Role },
): Promise<void> {
  const url = new URL(httpUrl(given));
  const code = readCode(typed);
  if (code === undefined) throw new CommandError("the code has a typing mistake", WRONG_USE);
  if (url.protocol !== "https:")
    throw new CommandError(`${given}: must be https://, a token goes by TLS alone`, WRONG_USE);
  await makeState(state);
  const { token, name, pin } = await paired(url, code, role);
  const kept = { url: new URL("/mcp", url).href, pin, token };
  await replaceFile(join(state, JOINED_FILE), JSON.stringify(kept), 0o600);
  print(`joined ${url.host} as ${name}; commands with this state folder go there`);
}

async function paired(url: URL, code: string, role: Role) {
  let pin = "";
  const socket = await admitted(url, (found) => {
    pin = found; // whoever it is learns nothing, and is known by its proof
    return undefined;
  }).catch((error: unknown) => {
    throw new CommandError(
      `${url.origin} cannot be reached: ${error instanceof Error ? error.message : error}`,
    );
  });
  const claim = { nonce: randomBytes(32).toString("base64url"), name: hostname().slice(0, 64), role };
  const body = JSON.stringify({ ...claim, proof: clientProof(code, pin, claim) });
  const answer = await exchange(new Request(new URL("/pair", url), { method: "POST", body }), socket);
  const { proof, ...granted } = grantedIn(await answer.text(), url);
  if (!sameProof(proof, serverProof(code, pin, claim, granted)))
    throw new CommandError(`what answers at ${url.origin} does not know the code`);
  return { ...granted, pin };
}

/** Throws a CommandError with the runtime's words. */
function grantedIn(text: string, { origin }: URL): z.output<typeof grant> {
  const said = jsonOf(text);
  const read = grant.safeParse(said);
  if (read.success) return read.data;
  const why = refusal.safeParse(said).data?.error.message ?? "it does not speak Tendril's pairing";
  throw new CommandError(`${origin} gives no token: ${why}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
