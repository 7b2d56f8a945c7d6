import { hostname } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { replaceFile } from "../../drivers/durable-file.js";
import { messageOf } from "../../drivers/system-error.js";
import { ownNames } from "../network.js";
import type { Role } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import {
  clientProof,
  grantBody,
  LONGEST_GRANT,
  newClaim,
  type OpenCodes,
  type OpenedCode,
  pairingCode,
  serverProof,
  type VoidedCode,
} from "../wire/pairing.js";
import { sameText } from "../wire/proof.js";
import { harmlessExcerpt, parseJson, refusalIn } from "../wire/refusal.js";
import { exchange } from "../wire/secure-socket.js";
import { CommandError, wrongUse } from "./failure.js";
import { print, printVerbatim } from "./print.js";
import { askHere, httpUrl, withRemote } from "./remote.js";
import { admitted, PATIENCE } from "./secure-fetch.js";
import { JOINED_FILE, makeState } from "./state.js";

interface PairOptions {
  readonly state: string;
  readonly role: Role;
  readonly name?: string;
  readonly list?: boolean;
  readonly cancel?: boolean;
  readonly channel?: string;
  readonly person?: string;
}

/** Opens, shows or cancels a pairing code of the runtime on this state folder. */
export async function pair(options: PairOptions): Promise<void> {
  if (options.list) return list(options);
  if (options.cancel) return cancel(options);
  const { channel, person } = options;
  if (channel !== undefined) {
    const { pairChannel } = await import("./channels.js");
    return withRemote(options, (remote) =>
      pairChannel(remote, { channel, ...(person !== undefined && { person }) }),
    );
  }
  const { role, name } = options;
  const opened = await askHere<OpenedCode>(options, "POST", PATHS.pairing, {
    role,
    ...(name !== undefined && { name }),
  });
  printVerbatim(shown(opened, role));
}

async function list(options: PairOptions): Promise<void> {
  const { open } = await askHere<OpenCodes>(options, "GET", PATHS.pairing);
  if (!open) return print("no code is open");
  const { role, expires_in_s, tries_left } = open;
  print(
    `a code for the role ${role} is open for another ${inMinutes(expires_in_s)}, ${tries_left} tries left`,
  );
}

async function cancel(options: PairOptions): Promise<void> {
  const { voided } = await askHere<VoidedCode>(options, "DELETE", PATHS.pairing);
  print(voided ? "the code is cancelled" : "no code was open");
}

function shown({ code, expires_in_s, tls }: OpenedCode, role: Role): string {
  const at = `${ownNames().at(-1) ?? hostname()}:${tls.port}`;
  const how =
    role === "agent"
      ? `tendril agent --discover --pair ${code}\nor, on another network:\n  tendril agent --url wss://${at}${PATHS.mcp} \\\n    --pair ${code}`
      : `tendril join https://${at} ${code} --role ${role}`;
  const may = role === "human" ? ", which may do everything" : "";
  return `${code}\n\nWorks once, within ${inMinutes(expires_in_s)}, for the role ${role}${may}. On the other computer:\n  ${how}\nThis runtime's key, which that computer remembers: ${tls.pin}`;
}

const inMinutes = (seconds: number): string =>
  seconds > 90 ? `${Math.round(seconds / 60)} minutes` : `${seconds} s`;

/** Pairs this computer with a runtime elsewhere (docs/security.md), and keeps token and key in the state folder. */
export async function joinRuntime(
  given: string,
  typed: string,
  { state, role }: { state: string; role: Role },
): Promise<void> {
  if (!/^(ws|http)s?:\/\//.test(given) || !URL.canParse(given))
    throw wrongUse(
      `${given}: must be the address that "tendril pair" shows, such as https://raspberrypi.local:8732`,
    );
  const url = new URL(httpUrl(given));
  const code = codeIn(typed);
  if (url.protocol !== "https:") throw wrongUse(`${given}: must be https://, a token is sent over TLS only`);
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
    throw wrongUse(`the code ${messageOf(error)}`);
  }
}

async function paired(url: URL, code: string, role: Role) {
  const claim = newClaim(hostname(), role);
  const { text, pin } = await claimFrom(url, (pin) =>
    JSON.stringify({ ...claim, proof: clientProof(code, pin, claim) }),
  ).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const { proof, ...granted } = grantedIn(text, url);
  if (!sameText(proof, serverProof(code, pin, claim, granted)))
    throw new CommandError(`what answers at ${url.origin} does not know the code`);
  return { ...granted, pin };
}

/** Sends the claim with its proof, from which the peer cannot learn the code. Accepts any key. */
async function claimFrom(url: URL, bodyFor: (pin: string) => string): Promise<{ text: string; pin: string }> {
  let pin = "";
  const socket = await admitted(url, (found) => {
    pin = found;
    return undefined;
  });
  const request = new Request(new URL(PATHS.pair, url), { method: "POST", body: bodyFor(pin) });
  const answer = await exchange(request, socket, { timeout: PATIENCE, most: LONGEST_GRANT });
  return { text: await answer.text(), pin };
}

function unreachable({ origin }: URL, error: unknown): CommandError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("ERR_SSL"))
    return new CommandError(
      `${origin} does not speak TLS 1.3 (${code}): give the address that \`tendril pair\` shows`,
    );
  return new CommandError(`${origin} cannot be reached: ${messageOf(error)}`);
}

/** Throws a CommandError with a short, harmless excerpt of the answer: the peer is not trusted yet. */
function grantedIn(text: string, { origin }: URL): z.output<typeof grantBody> {
  const read = grantBody.safeParse(parseJson(text));
  if (read.success) return read.data;
  const why = refusalIn(text)?.message ?? "it does not speak Tendril's pairing";
  throw new CommandError(`${origin} gives no token: ${harmlessExcerpt(why)}`);
}
