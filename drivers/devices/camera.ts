import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { decode } from "jpeg-js";
import { DriverError } from "../errors.js";
import type { Frame, FrameSource } from "../ports.js";
import { messageOf } from "../system-error.js";

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

/** Start and end of every JPEG stream (ITU-T T.81, table B.1); a frame cut off in transfer lacks its end. */
const START_OF_IMAGE = [0xff, 0xd8] as const;
const END_OF_IMAGE = [0xff, 0xd9] as const;
const MARKER = 0xff;
/** SOF0 to SOF15; three codes in between are tables and an extension, not frame headers (T.81, table B.1). */
const FRAME_HEADERS = [0xc0, 0xcf] as const;
const NO_FRAME_HEADERS: readonly number[] = [0xc4, 0xc8, 0xcc];
const START_OF_SCAN = 0xda;
/** Marker, length, precision, lines and samples per line: 2 + 2 + 1 + 2 + 2 bytes (T.81, B.2.2). */
const FRAME_HEADER_BYTES = 9;

/** Pixels. */
interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The size in the frame header, that of an Exif thumbnail aside; undefined for what is no JPEG from start to end. */
export function sizeOfJpeg(jpeg: Uint8Array): PictureSize | undefined {
  if (!isFramed(jpeg)) return undefined;
  const bytes = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.length);
  let at: number = START_OF_IMAGE.length;
  while (at + FRAME_HEADER_BYTES <= jpeg.length && bytes.getUint8(at) === MARKER) {
    const marker = bytes.getUint8(at + 1);
    if (isFrameHeader(marker)) return sizeAt(bytes, at);
    if (marker === START_OF_SCAN) return undefined;
    at += marker === MARKER ? 1 : 2 + bytes.getUint16(at + 2);
  }
  return undefined;
}

const isFramed = (jpeg: Uint8Array): boolean =>
  START_OF_IMAGE.every((byte, at) => jpeg.at(at) === byte) &&
  END_OF_IMAGE.every((byte, at) => jpeg.at(at - END_OF_IMAGE.length) === byte);

const isFrameHeader = (marker: number): boolean =>
  marker >= FRAME_HEADERS[0] && marker <= FRAME_HEADERS[1] && !NO_FRAME_HEADERS.includes(marker);

/** Lines come before samples. No lines at all means that a later marker tells them, which no camera does. */
function sizeAt(bytes: DataView, at: number): PictureSize | undefined {
  const [height, width] = [bytes.getUint16(at + 5), bytes.getUint16(at + 7)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** What a frame may claim about itself before it is decoded. */
const LIMITS = { maxResolutionInMP: 16, maxMemoryUsageInMB: 256 } as const;

/** `luminance`: mean of all pixels, 0 (black) to 255 (white), to one decimal. `fault`: what the frame is instead of a picture. */
type LuminanceResult = { readonly luminance: number } | { readonly fault: string };

/** Decodes the whole frame, and so holds it to what it announces. Synchronous, and takes its time: some 100 ns a pixel on a PC. */
export function measureLuminance({ jpeg, width, height }: Frame): LuminanceResult {
  try {
    const picture = decode(jpeg, {
      useTArray: true,
      formatAsRGBA: false,
      tolerantDecoding: false,
      ...LIMITS,
    });
    if (picture.width === width && picture.height === height) return { luminance: luminanceOf(picture.data) };
    return {
      fault: `a picture of ${picture.width}×${picture.height} where ${width}×${height} was announced`,
    };
  } catch (error) {
    return { fault: `a JPEG that cannot be decoded (${messageOf(error)})` };
  }
}

/** Y′ = 0.299 R′ + 0.587 G′ + 0.114 B′ (ITU-R BT.601-7, 2.5.1) of RGB triples, their mean. */
function luminanceOf(rgb: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < rgb.length; i += 3) {
    sum += 0.299 * (rgb[i] ?? 0) + 0.587 * (rgb[i + 1] ?? 0) + 0.114 * (rgb[i + 2] ?? 0);
  }
  return Math.round((sum * 30) / rgb.length) / 10;
}
