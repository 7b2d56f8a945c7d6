import { mkdtemp, writeFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { ANYWHERE, ownNames } from "../network.js";
import { configFile, type Places } from "../places.js";
import { LINK_MARK, PATHS } from "../wire/names.js";
import type { OpenedLink, SessionList } from "../wire/owner-page.js";
import { CommandError, wrongUse } from "./failure.js";
import { callAs, print, printVerbatim } from "./print.js";
import { askHere, httpUrl } from "./remote.js";
import { configFor, houseTimeFor, placesInUse, runtimeUrl } from "./state.js";
import { hasScreen, openFile } from "./terminal.js";

interface OpenOptions extends Places {
  readonly person?: string;
  readonly observer?: boolean;
  /** False with --no-browser. */
  readonly browser: boolean;
}

/** Makes a link that begins one session, shows it, and opens it where there is a screen. */
export async function openPage(options: OpenOptions): Promise<void> {
  const token = await tokenFor(options);
  const link = await askHere<OpenedLink>(options, "POST", PATHS.sessions, { token });
  const here = pageHere(runtimeUrl(options)) + mark(link);
  const elsewhere = link.tls_port === null ? undefined : pageElsewhere(link.tls_port) + mark(link);
  const minutes = Math.round(link.expires_in_s / 60);
  printVerbatim(
    `The link works once, within ${minutes} minutes, and lets one browser act as ${link.token}.\n`,
  );
  printVerbatim(`On this computer:\n  ${here}`);
  if (elsewhere === undefined) print(NO_TLS);
  else await showElsewhere(elsewhere);
  if (options.browser && process.stdout.isTTY && hasScreen() && (await openInBrowser(here)))
    print("\nIt opens in this computer's browser now.");
}

const NO_TLS =
  "\nFor a phone or a tablet the runtime needs its TLS port: write `server: { tls: {} }` into the configuration, restart the runtime, and call tendril open again.";

async function showElsewhere(link: string): Promise<void> {
  const { renderUnicodeCompact } = await import("uqr");
  printVerbatim(`\nOn a phone or a tablet in this network:\n  ${link}\n`);
  process.stdout.write(`${renderUnicodeCompact(link, { border: 2 })}\n`);
}

const mark = ({ code }: OpenedLink): string => `/#${LINK_MARK}${code}`;

/** The address of the page for a browser on the runtime's machine, without its last slash. */
export function pageHere(url: string): string {
  const page = new URL(httpUrl(url));
  if (ANYWHERE.includes(page.hostname.replace(/^\[|\]$/g, ""))) page.hostname = "127.0.0.1";
  return page.origin;
}

function pageElsewhere(port: number): string {
  const host = ownNames().at(-1) ?? hostname();
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The token whose rights the session gets: that of a person, or of the owner. */
async function tokenFor({ person, observer = false, ...places }: OpenOptions): Promise<string> {
  const role = observer ? "observer" : "human";
  if (person === undefined) return role;
  const used = placesInUse(places);
  const { people } = await configFor(used);
  const wanted = person.toLowerCase();
  const found = people.find(({ id, name }) => id === wanted || name?.toLowerCase() === wanted);
  if (!found) {
    const known = people.map(({ id }) => id).join(", ") || "nobody yet";
    throw wrongUse(
      `${configFile(used)} has no person "${person}"; under people there is: ${known}. Name another file with --config`,
    );
  }
  const token = found.tokens.find((name) => name === role || name.startsWith(`${role}.`));
  if (token !== undefined) return token;
  throw new CommandError(
    `${found.id} has no token of the role ${role}: make one with ${callAs(`token add ${role} ${found.id}`)}, write tokens: [${role}.${found.id}] below ${found.id} in the configuration, and restart the runtime`,
  );
}

/**
 * By a file that only this user can read: other users of the computer see the arguments of programs, and the link is a
 * secret until it is used.
 */
async function openInBrowser(link: string): Promise<boolean> {
  const file = join(await mkdtemp(join(tmpdir(), "tendril-open-")), "open.html");
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${link}">`;
  await writeFile(file, page, { mode: 0o600 });
  return openFile(file);
}

export async function showSessions(options: {
  readonly state: string;
  readonly json?: boolean;
}): Promise<void> {
  const { sessions } = await askHere<SessionList>(options, "GET", PATHS.sessions);
  if (options.json) return printVerbatim(JSON.stringify(sessions, null, 2));
  if (sessions.length === 0) return print("no browser is let in; tendril open makes a link for one");
  const time = await houseTimeFor(options);
  const width = Math.max(...sessions.map(({ token }) => token.length));
  for (const { id, token, device, made, used } of sessions)
    print(`${id}  ${token.padEnd(width)}  ${device}, since ${time.day(made)}, last used ${time.day(used)}`);
}

/** Ends a session: its browser is out at once. */
export async function revokeSession(id: string, options: { readonly state: string }): Promise<void> {
  await askHere(options, "DELETE", `${PATHS.sessions}/${encodeURIComponent(id)}`);
  print(`the session ${id} is over; its pages are closed`);
}
