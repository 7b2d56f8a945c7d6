import { type EpochMillis, type Millis, seconds } from "../units.js";

/** A choice, for what passes between the readings of the two clocks. To find too much costs little: see below. */
const TOLERATED = seconds(1);

/**
 * Notices that a wall clock which was said to be right is set back within one boot. It was wrong before that or is wrong
 * now, and nobody can tell which, so until the next boot it proves nothing. The price: of the time across that reboot
 * nothing is proved, so water counts for longer and a lamp rests again.
 */
export class SetBack {
  /** The most that the wall clock was ahead of the monotonic one. It grows where the machine sleeps. */
  private furthestAhead = Number.NEGATIVE_INFINITY;
  private found = false;

  /** Takes what both clocks read at one moment. Returns whether the wall clock has been set back in this boot. */
  sees(wall: EpochMillis, monotonic: Millis): boolean {
    const ahead = wall - monotonic;
    this.furthestAhead = Math.max(this.furthestAhead, ahead);
    this.found ||= ahead < this.furthestAhead - TOLERATED;
    return this.found;
  }
}
