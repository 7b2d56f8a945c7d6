import type { Cancel } from "../../drivers/ports.js";

/** Those who want to hear of something, told in the order in which they came. */
export class Listeners {
  private readonly all = new Set<() => void>();

  watch(listener: () => void): Cancel {
    // one of its own for each watch: the same function may watch twice
    const own = () => listener();
    this.all.add(own);
    return () => void this.all.delete(own);
  }

  tell(): void {
    for (const listener of this.all) listener();
  }
}
