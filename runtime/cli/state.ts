import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../drivers/durable-file.js";
import { hasCode } from "../../drivers/system-error.js";
import type { Config } from "../configuration.js";
import { harmless } from "../log.js";
import { configFile, isConfigNamed, PACKAGED, type Places, RESTORE_MARK, RUNTIME_FILE } from "../places.js";
import { HouseTime } from "../wire/house-time.js";
import { OWNER } from "../wire/identity.js";
import { CommandError, MISCONFIGURED, WRONG_USE, wrongUse } from "./failure.js";
import { calledAs } from "./print.js";

/** Makes the state folder if it does not exist. Throws a CommandError if it cannot, or a restore is unfinished. */
export async function makeState(state: string): Promise<void> {
  await makeFolder(state, 0o700).catch((cause: unknown) => {
    const { message } = cause as NodeJS.ErrnoException;
    throw wrongUse(`the state folder ${state} cannot be made (${message}): name another with --state`);
  });
  if (existsSync(join(state, RESTORE_MARK)))
    throw new CommandError(
      `a restore into ${state} was interrupted: "tendril serve" completes it, and so does another restore`,
    );
}

export interface Address {
  readonly state: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly pin?: string;
}

/** The URL of the runtime: as given, else of the one on this state folder, else of the one that was joined. */
export function runtimeUrl({ state, url }: Address): string {
  if (url !== undefined) return url;
  const file = join(state, RUNTIME_FILE);
  const elsewhere = joined({ state });
  if (elsewhere) return elsewhere.url;
  if (!existsSync(file))
    throw new CommandError(
      `no runtime is running on ${state}: ${howToStart(state, existsSync(PACKAGED.config))}`,
    );
  const announced = announcedIn(state);
  if (announced) return announced.url;
  throw new CommandError(
    `${file} cannot be read: restart the runtime, which writes it again, or name its address with --url`,
  );
}

const announcement = z.object({
  url: z.url({ protocol: /^ws$/ }),
  pid: z.int().min(1),
  config: z.string().optional(),
});

/** What the runtime on this folder says of itself; undefined without its file, and for one that cannot be read. */
export function announcedIn(state: string): z.output<typeof announcement> | undefined {
  try {
    return announcement.parse(JSON.parse(readFileSync(join(state, RUNTIME_FILE), "utf8")));
  } catch {
    return undefined;
  }
}

/** Whether the URL comes from the state folder: that runtime may be gone, and another program may use its port. */
export const isFromFolder = (address: Address): boolean =>
  address.url === undefined && joined(address) === undefined;

/** How to start a runtime there. `isSetUp`: the package has a configuration, without which its service does not start. */
export function howToStart(state: string, isSetUp: boolean): string {
  if (state !== PACKAGED.state && calledAs() !== "tendril")
    return 'start it with "npm start" in Tendril\'s folder, which brings a simulated plant and an agent; or with "tendril serve --bench" alone; on a board with "tendril serve"; a service with "sudo systemctl start tendril". Or name another with --state (or TENDRIL_STATE) or --url';
  if (state !== PACKAGED.state)
    return 'start it with "sudo systemctl start tendril" if it is a service; on a computer without a board with "tendril serve --bench"; on a board with "tendril serve". Or name another with --state (or TENDRIL_STATE) or --url';
  if (!isSetUp) return 'nothing is set up yet: run "sudo tendril setup" first';
  return '"sudo systemctl start tendril" starts it, "systemctl status tendril" shows why it does not run';
}

/** The given token, else the one from joining, else the person's token in the state folder. */
export function token(address: Address): string {
  const { state, tokenFile = join(state, "tokens", OWNER) } = address;
  const elsewhere = address.tokenFile === undefined ? joined(address) : undefined;
  if (elsewhere) return elsewhere.token;
  const text = readToken(tokenFile).trim();
  // anything else could not be sent as a header, and the error would show it
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new CommandError(`${tokenFile} does not hold one token on one line: name another with --token-file`);
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const cure =
      basename(file) === OWNER && hasCode(error, "ENOENT")
        ? '"tendril token add human" makes it on the runtime\'s machine. Or name another token with --token-file'
        : "name a token with --token-file";
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}): ${cure}`);
  }
}

/** In a state folder: commands go to a runtime on another computer. */
export const JOINED_FILE = "joined.json";

const file = z.strictObject({ url: z.string(), pin: z.string(), token: z.string() });
type Joined = z.output<typeof file>;

interface Where {
  readonly state: string;
  readonly url?: string;
}

/** The joined runtime, if no URL is given and no runtime runs on this folder. Throws a CommandError. */
export function joined({ state, url }: Where): Joined | undefined {
  const path = join(state, JOINED_FILE);
  if (url !== undefined || existsSync(join(state, RUNTIME_FILE)) || !existsSync(path)) return undefined;
  try {
    return file.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new CommandError(`${path} cannot be read: move it away, and join again`);
  }
}

/** Prints the configuration with all defaults, as YAML that is a valid configuration file. */
export async function printConfig(options: Places): Promise<void> {
  const { configText } = await import("../setup/write-yaml.js"); // loads YAML only when needed
  const { misspeltSpecies, withoutPump } = await import("../config/schema.js");
  const config = await configFor(options);
  process.stdout.write(configText(config));
  for (const doubt of [...withoutPump(config), ...misspeltSpecies(config)])
    process.stderr.write(`tendril: ${harmless(doubt)}\n`);
}

/** Without a named file, the one that the runtime on this folder uses, or used if it has died. */
export function placesInUse<Options extends Places>(options: Options): Options {
  const used = isConfigNamed(options) ? undefined : announcedIn(options.state)?.config;
  return used === undefined ? options : { ...options, config: used };
}

/** Times in the house's zone; UTC if the configuration cannot be read. */
export const houseTimeFor = async (options: Places): Promise<HouseTime> =>
  new HouseTime(
    await configFor(placesInUse(options)).then(
      ({ zone }) => zone,
      () => "UTC",
    ),
  );

/** A runtime needs no configuration, but a missing file that was named is a mistake. */
export function refuseMissing(options: Places, exitCode = WRONG_USE): void {
  const file = configFile(options);
  if (isConfigNamed(options) && !existsSync(file))
    throw new CommandError(`there is no configuration ${file}: correct --config or TENDRIL_CONFIG`, exitCode);
}

/** The checked configuration; the bench's defaults if no file was named and there is none. */
export async function configFor(options: Places): Promise<Config> {
  const file = configFile(options);
  refuseMissing(options, MISCONFIGURED);
  if (!isConfigNamed(options) && !existsSync(file))
    return (await import("../configuration.js")).defaultConfig();
  const { loadConfig } = await import("../configuration.js"); // loads YAML only for a file
  return loadConfig(file);
}
