import { decode } from "jpeg-js";
import { DriverError } from "../errors.js";
import type { Frame, FrameSource } from "../ports.js";

export interface Photo extends Frame {
  /** Mean of all pixels, 0 (black) to 255 (white), to one decimal. */
  readonly luminance: number;
  /** Too dark to judge a plant by: luminance below {@link DARK_BELOW}. */
  readonly dark: boolean;
}

/** A tenth of full scale. A room at night gives 0 to 10, a plant in daylight or under its lamp 60 and more. */
const DARK_BELOW = 25;
/** Start and end of every JPEG stream (ITU-T T.81, table B.1); a frame cut off in transfer lacks its end. */
const START_OF_IMAGE = [0xff, 0xd8] as const;
const END_OF_IMAGE = [0xff, 0xd9] as const;
/** What a frame may claim about itself before it is decoded. */
const LIMITS = { maxResolutionInMP: 16, maxMemoryUsageInMB: 256 } as const;

/** A camera whose pictures are whole and of the size they claim. */
export class Camera {
  constructor(private readonly source: FrameSource) {}

  /** Rejects with CAMERA_FAILED: no frame, or none that is a whole JPEG. */
  async capture(signal?: AbortSignal): Promise<Photo> {
    const { jpeg, width, height } = await this.source.grab(signal);
    const luminance = luminanceOf(pixelsOf({ jpeg, width, height }));
    return { jpeg, width, height, luminance, dark: luminance < DARK_BELOW };
  }
}

function pixelsOf({ jpeg, width, height }: Frame): Uint8Array {
  if (!isFramed(jpeg)) throw failed(`${jpeg.length} bytes that are no whole JPEG`);
  const picture = decoded(jpeg);
  if (picture.width === width && picture.height === height) return picture.data;
  throw failed(`a picture of ${picture.width}×${picture.height} where ${width}×${height} was announced`);
}

const isFramed = (jpeg: Uint8Array): boolean =>
  START_OF_IMAGE.every((byte, at) => jpeg.at(at) === byte) &&
  END_OF_IMAGE.every((byte, at) => jpeg.at(at - 2) === byte);

function decoded(jpeg: Uint8Array) {
  try {
    return decode(jpeg, { useTArray: true, formatAsRGBA: false, tolerantDecoding: false, ...LIMITS });
  } catch (cause) {
    throw failed("a JPEG that cannot be decoded", cause);
  }
}

const failed = (what: string, cause?: unknown) =>
  new DriverError("CAMERA_FAILED", `the camera gave ${what}`, { cause });

/** Y′ = 0.299 R′ + 0.587 G′ + 0.114 B′ (ITU-R BT.601-7, 2.5.1) of RGB triples, their mean. */
function luminanceOf(rgb: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < rgb.length; i += 3) {
    sum += 0.299 * (rgb[i] ?? 0) + 0.587 * (rgb[i + 1] ?? 0) + 0.114 * (rgb[i + 2] ?? 0);
  }
  return Math.round((sum * 30) / rgb.length) / 10;
}
