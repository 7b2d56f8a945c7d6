import fs, { promises } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Node gives each call of `fs.promises` to a thread, which costs twenty times what a file in memory does, and a rig makes a hundred of
 * them. Here such a call does at once what it is asked, for a path in a folder that is in memory, and answers one turn of the event loop
 * later, so that other tasks go on, as on any disk. `npm test` asks the threads, as the runtime does.
 */
export function filesAtOnce(folders: readonly string[]): void {
  const isIn = (path: unknown): path is string =>
    typeof path === "string" && folders.some((folder) => path.startsWith(folder));
  const calls = promises as unknown as Record<string, Call>;
  for (const name of NAMES) {
    const [asked, atOnce] = [calls[name], (fs as unknown as Record<string, Call>)[`${name}Sync`]];
    if (!asked || !atOnce) throw new Error(`this version of Node has no ${name}`);
    const paths = OF_TWO_PATHS.has(name) ? 2 : 1;
    calls[name] = async (...given) => {
      const isHere = given.slice(0, paths).every(isIn) && !given.some(hasSignal);
      return isHere ? inATurn(() => atOnce(...given)) : asked(...given);
    };
  }
  const { open } = promises;
  const opened = (path: string, ...how: [flags: string | number, mode?: number]) =>
    inATurn(() => new FileAtOnce(fs.openSync(path, ...how)));
  calls.open = async (path, ...how) =>
    isIn(path) ? opened(path, ...(how as [string])) : open(path as string, ...(how as []));
  syncBuiltinESMExports();
}

type Call = (...given: readonly unknown[]) => unknown;

/** Whatever takes a path. `open` is made otherwise. */
const NAMES = [
  ...[
    "access",
    "appendFile",
    "chmod",
    "copyFile",
    "link",
    "lstat",
    "mkdir",
    "mkdtemp",
    "readFile",
    "readdir",
    "readlink",
  ],
  ...[
    "realpath",
    "rename",
    "rm",
    "rmdir",
    "stat",
    "statfs",
    "symlink",
    "truncate",
    "unlink",
    "utimes",
    "writeFile",
  ],
];
const OF_TWO_PATHS: ReadonlySet<string> = new Set(["copyFile", "link", "rename"]);

/** A call that can be given up has its time. */
const hasSignal = (given: unknown): boolean =>
  typeof given === "object" && given !== null && "signal" in given;

async function inATurn<T>(work: () => T): Promise<T> {
  try {
    return work();
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What programs and tests call of a `FileHandle`. */
class FileAtOnce {
  constructor(private number: number) {}

  get fd(): number {
    return this.number;
  }

  readonly read = (buffer: Buffer, offset?: number, length?: number, position?: number | null) =>
    inATurn(() => ({
      bytesRead: fs.readSync(this.fd, buffer, offset ?? 0, length ?? buffer.length, position ?? null),
      buffer,
    }));
  readonly write = (buffer: Buffer, offset?: number, length?: number, position?: number | null) =>
    inATurn(() => ({ bytesWritten: fs.writeSync(this.fd, buffer, offset, length, position), buffer }));
  readonly writeFile = this.call((text: string | Uint8Array) => fs.writeFileSync(this.fd, text));
  readonly appendFile = this.call((text: string | Uint8Array) => fs.appendFileSync(this.fd, text));
  readonly readFile = this.call((how?: BufferEncoding) => fs.readFileSync(this.fd, how));
  readonly stat = this.call(() => fs.fstatSync(this.fd));
  readonly sync = this.call(() => fs.fsyncSync(this.fd));
  readonly datasync = this.call(() => fs.fdatasyncSync(this.fd));
  readonly truncate = this.call((length?: number) => fs.ftruncateSync(this.fd, length));
  readonly chmod = this.call((mode: number) => fs.fchmodSync(this.fd, mode));
  readonly chown = this.call((uid: number, gid: number) => fs.fchownSync(this.fd, uid, gid));
  readonly close = this.call(() => {
    if (this.number >= 0) fs.closeSync(this.number);
    this.number = -1;
  });

  createReadStream(options: object = {}): fs.ReadStream {
    const close = (number: number, done: fs.NoParamCallback) => {
      this.number = -1;
      fs.close(number, done);
    };
    return fs.createReadStream("", { ...options, fd: this.fd, fs: { ...fs, close } });
  }

  private call<Given extends unknown[], T>(work: (...given: Given) => T) {
    return (...given: Given): Promise<T> => inATurn(() => work(...given));
  }
}
