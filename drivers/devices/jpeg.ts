import { decode } from "jpeg-js";
import type { Frame } from "../ports.js";
import { messageOf } from "../system-error.js";

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
export type LuminanceResult = { readonly luminance: number } | { readonly fault: string };

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
