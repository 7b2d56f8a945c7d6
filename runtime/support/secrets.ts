import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

export interface SecretPlaces {
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** / on a real machine. */
  readonly root: string;
}

/** Folders in the state folder whose files are secrets whole. */
const SECRET_FOLDERS = /^(?:tokens|tls|pairing)/;
const SECRET_FILES = /\.key$|\.pem$|\/joined\.json$/;
/** A token within a line: those of 192 bits and more, as token files have them. */
const TOKEN = /[\w-]{32,}/g;
/** Files of NAME=VALUE lines in /etc; the names of networks and what opens them in the last two. */
const SETTINGS = ["etc/tendril/agent.env", "etc/tendril/backup.env", "etc/tendril/agent.token"];
const NETWORKS = ["etc/NetworkManager/system-connections", "etc/wpa_supplicant"];
const NETWORK_SETTING = /^\s*(?:ssid|psk|password|id|identity|wep-key\d)\s*=\s*"?([^"\n]+?)"?\s*$/gim;
const SECRET_VARIABLE = /key|token|secret|passw|credential/i;
/** Larger files hold no secret of ours: pictures, recordings. */
const LONGEST = 65_536;

/** Every secret that can be read on this machine. What may not be read, cannot get into the bundle either. */
export async function secretsOf({ state, env, root }: SecretPlaces): Promise<Set<string | Buffer>> {
  const secrets = new Set<string | Buffer>();
  for (const file of await filesBelow(state)) await addFile(file, state, secrets);
  const settings = await Promise.all(SETTINGS.map((file) => textOf(join(root, file))));
  const named = Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_VARIABLE.test(name) ? [value] : [],
  );
  for (const value of [...settings.flatMap(valuesIn), ...(await networks(root)), ...named])
    secrets.add(value);
  return secrets;
}

async function networks(root: string): Promise<string[]> {
  const files = await Promise.all(NETWORKS.map((folder) => filesBelow(join(root, folder))));
  const texts = await Promise.all(files.flat().map(textOf));
  return texts.flatMap((text) => [...text.matchAll(NETWORK_SETTING)].map(([, value = ""]) => value));
}

/** Also of what a restore has put aside. */
async function addFile(file: string, state: string, secrets: Set<string | Buffer>): Promise<void> {
  const [first = "", second = ""] = file.slice(state.length + 1).split("/");
  const folder = first.startsWith("before-restore-") ? second : first;
  if (!SECRET_FOLDERS.test(folder) && !SECRET_FILES.test(file)) return;
  if ((await stat(file)).size > LONGEST) return;
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  secrets.add(bytes);
  const text = bytes.toString("utf8");
  for (const line of text.split("\n")) secrets.add(line.trim());
  for (const [token] of text.matchAll(TOKEN)) secrets.add(token);
}

/** What stands behind each "=", else the line itself. */
function valuesIn(text: string): string[] {
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  return lines.map((line) =>
    line
      .slice(line.indexOf("=") + 1)
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2"),
  );
}

const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
