import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { DriverError } from "../errors.js";
import type { Frame, FrameSource } from "../ports.js";
import { type LuminanceResult, measureLuminance, sizeOfJpeg } from "./jpeg.js";

interface Photo extends Frame {
  /** Mean of all pixels, 0 (black) to 255 (white), to one decimal. */
  readonly luminance: number;
  /** Too dark to judge a plant by: luminance below {@link DARK_BELOW}. */
  readonly dark: boolean;
}

/** A tenth of full scale. A room at night gives 0 to 10, a plant in daylight or under its lamp 60 and more. */
const DARK_BELOW = 25;
/**
 * Pixels that are decoded where they are: 320×240, a simulated picture, about 10 ms on a PC. A choice: a thread costs
 * 100 ms before it begins, but 1280×720 would hold up everybody else for 80 to 190 ms (measured there), longer on a Pi.
 */
const DECODED_IN_PLACE = 320 * 240;

/** A camera whose pictures are whole and of the size they claim. */
export class Camera {
  constructor(private readonly source: FrameSource) {}

  /** Rejects as its source does, and with CAMERA_FAILED for what is no whole JPEG of the size announced. */
  async capture(): Promise<Photo> {
    const { jpeg, width, height } = await this.source.grab();
    const result = await luminanceResult({ jpeg, width, height });
    if ("fault" in result) throw failed(result.fault);
    const { luminance } = result;
    return { jpeg, width, height, luminance, dark: luminance < DARK_BELOW };
  }
}

async function luminanceResult(frame: Frame): Promise<LuminanceResult> {
  const size = sizeOfJpeg(frame.jpeg);
  if (!size) return { fault: `${frame.jpeg.length} bytes that are no whole JPEG` };
  const small = size.width * size.height <= DECODED_IN_PLACE;
  return small ? measureLuminance(frame) : measureInWorker(frame);
}

const failed = (what: string) => new DriverError("CAMERA_FAILED", `the camera gave ${what}`);

const WORKER = new URL("./luminance-worker.js", import.meta.url);
/** Nothing of how this process was started: a loader or profiler named in its environment is not meant for this thread. */
const PLAIN = { execArgv: [], env: {} };

/**
 * {@link measureLuminance} in a new thread for this frame: pictures are rare, and the event loop must stay free to switch
 * off.
 */
async function measureInWorker(frame: Frame): Promise<LuminanceResult> {
  const worker = new Worker(WORKER, { ...PLAIN, workerData: frame });
  try {
    const [result] = await once(worker, "message");
    return result;
  } catch (error) {
    return { fault: `a picture that could not be looked at (${error})` };
  } finally {
    void worker.terminate();
  }
}
