/** Enough for the line that tells what went wrong; a choice. */
const KEPT_LINES = 3;
const KEPT_CHARACTERS = 300;
/** Longest end of the output that is looked at, in characters; a program may write without end. */
const REMEMBERED = 4096;

/** Colours (ECMA-48, 5.4: control sequences) and everything else that a terminal would obey. */
const CONTROLS = /\p{Cc}\[[0-?]*[ -/]*[@-~]|\p{Cc}/gu;

/** The end of what a program said on its standard error. */
export class LastWords {
  private text = "";

  add(chunk: string): void {
    this.text = (this.text + chunk).slice(-REMEMBERED);
  }

  /** Its last lines in one, without colours; empty if it said nothing. */
  toString(): string {
    const lines = this.text.split("\n").map((line) => line.replace(CONTROLS, "").trim());
    const kept = lines.filter((line) => line !== "");
    return kept.slice(-KEPT_LINES).join(" / ").slice(-KEPT_CHARACTERS);
  }
}
