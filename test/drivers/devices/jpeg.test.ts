import { encode } from "jpeg-js";
import t from "tap";
import { sizeOfJpeg } from "../../../drivers/devices/camera.js";

const picture = (width: number, height: number) =>
  encode({ width, height, data: Buffer.alloc(width * height * 4, 90) }, 80).data;

const jpegOf = (...segments: number[][]) => Uint8Array.from([0xff, 0xd8, ...segments.flat(), 0xff, 0xd9]);
const frameHeader = (code: number, width: number, height: number) => [
  ...[0xff, code, 0, 11, 8],
  ...[height >> 8, height & 255, width >> 8, width & 255],
  ...[1, 1, 0x11, 0],
];

t.test("the size is the one in the frame header", async (t) => {
  t.same(sizeOfJpeg(picture(64, 48)), { width: 64, height: 48 });
  t.same(sizeOfJpeg(picture(17, 300)), { width: 17, height: 300 });
  t.same(sizeOfJpeg(jpegOf(frameHeader(0xc0, 1280, 720))), { width: 1280, height: 720 });
});

t.test("every kind of frame has its header, and tables that lie between are none", async (t) => {
  for (const code of [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xcf])
    t.same(sizeOfJpeg(jpegOf(frameHeader(code, 8, 16))), { width: 8, height: 16 }, code.toString(16));
  for (const code of [0xc4, 0xc8, 0xcc])
    t.equal(sizeOfJpeg(jpegOf(frameHeader(code, 8, 16))), undefined, code.toString(16));
});

t.test("a thumbnail within Exif and fill bytes between segments do not confuse it", async (t) => {
  const thumbnail = [...picture(16, 8)];
  const length = thumbnail.length + 2;
  const exif = [0xff, 0xe1, length >> 8, length & 255, ...thumbnail];
  t.same(sizeOfJpeg(jpegOf(exif, [0xff, 0xff], frameHeader(0xc0, 640, 480))), { width: 640, height: 480 });
});

t.test("what is no JPEG from start to end has no size", async (t) => {
  const good = picture(64, 48);
  for (const [what, bytes] of Object.entries({
    nothing: new Uint8Array(),
    "a text": new TextEncoder().encode("no camera found"),
    "cut off": good.subarray(0, -20),
    "without its start": good.subarray(2),
    "start and end alone": jpegOf(),
    "no frame before the scan": jpegOf([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0], frameHeader(0xc0, 8, 8)),
    "a segment longer than all": jpegOf([0xff, 0xe0, 0xff, 0xff, 1, 2, 3, 4, 5, 6]),
    "a segment of no length": jpegOf([0xff, 0xe0, 0, 0, 1, 2, 3, 4, 5, 6, 7]),
    "a header cut off": jpegOf([0xff, 0xc0, 0, 11, 8, 2]),
    "no lines": jpegOf(frameHeader(0xc0, 8, 0)),
  }))
    t.equal(sizeOfJpeg(bytes), undefined, what);
});

t.test("bytes within a larger buffer are read where they are", async (t) => {
  const good = picture(64, 48);
  const padded = Buffer.concat([Buffer.alloc(13, 0xff), good, Buffer.alloc(5)]);
  t.same(sizeOfJpeg(padded.subarray(13, 13 + good.length)), { width: 64, height: 48 });
});
