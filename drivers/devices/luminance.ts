import { decode } from "jpeg-js";
import type { Frame } from "../ports.js";

/** What a frame may claim about itself before it is decoded. */
const LIMITS = { maxResolutionInMP: 16, maxMemoryUsageInMB: 256 } as const;

/** `luminance`: mean of all pixels, 0 (black) to 255 (white), to one decimal. `fault`: what the frame is instead of a picture. */
export type Judgement = { readonly luminance: number } | { readonly fault: string };

/** Decodes the whole frame, and so holds it to what it announces. Synchronous, and takes its time: some 100 ns a pixel on a PC. */
export function judge({ jpeg, width, height }: Frame): Judgement {
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
    return { fault: `a JPEG that cannot be decoded (${error instanceof Error ? error.message : error})` };
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
