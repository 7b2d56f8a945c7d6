/** Gives a thread back. */
export type Release = () => void;

interface Waiting {
  resolve(release: Release): void;
  reject(error: unknown): void;
}

/** Why no thread is to be had: as many as there are hold work that hangs. */
export class AllHang extends Error {}

/**
 * How many of libuv's threads one kind of work may hold at a time. Node has four for all files, for SQLite and for I2C
 * [nodejs.org/api/cli.html, UV_THREADPOOL_SIZE]; work that hangs in the kernel keeps its thread until it is back.
 */
export class PoolThreads {
  private free: number;
  private readonly waiting: Waiting[] = [];
  private hanging = 0;

  constructor(private readonly most: number) {
    this.free = most;
  }

  /** Resolves once a thread is free. Rejects with AllHang where none will be, as far as anybody knows. */
  take(): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (this.hanging === this.most) return reject(new AllHang());
      this.waiting.push({ resolve, reject });
      this.serve();
    });
  }

  /** To be called where the work on a thread hangs, and what it returns when that is back. */
  hang(): () => void {
    this.hanging += 1;
    if (this.hanging === this.most) for (const { reject } of this.waiting.splice(0)) reject(new AllHang());
    return () => {
      this.hanging -= 1;
    };
  }

  private serve(): void {
    while (this.free > 0) {
      const next = this.waiting.shift();
      if (!next) return;
      this.free -= 1;
      next.resolve(() => {
        this.free += 1;
        this.serve();
      });
    }
  }
}
