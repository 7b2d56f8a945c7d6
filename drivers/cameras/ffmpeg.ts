import { type CameraCommand, WARM_UP_FRAMES, type WebcamWiring } from "./camera-wiring.js";

/** ffmpeg-filters(1), "transpose", "hflip" and "vflip". */
const TURNED = {
  0: [],
  90: ["transpose=clock"],
  180: ["hflip", "vflip"],
  270: ["transpose=cclock"],
} as const;

/** Quantiser scales of an MJPEG encoder, finest to coarsest, as `-qscale` takes them. */
const SCALES = [2, 31] as const;
/** Qualities as libjpeg counts them. */
const QUALITIES = [95, 1] as const;

/**
 * Options as in ffmpeg(1) and ffmpeg-devices(1), "video4linux2"; "trim" drops the first frames (ffmpeg-filters(1)).
 * `-nostdin`, or it would read commands there.
 */
export const ffmpeg = (wiring: WebcamWiring): CameraCommand => ({
  device: wiring.device,
  file: "ffmpeg",
  args: [
    ...["-nostdin", "-hide_banner", "-loglevel", "error"],
    ...["-f", "v4l2", "-video_size", `${wiring.width}x${wiring.height}`, "-i", wiring.device],
    ...["-vf", [`trim=start_frame=${WARM_UP_FRAMES}`, ...TURNED[wiring.rotation]].join(",")],
    ...["-frames:v", "1", "-c:v", "mjpeg", "-qscale:v", String(scaleFor(wiring.quality))],
    ...["-f", "image2pipe", "pipe:1"],
  ],
  debianPackage: "ffmpeg",
});

/** The two count differently, and no table relates them: a straight line from best to best and worst to worst, a choice. */
function scaleFor(quality: number): number {
  const [best, worst] = QUALITIES;
  const [finest, coarsest] = SCALES;
  return Math.round(finest + ((best - quality) / (best - worst)) * (coarsest - finest));
}
