import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { Clock } from "../../drivers/ports.js";
import { troubleIn } from "../../drivers/system-error.js";
import { minutes } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { runBeside } from "../own-program.js";
import { defaultBackups } from "../places.js";
import type { BackupStore } from "../tools/host.js";
import { isoUtc } from "../tools/iso-time.js";
import type { BackupView } from "../wire/owner-page.js";
import { backupsIn } from "./backup-folder.js";
import { hostName } from "./names.js";

/** A choice: a year of photos on a slow card. */
const LONGEST = minutes(30);
/** A choice: 14 backups are kept, so somebody who presses again and again pushes old ones out in half a day at the earliest. */
const BETWEEN = minutes(60);

interface Options {
  readonly state: string;
  /** Real time: backups are named by it. */
  readonly clock: Clock;
  readonly log: Log;
}

/** This machine's backups where `tendril backup` puts them by default. Makes one by that program, at the lowest priority. */
export class KeptBackups implements BackupStore {
  readonly folder: string;
  private making: Promise<BackupView> | undefined;

  constructor(private readonly options: Options) {
    this.folder = defaultBackups(options.state);
  }

  async list(): Promise<readonly BackupView[]> {
    const kept = await inWords(backupsIn(this.folder, hostName()), this.folder);
    return kept.map(({ file, at, bytes }) => ({ name: basename(file), made_at: isoUtc(at), bytes }));
  }

  make(by: string): Promise<BackupView> {
    this.making ??= this.makeOne(by).finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  async open(name: string): Promise<FileHandle> {
    const kept = await inWords(backupsIn(this.folder, hostName()), this.folder);
    const found = kept.find(({ file }) => basename(file) === name);
    if (!found)
      throw new TendrilError(
        "NOT_FOUND",
        `${this.folder} has no backup ${JSON.stringify(name.slice(0, 80))}`,
      );
    return inWords(open(found.file), found.file);
  }

  private async makeOne(by: string): Promise<BackupView> {
    const { clock, log } = this.options;
    const [before] = await this.list();
    const wait = before ? Date.parse(before.made_at) + BETWEEN - clock.now() : 0;
    // a clock that was ahead must not forbid backups for years
    if (before && wait > 0 && wait <= BETWEEN)
      throw new TendrilError(
        "RATE_LIMITED",
        `${before.name} was made less than an hour ago; "tendril backup" on the machine makes one at any time`,
        { retryAfter: Math.ceil(wait / 1000) },
      );
    const file = await this.run();
    const made = (await this.list()).find(({ name }) => name === basename(file));
    if (!made)
      throw new TendrilError(
        "BACKUP_FAILED",
        `the program ended, and ${this.folder} has no ${basename(file)}`,
      );
    log("info", "a backup was made", { by, file: made.name });
    return made;
  }

  /** Resolves with the file: the first line that the program says. */
  private async run(): Promise<string> {
    const args = ["backup", "--state", this.options.state];
    const { stdout, trouble, isRight } = await runBeside(args, LONGEST);
    if (!isRight) throw new TendrilError("BACKUP_FAILED", trouble);
    return stdout.split("\n")[0] ?? "";
  }
}

/** An error of the system as a refusal. */
async function inWords<T>(work: Promise<T>, place: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new TendrilError("BACKUP_FAILED", troubleIn(error, place) ?? String(error), { cause: error });
  }
}
