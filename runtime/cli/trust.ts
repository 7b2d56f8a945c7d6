import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type Places, RUNTIME_FILE } from "../places.js";
import { expiryTrouble, ownFiles, readMaterial } from "../server/tls/material.js";
import { listTokens } from "../server/token-files.js";
import { TokenStore } from "../server/tokens.js";
import { type Kind, OWNER } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import { tlsProblemWords } from "../wire/tls-trouble.js";
import { CommandError } from "./failure.js";
import { callAs, print } from "./print.js";
import { askHere, NobodyAsked } from "./remote.js";
import { configFor, houseTimeFor, makeState } from "./state.js";
import { atTerminal, isYes } from "./terminal.js";

interface Where {
  readonly state: string;
}

const folderOf = ({ state }: Where): string => join(state, "tokens");

/** Makes a token; a running runtime accepts it within a second. Scripts read the path, which is alone on standard output. */
export async function addToken(kind: Kind, name: string | undefined, where: Where): Promise<void> {
  await makeState(where.state);
  const tokens = await TokenStore.open(folderOf(where), new SystemClock(), () => undefined);
  const file = await tokens.add(kind, name);
  process.stdout.write(`${file}\n`);
  process.stderr.write(
    `The token ${basename(file)} is in this file: keep it secret. A runtime that runs takes it within a second.\n`,
  );
}

export async function showTokens(where: Where): Promise<void> {
  const paths = await listTokens(folderOf(where));
  if (paths.length === 0) return print(`no tokens yet: the first start makes them in ${folderOf(where)}`);
  const width = Math.max(...paths.map((path) => basename(path).length));
  const time = await houseTimeFor(where);
  for (const path of paths) {
    const { mtime } = await stat(path);
    print(`${basename(path).padEnd(width)}  since ${time.day(mtime.getTime())}`);
  }
}

interface RevokeOptions extends Where {
  /** Also the owner's token, without asking. */
  readonly yes?: boolean;
}

/** A running runtime is asked, and closes the token's connections at once. Without one the file goes. */
export async function revokeToken(name: string, { yes = false, ...where }: RevokeOptions): Promise<void> {
  const paths = await listTokens(folderOf(where));
  const path = paths.find((each) => basename(each) === name);
  if (path === undefined) {
    const names = paths.map((each) => basename(each)).join(", ");
    throw new CommandError(`there is no token "${name}" among ${names || "none"}`);
  }
  if (name === OWNER && !yes) await assertSure();
  try {
    // for the owner's token too: who can call this can make it again
    await askHere(where, "DELETE", `${PATHS.tokens}/${encodeURIComponent(name)}?sure=${OWNER}`);
    print(`${name} is revoked, and its connections are closed`);
  } catch (error) {
    if (!(error instanceof NobodyAsked)) throw error;
    await rm(path);
    print(
      `${name} is revoked. ${existsSync(join(where.state, RUNTIME_FILE)) ? unasked(error) : "No runtime runs here."}`,
    );
  }
}

/** Throws a CommandError unless somebody at a terminal says yes. */
async function assertSure(): Promise<void> {
  const loss = `Without the token ${OWNER} these commands and the page are closed to you`;
  if (!process.stdin.isTTY)
    throw new CommandError(
      `nothing was revoked. ${loss}: --yes revokes it all the same, and "tendril token add ${OWNER}" makes a new one`,
    );
  await atTerminal(async (terminal) => {
    terminal.say(`${loss}, until ${callAs(`token add ${OWNER}`)} makes a new one.`);
    if (!(await isYes(terminal, `Revoke ${OWNER}?`, false))) throw new CommandError("nothing was revoked");
  });
}

const unasked = ({ message }: NobodyAsked): string =>
  `The runtime was not asked (${message}); if it runs, it closes the token's connections within half a minute.`;

/** Shows the TLS port, key and certificate of the configuration. Throws TLS_FAILED if they cannot be used. */
export async function showTls(options: Places): Promise<void> {
  const { tls } = (await configFor(options)).server;
  if (!tls)
    return print("TLS is off: add `server: { tls: {} }` to the configuration, then restart the runtime");
  const own = ownFiles(options.state);
  const { cert = own.cert, key = own.key } = tls;
  if (tls.cert === undefined && !existsSync(own.key))
    return print(`TLS is on, on port ${tls.port}; the runtime makes its key at its next start`);
  const { pin, leaf } = await readMaterial(cert, key);
  print(`port         ${tls.port} on ${tls.host}\nkey          ${pin}\ncertificate  ${cert}`);
  print(`for          ${leaf.subjectAltName ?? leaf.subject}\nvalid until  ${leaf.validTo}`);
  const trouble = expiryTrouble(leaf, new SystemClock());
  if (trouble) print(`! ${tlsProblemWords(trouble)}`);
}
