import { readFileSync } from "node:fs";
import { chmod, chown } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../drivers/durable-file.js";
import { makeFolder } from "../../drivers/make-folder.js";
import { isMissing } from "../../drivers/system-error.js";
import { CommandError } from "../cli/failure.js";

/** Who may read a configuration: root writes it, the service's group reads it (systemd/tmpfiles.d/tendril.conf). */
export const CONFIG_MODE = 0o640;
/** Of a folder that is not there yet, which is the state folder: the package brings /etc/tendril. */
const FOLDER_MODE = 0o700;

/** What a file is to have; the boot partition's files have neither owners nor modes of their own, and chmod(2) fails there. */
export interface Rights {
  readonly mode: number;
  /** As whoever writes it, without. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export interface Replacement {
  readonly file: string;
  readonly content: string;
  readonly rights?: Rights;
  /** Of the copy that is kept of what was there: "20261121-164500". */
  readonly stamp: string;
}

/**
 * Puts a file in its place, whole or not at all, and first a copy of what was there beside it. Returns the copy's name, or
 * undefined where there was nothing. Throws a CommandError for a place that cannot be written.
 */
export async function replaceKeeping(wanted: Replacement): Promise<string | undefined> {
  const { file, content, stamp } = wanted;
  const before = contentOf(file);
  const copy = before === undefined ? undefined : `${file}.before-${stamp}`;
  try {
    await makeFolder(dirname(file), FOLDER_MODE);
    if (copy !== undefined && before !== undefined) await put({ ...wanted, file: copy, content: before });
    await put({ ...wanted, content });
    return copy;
  } catch (cause) {
    throw new CommandError(`${file} cannot be written (${(cause as Error).message})`);
  }
}

/** Undefined where there is no such file. Throws a CommandError for one that cannot be read. */
export function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new CommandError(`${file} cannot be read (${(error as Error).message})`);
  }
}

async function put({ file, content, rights }: Replacement): Promise<void> {
  await replaceFile(file, content, rights?.mode ?? CONFIG_MODE);
  if (!rights) return;
  if (rights.owner) await chown(file, rights.owner.uid, rights.owner.gid);
  await chmod(file, rights.mode); // a umask may have taken away what the group needs
}
