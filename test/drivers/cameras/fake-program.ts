import { execFileSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { chmodSync, createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "jpeg-js";
import type { Test } from "tap";
import type { CameraCommand } from "../../../drivers/cameras/camera-command.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import type { Cancel } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";

const [width, height] = [64, 48];
const pixels = Buffer.from(Array.from({ length: width * height * 4 }, (_, at) => (at * 7) % 256));
/** 64×48. */
export const PICTURE = encode({ data: pixels, width, height }, 80).data;

/**
 * An executable shell script in a folder of its own, with a real picture.jpg and the pipes `life` and `leave` beside it.
 * It works in that folder.
 */
export function fakeProgram(t: Test, script: string, args: readonly string[] = []): CameraCommand {
  const folder = t.testdirName;
  t.testdir({ "picture.jpg": PICTURE, camera: `#!/bin/sh\ncd '${folder}'\n${script}\n` });
  execFileSync("mkfifo", [join(folder, "life"), join(folder, "leave")]);
  const file = join(folder, "camera");
  chmodSync(file, 0o755);
  return { device: "a test", file, args, debianPackage: "fake-camera" };
}

/** A script's first line: whoever of its processes lives holds the pipe that {@link lifeOf} reads. */
export const HOLD_LIFE = "exec 3>life; echo started >&3";

/** Resolves with two promises: at the program's start, and once it and all that it started are gone. */
export function lifeOf(t: Test): { started: Promise<unknown>; gone: Promise<unknown> } {
  const life = createReadStream(join(t.testdirName, "life"));
  return { started: once(life, "data"), gone: once(life, "end") };
}

/** What a script wrote into a file of its folder. */
export const fileOf = (t: Test, name: string) => readFileSync(join(t.testdirName, name), "utf8");

/** Simulated time that tells when somebody sets a timer: real processes end when they do, and only then may it move on. */
export class WatchedClock extends SimulatedClock {
  private readonly asked = new EventEmitter();

  override after(duration: Millis, fn: () => void): Cancel {
    const cancel = super.after(duration, fn);
    this.asked.emit(String(duration));
    return cancel;
  }

  /** Resolves when the next timer of exactly this duration is set. */
  timerOf(duration: Millis): Promise<unknown> {
    return once(this.asked, String(duration));
  }

  /** Time stands still while what is in pipes already is read. */
  async readPipes(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await this.stand();
  }
}
