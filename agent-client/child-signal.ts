/** A signal that follows its parent and can be aborted by itself. */
export class ChildSignal {
  private readonly own = new AbortController();
  private readonly follow = () => this.own.abort(this.parent.reason);

  constructor(private readonly parent: AbortSignal) {
    if (parent.aborted) this.follow();
    else parent.addEventListener("abort", this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  /** Leaves the parent: it may live as long as the agent. */
  abort(reason?: unknown): void {
    this.parent.removeEventListener("abort", this.follow);
    this.own.abort(reason);
  }
}
