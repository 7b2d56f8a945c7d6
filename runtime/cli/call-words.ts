import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGED } from "../places.js";
import { defaultState } from "./state.js";

/** Where this program is: the folder of a clone, or of the package. */
const HOME = fileURLToPath(new URL("../../../", import.meta.url));

export interface Where {
  /** Of the program. */
  readonly home: string;
  readonly cwd: string;
  /** Whether a program `tendril` lies in `home`, as in a clone. */
  readonly isClone: boolean;
}

/**
 * What a person types for `tendril` in the folder where this is printed. Never `npx tendril`: outside of a clone that asks
 * npm's registry for a package of that name, which is not ours.
 */
export function calledAs({ home, cwd, isClone }: Where = ownPlace()): string {
  if (home === PACKAGED.programs || !isClone) return "tendril";
  const near = relative(cwd, home);
  if (near === "") return "./tendril";
  return quoted(near.startsWith("..") ? `${home}tendril` : `./${near}/tendril`);
}

export const ownPlace = (): Where => ({
  home: HOME,
  cwd: process.cwd(),
  isClone: existsSync(`${HOME}tendril`),
});

/** What a command needs beside its name to find this state from a new terminal in the same folder. */
export const stateWords = (state: string): string =>
  process.env.TENDRIL_STATE === undefined && state === defaultState() ? "" : ` --state ${quoted(state)}`;

/** As a shell takes it for one word. */
export const quoted = (path: string): string =>
  /^[\w./~+:@%,=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** A folder as a person writes it. */
export const folderWords = (folder: string): string => {
  const own = homedir();
  return folder.startsWith(`${own}/`) && quoted(folder) === folder
    ? `~${folder.slice(own.length)}`
    : quoted(folder);
};
