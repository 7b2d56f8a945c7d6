import type { RelayLine } from "../../../drivers/guard/relay.js";

/** A line without hardware, whose files can be made to fail. */
export class ScriptedLine implements RelayLine {
  readonly cutoff = "none";
  /** What was done, oldest first. */
  done: string[] = [];
  failing: "nothing" | "on" | "off" | "stays on" | "stays off" = "nothing";
  private level = false;

  switchOn(): void {
    if (this.failing === "on") throw new Error("EIO: i/o error, write");
    this.done.push("on");
    this.level = this.failing !== "stays off";
  }

  switchOff(): void {
    if (this.failing === "off") throw new Error("EIO: i/o error, write");
    this.done.push("off");
    this.level = this.failing === "stays on" && this.level;
  }

  isOn(): boolean {
    return this.level;
  }

  close(): void {
    this.done.push("closed");
    this.level = false;
  }
}
