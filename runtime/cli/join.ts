import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../drivers/durable-file.js";
import { readCode } from "../server/pairing/code.js";
import { clientProof, sameProof, serverProof } from "../server/pairing/proof.js";
import type { Role } from "../wire/identity.js";
import { CommandError, WRONG_USE } from "./failure.js";
import { JOINED_FILE } from "./joined.js";
import { print } from "./print.js";
import { httpUrl } from "./remote.js";
import { admitted, exchange } from "./secure-fetch.js";
import { makeState } from "./state.js";

/** Bytes; an answer has some two hundred. */
const LONGEST_ANSWER = 4096;
/** Letters of a refusal that are shown. A choice: the runtime's own have some hundred. */
const LONGEST_EXCERPT = 300;
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
  const claim = { nonce: randomBytes(32).toString("base64url"), name: hostname().slice(0, 64), role };
  const { text, pin } = await ask(url, (pin) =>
    JSON.stringify({ ...claim, proof: clientProof(code, pin, claim) }),
  ).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const { proof, ...granted } = grantedIn(text, url);
  if (!sameProof(proof, serverProof(code, pin, claim, granted)))
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
  const request = new Request(new URL("/pair", url), { method: "POST", body: bodyFor(pin) });
  return { text: await (await exchange(request, socket, LONGEST_ANSWER)).text(), pin };
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
function grantedIn(text: string, { origin }: URL): z.output<typeof grant> {
  const said = jsonOf(text);
  const read = grant.safeParse(said);
  if (read.success) return read.data;
  const why = refusal.safeParse(said).data?.error.message ?? "it does not speak Tendril's pairing";
  throw new CommandError(
    `${origin} gives no token: ${why.slice(0, LONGEST_EXCERPT).replaceAll(/\p{Cc}+/gu, " ")}`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
