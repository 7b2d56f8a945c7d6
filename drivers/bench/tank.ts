import { type Millilitres, millilitres } from "../units.js";

/** What a pump draws from. */
export class Tank {
  /** Undefined: it never runs dry. */
  left: Millilitres | undefined;
  private moved = 0;

  /** All that ever left it. */
  get drawn(): Millilitres {
    return millilitres(this.moved);
  }

  /** Gives what is asked for, or what is left. */
  draw(asked: Millilitres): Millilitres {
    const given = Math.min(asked, this.left ?? asked);
    if (this.left !== undefined) this.left = millilitres(this.left - given);
    this.moved += given;
    return millilitres(given);
  }
}
