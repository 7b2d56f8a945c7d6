import t from "tap";
import type { RpicamWiring, WebcamWiring } from "../../../drivers/cameras/camera-command.js";
import { commandFor } from "../../../drivers/cameras/camera-command.js";
import { seconds } from "../../../drivers/units.js";

const PICTURE = { width: 1280, height: 720, quality: 85, patience: seconds(20) };
const ribbon: RpicamWiring = { ...PICTURE, program: "rpicam-still", index: 0, rotation: 0 };
const webcam: WebcamWiring = { ...PICTURE, program: "fswebcam", device: "/dev/video0", rotation: 0 };

const line = (wiring: RpicamWiring | WebcamWiring) => {
  const { file, args } = commandFor(wiring);
  return [file, ...args].join(" ");
};

t.test(
  "rpicam-still shows no window, lets the exposure settle, and writes a JPEG to its output",
  async (t) => {
    t.equal(
      line({ ...ribbon, index: 1, rotation: 180 }),
      "rpicam-still --nopreview --camera 1 --timeout 2000 --width 1280 --height 720 --rotation 180 --encoding jpg --quality 85 --thumb none --output -",
    );
    t.equal(
      line({ ...ribbon, program: "libcamera-still" }),
      "libcamera-still --nopreview --camera 0 --timeout 2000 --width 1280 --height 720 --rotation 0 --encoding jpg --quality 85 --thumb none --output -",
      "which is what it was called before Bookworm",
    );
  },
);

t.test("fswebcam skips the first frames, draws no banner, and names its output last", async (t) => {
  t.equal(
    line(webcam),
    "fswebcam --quiet --device /dev/video0 --resolution 1280x720 --skip 20 --no-banner --jpeg 85 -",
  );
  t.equal(
    line({ ...webcam, device: "/dev/video2", width: 640, height: 480, quality: 60, rotation: 270 }),
    "fswebcam --quiet --device /dev/video2 --resolution 640x480 --skip 20 --no-banner --rotate 270 --jpeg 60 -",
  );
});

t.test("ffmpeg drops the first frames, turns the picture, and writes one JPEG to its output", async (t) => {
  const upright =
    "ffmpeg -nostdin -hide_banner -loglevel error -f v4l2 -video_size 1280x720 -i /dev/video0 -vf trim=start_frame=20 -frames:v 1 -c:v mjpeg -qscale:v 5 -f image2pipe pipe:1";
  t.equal(line({ ...webcam, program: "ffmpeg" }), upright);
  for (const [rotation, filter] of [
    [90, "transpose=clock"],
    [180, "hflip,vflip"],
    [270, "transpose=cclock"],
  ] as const)
    t.equal(
      line({ ...webcam, program: "ffmpeg", rotation }),
      upright.replace("start_frame=20", `start_frame=20,${filter}`),
    );
});

t.test("ffmpeg's scale runs from 2 at the best quality to 31 at the worst", async (t) => {
  const scale = (quality: number) =>
    / -qscale:v (\d+) /.exec(line({ ...webcam, program: "ffmpeg", quality }))?.[1];
  t.same([95, 48, 1].map(scale), ["2", "17", "31"]);
});

t.test("every program is one word, and every value is an argument of its own", async (t) => {
  for (const program of ["fswebcam", "ffmpeg"] as const) {
    const { file, args } = commandFor({ ...webcam, program, device: "/dev/v4l/by-id/a b;c" });
    t.equal(file, program);
    t.ok(args.includes("/dev/v4l/by-id/a b;c"));
  }
});

t.test("each program names the Debian package it comes in", async (t) => {
  t.equal(commandFor(ribbon).debianPackage, "rpicam-apps");
  t.equal(commandFor({ ...ribbon, program: "libcamera-still" }).debianPackage, "libcamera-apps");
  t.equal(commandFor(webcam).debianPackage, "fswebcam");
  t.equal(commandFor({ ...webcam, program: "ffmpeg" }).debianPackage, "ffmpeg");
});
