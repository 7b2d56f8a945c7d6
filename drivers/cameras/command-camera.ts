import { type ChildProcessByStdio, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import type { Readable } from "node:stream";
import type { PlantHardwareConfig } from "../board.js";
import { Camera, sizeOfJpeg } from "../devices/camera.js";
import { DriverError } from "../errors.js";
import { type Mutex, MutexByKey } from "../mutex.js";
import type { Cancel, Clock, Frame, FrameSource } from "../ports.js";
import { hasCode, isMissing } from "../system-error.js";
import { type Millis, seconds } from "../units.js";
import { type CameraCommand, type CameraWiring, commandFor, deviceOf } from "./camera-command.js";

type Turns = Pick<Mutex, "run">;

/** A camera that is operated by a program of the system. */
export class CommandCamera implements FrameSource {
  constructor(
    private readonly command: CameraCommand,
    private readonly parts: {
      readonly clock: Clock;
      readonly patience: Millis;
      /** Of the device: cameras that share one take turns. */
      readonly mutex: Turns;
    },
  ) {}

  /** Runs the program once. Rejects with CAMERA_FAILED or CAMERA_PROGRAM_MISSING. */
  grab(): Promise<Frame> {
    return this.parts.mutex.run(async () => this.frameOf(await this.run()));
  }

  private run(): Promise<Output> {
    const { clock, patience } = this.parts;
    const run = new ProgramRun(this.command, clock);
    const cancel = clock.after(patience, () => run.giveUp(`gave no picture within ${patience / 1000} s`));
    return run.output.finally(cancel);
  }

  private frameOf({ bytes, stderr }: Output): Frame {
    const size = sizeOfJpeg(bytes);
    if (size) return { jpeg: bytes, ...size };
    const what = bytes.length === 0 ? "gave no picture" : `gave ${bytes.length} bytes that are no whole JPEG`;
    throw programFailed(this.command, what, stderr);
  }
}

/** The cameras by plant; a plant without one is absent. Plants may share a device, and then take turns at it. Starts nothing yet. */
export function openCameras(
  plants: readonly PlantHardwareConfig[],
  clock: Clock,
  command: (wiring: CameraWiring) => CameraCommand = commandFor,
): Map<string, Camera> {
  const devices = new MutexByKey<string>();
  const cameras = new Map<string, Camera>();
  for (const { id, camera } of plants) {
    if (!camera) continue;
    // looked up for each picture: what is plugged in anew gets another number, and its other name leads there
    const mutex: Turns = { run: (work) => devices.run(realName(deviceOf(camera)), work) };
    const source = new CommandCamera(command(camera), { clock, patience: camera.patience, mutex });
    cameras.set(id, new Camera(source));
  }
  return cameras;
}

/** Of a device with several, as a webcam has under /dev/v4l/by-id. A camera by number has no file. */
function realName(device: string): string {
  try {
    return realpathSync(device);
  } catch {
    return device; // its program says what is wrong with it
  }
}

/** From SIGTERM to SIGKILL. A choice: a camera program releases its device much sooner. */
export const KILL_AFTER: Millis = seconds(2);
/** Time to read what is still in the pipe after the program has ended. A choice. Then every process that still holds the pipe is killed. */
export const DRAIN_TIME: Millis = seconds(1);
/** A picture of 16 megapixels, the most that is decoded, at a byte a pixel. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Nothing of our own environment: a camera program needs no tokens or keys. Messages in English. */
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" };

interface Output {
  readonly bytes: Buffer;
  /** The end of what it said on its standard error. */
  readonly stderr: string;
}

/** One run of a program, as the leader of a process group, so that what it started can be ended with it. */
class ProgramRun {
  /** Rejects with CAMERA_FAILED or CAMERA_PROGRAM_MISSING. */
  readonly output: Promise<Output>;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private readonly stderr = new StderrTail();
  private readonly timers: Cancel[] = [];
  private ended: DriverError | undefined;
  private settle: () => void = () => undefined;

  constructor(
    private readonly command: CameraCommand,
    private readonly clock: Clock,
  ) {
    this.child = spawn(command.file, command.args, {
      cwd: "/",
      env: ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.output = new Promise((resolve, reject) => {
      this.settle = () => {
        this.settle = () => undefined;
        this.finish(resolve, reject);
      };
    });
    this.listen();
  }

  /** Asks the program to end, then kills it. The error says why, and what the program said; the first reason counts. */
  giveUp(what: string): void {
    if (this.ended) return;
    this.ended = this.failed(what);
    this.signal("SIGTERM");
    this.later(KILL_AFTER, () => {
      this.signal("SIGKILL");
      this.later(DRAIN_TIME, () => this.settle());
    });
  }

  private listen(): void {
    const { child } = this;
    child.on("error", (error) => {
      this.ended ??= this.unstartable(error);
      this.settle();
    });
    if (child.pid === undefined) return;
    for (const pipe of [child.stdout, child.stderr])
      pipe.on("error", (error) => this.giveUp(`cannot be listened to (${error.message})`));
    child.stdout.on("data", (chunk: Buffer) => this.take(chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => this.stderr.add(chunk));
    child.once("exit", () => this.later(DRAIN_TIME, () => this.settle()));
    child.once("close", () => this.settle());
  }

  private take(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size <= MAX_BYTES) this.chunks.push(chunk);
    else this.giveUp(`wrote more than ${MAX_BYTES / 1024 / 1024} MiB`);
  }

  private finish(resolve: (output: Output) => void, reject: (reason: unknown) => void): void {
    for (const cancel of this.timers.splice(0)) cancel();
    if (this.child.pid !== undefined) this.release();
    const fault = this.ended ?? this.badEnd();
    if (fault) reject(fault);
    else resolve({ bytes: Buffer.concat(this.chunks), stderr: String(this.stderr) });
  }

  /**
   * Kills the group, with every process in it that still holds the pipe. A process that left the group, or hangs in the
   * kernel, is left alone.
   */
  private release(): void {
    const { stdout, stderr } = this.child;
    if (this.ended || !stdout.readableEnded || !stderr.readableEnded) this.signal("SIGKILL");
    stdout.destroy();
    stderr.destroy();
    this.child.unref();
  }

  private badEnd(): DriverError | undefined {
    const { exitCode, signalCode } = this.child;
    if (exitCode === 0) return undefined;
    return this.failed(signalCode ? `was ended by ${signalCode}` : `ended with status ${exitCode}`);
  }

  private failed(what: string): DriverError {
    return programFailed(this.command, what, String(this.stderr));
  }

  private unstartable(error: Error): DriverError {
    const { file, debianPackage } = this.command;
    if (!isMissing(error)) return this.failed(`cannot be started (${error.message})`);
    const what = `${file} is not installed, the Debian package ${debianPackage} has it`;
    return new DriverError("CAMERA_PROGRAM_MISSING", what);
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // Gone already, or not ours to end: either way nothing is left to do.
      if (!hasCode(error, "ESRCH") && !hasCode(error, "EPERM")) throw error;
    }
  }

  private later(duration: Millis, fn: () => void): void {
    this.timers.push(this.clock.after(duration, fn));
  }
}

/** `stderr`: what the program said itself, if anything. */
const programFailed = ({ file, device }: CameraCommand, what: string, stderr: string): DriverError =>
  new DriverError("CAMERA_FAILED", `${file} at ${device} ${what}${stderr && `, saying "${stderr}"`}`);

/** Enough for the line that says what went wrong; a choice. */
const KEPT_LINES = 3;
const KEPT_CHARACTERS = 300;
/** Longest end of the output that is looked at, in characters; a program may write without end. */
const REMEMBERED = 4096;

/** Colours (ECMA-48, 5.4: control sequences) and everything else that a terminal would obey. */
const CONTROLS = /\p{Cc}\[[0-?]*[ -/]*[@-~]|\p{Cc}/gu;

/** The end of a program's standard error. */
class StderrTail {
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
