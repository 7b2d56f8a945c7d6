/** One piece of work at a time, in the order in which they came. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}

/** The same work again and again, one turn at a time. Whoever asks before a turn has begun shares it. */
export class SharedTurns<T> extends Mutex {
  private waiting: Promise<T> | undefined;

  next(work: () => Promise<T>): Promise<T> {
    this.waiting ??= this.run(() => {
      this.waiting = undefined;
      return work();
    });
    return this.waiting;
  }
}

/** One piece of work at a time for each key; those of other keys do not wait. */
export class MutexByKey<Key> {
  private readonly byKey = new Map<Key, Mutex>();

  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const own = this.byKey.get(key) ?? new Mutex();
    this.byKey.set(key, own);
    return own.run(work);
  }
}

/** Rejects with the signal's reason once it is aborted; the work goes on, and nobody waits for it. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    if (signal.aborted) abandon();
    signal.addEventListener("abort", abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abandon));
  });
}
