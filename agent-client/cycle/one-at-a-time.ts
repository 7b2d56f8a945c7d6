export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const begun = this.last.then(work, work);
    this.last = begun.catch(() => undefined);
    return begun;
  }
}
