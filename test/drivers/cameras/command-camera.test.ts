import { closeSync, existsSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { CameraCommand } from "../../../drivers/cameras/camera-command.js";
import {
  CommandCamera,
  DRAIN_TIME,
  KILL_AFTER,
  openCameras,
} from "../../../drivers/cameras/command-camera.js";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { seconds } from "../../../drivers/units.js";
import { BASIL } from "../bench-rig.js";
import { frameSourceContract } from "../frame-source-contract.js";
import { fakeProgram, fileOf, HOLD_LIFE, lifeOf, PICTURE, WatchedClock } from "./fake-program.js";

const PATIENCE = seconds(20);

const cameraOf = (command: CameraCommand, clock: Clock = new WatchedClock(), mutex = new Mutex()) =>
  new CommandCamera(command, { clock, patience: PATIENCE, mutex });

const cameraRunning = (t: Test, script: string, clock?: Clock) => cameraOf(fakeProgram(t, script), clock);

t.test("a program is a source of frames as any other", async (t) => {
  frameSourceContract(t, (t) => ({
    working: cameraRunning(t, "cat picture.jpg"),
    dead: cameraOf({ device: "a test", file: "/bin/false", args: [], debianPackage: "coreutils" }),
  }));
});

t.test("the frame is what the program wrote, to the byte, and its size is the picture's own", async (t) => {
  const { jpeg, width, height } = await cameraRunning(t, "cat picture.jpg; echo all is well >&2").grab();
  t.same(Buffer.from(jpeg), PICTURE);
  t.same({ width, height }, { width: 64, height: 48 });
});

t.test("arguments reach the program as they are: no shell reads them", async (t) => {
  const hostile = [";touch pwned", "$(touch pwned)", "`touch pwned`", "| touch pwned", "a  b", "", "*"];
  const command = fakeProgram(
    t,
    `touch args; for each in "$@"; do echo "<$each>" >> args; done; cat picture.jpg`,
    hostile,
  );
  await cameraOf(command).grab();
  t.same(fileOf(t, "args"), hostile.map((each) => `<${each}>\n`).join(""));
  t.notOk(existsSync(join(t.testdirName, "pwned")));
});

/** tap adds variables of its own to every child. */
t.test("the program sees nothing of our environment, our folder or our input", async (t) => {
  process.env.TENDRIL_TEST_SECRET = "a token";
  t.teardown(() => delete process.env.TENDRIL_TEST_SECRET);
  await cameraRunning(t, "env > env; readlink /proc/self/fd/0 > stdin; cat picture.jpg").grab();
  t.notMatch(fileOf(t, "env"), /TENDRIL|a token|^HOME=/m);
  t.match(fileOf(t, "env"), /^LC_ALL=C$/m);
  t.equal(fileOf(t, "stdin"), "/dev/null\n");
});

t.test("a program that fails says why in its own last words, without its colours", async (t) => {
  const script = `for n in 1 2 3 4; do echo "line $n" >&2; done; printf '\\033[31mno camera\\033[0m\\a\\n' >&2; exit 3`;
  await t.rejects(cameraRunning(t, script).grab(), {
    code: "CAMERA_FAILED",
    message: /camera at a test ended with status 3, saying "line 3 \/ line 4 \/ no camera": check/,
  });
});

t.test("a program that ends well but gives nothing has failed too, as fswebcam does it", async (t) => {
  await t.rejects(cameraRunning(t, "echo 'stat: No such file or directory' >&2").grab(), {
    code: "CAMERA_FAILED",
    message: /gave no picture, saying "stat: No such file or directory"/,
  });
});

t.test("what is cut off, or no picture at all, is no frame", async (t) => {
  for (const script of [
    "head -c -20 picture.jpg",
    "head -c 100 picture.jpg",
    "echo smile",
    "tail -c +3 picture.jpg",
  ])
    await t.test(script, (t) =>
      t.rejects(cameraRunning(t, script).grab(), {
        code: "CAMERA_FAILED",
        message: /bytes that are no whole JPEG/,
      }),
    );
});

t.test("a program that crashes is told by its signal", async (t) => {
  await t.rejects(cameraRunning(t, "kill -SEGV $$").grab(), { message: /was ended by SIGSEGV/ });
});

t.test(
  "a program that is not there is told with the package that has it, one that may not run with why",
  async (t) => {
    const missing = {
      device: "camera 0",
      file: "/nowhere/rpicam-still",
      args: [],
      debianPackage: "rpicam-apps",
    };
    await t.rejects(cameraOf(missing).grab(), {
      code: "CAMERA_PROGRAM_MISSING",
      message:
        /rpicam-still is not installed, the Debian package rpicam-apps has it: install the named package/,
    });
    await t.rejects(cameraOf({ ...missing, file: "/etc/passwd" }).grab(), {
      code: "CAMERA_FAILED",
      message: /cannot be started \(.*EACCES/,
    });
  },
);

t.test("a program that hangs is ended after its time, with what it said", async (t) => {
  const clock = new WatchedClock();
  const script = `echo waiting for the camera >&2; ${HOLD_LIFE}; exec sleep 1000`;
  const refused = t.rejects(cameraRunning(t, script, clock).grab(), {
    code: "CAMERA_FAILED",
    message: /gave no picture within 20 s, saying "waiting for the camera"/,
  });
  const { started, gone } = lifeOf(t);
  await started;
  await clock.readPipes();
  await clock.advance(PATIENCE);
  await Promise.all([refused, gone]);
});

t.test("a program that does not listen to SIGTERM is killed, with all that it started", async (t) => {
  const clock = new WatchedClock();
  const script = `trap '' TERM; ${HOLD_LIFE}; sleep 1000 & sleep 1000; sleep 1000`;
  const failed = { code: "CAMERA_FAILED", message: /within 20 s/ };
  const refused = t.rejects(cameraRunning(t, script, clock).grab(), failed);
  const { started, gone } = lifeOf(t);
  await started;
  await clock.advance(PATIENCE);
  await clock.advance(KILL_AFTER);
  await Promise.all([refused, gone]);
});

t.test("a program that writes without end is ended at 16 MiB", async (t) => {
  const grab = cameraRunning(t, `${HOLD_LIFE}; exec yes`).grab();
  const { gone } = lifeOf(t);
  await t.rejects(grab, { code: "CAMERA_FAILED", message: /wrote more than 16 MiB/ });
  await gone;
});

t.test("a program that complains without end gives a short error", async (t) => {
  const grab = cameraRunning(t, "yes 'an old complaint' | head -c 1000000 >&2; exit 1").grab();
  const error: Error = await grab.then(
    () => t.fail("no picture was written"),
    (reason) => reason,
  );
  t.ok(error.message.length < 1000, `${error.message.length} characters`);
});

t.test("what a program leaves behind with its output open holds nobody up, and is ended", async (t) => {
  const clock = new WatchedClock();
  const drained = clock.timerOf(DRAIN_TIME);
  const grab = cameraRunning(t, `${HOLD_LIFE}; cat picture.jpg; sleep 1000 & exit 0`, clock).grab();
  const { gone } = lifeOf(t);
  await drained;
  await clock.readPipes();
  await clock.advance(DRAIN_TIME);
  t.match(await grab, { width: 64, height: 48 });
  await gone;
});

t.test("nor does what has left the program's group, though nobody can end that", async (t) => {
  const clock = new WatchedClock();
  const drained = clock.timerOf(DRAIN_TIME);
  const away = "setsid sh -c 'echo away >&3; read line < leave' &";
  const grab = cameraRunning(t, `${HOLD_LIFE}; cat picture.jpg; ${away} exit 0`, clock).grab();
  const { gone } = lifeOf(t);
  await drained;
  await clock.readPipes();
  await clock.advance(DRAIN_TIME);
  t.match(await grab, { width: 64, height: 48 });
  const leave = openSync(join(t.testdirName, "leave"), "r+");
  writeSync(leave, "now\n");
  await gone;
  closeSync(leave);
});

t.test("cameras of one device take turns", async (t) => {
  const script = "echo in >> log; cat picture.jpg; echo out >> log";
  const command = fakeProgram(t, script);
  const [mutex, clock] = [new Mutex(), new WatchedClock()];
  const [one, two] = [cameraOf(command, clock, mutex), cameraOf(command, clock, mutex)];
  const grabs = [one.grab(), two.grab(), one.grab()];
  t.equal((await Promise.all(grabs)).length, 3);
  await two.grab();
  t.equal(fileOf(t, "log"), "in\nout\n".repeat(4));
});

t.test("so do two names of one webcam, also after it was plugged in anew", async (t) => {
  const command = fakeProgram(t, "mkdir busy || exit 1; cat picture.jpg; sleep 0.2; rmdir busy");
  const [video, byId] = ["video0", "by-id"].map((name) => join(t.testdirName, name)) as [string, string];
  const plant = (id: string, device: string) => ({
    ...BASIL,
    id,
    camera: {
      program: "fswebcam" as const,
      device,
      width: 64,
      height: 48,
      rotation: 0 as const,
      quality: 90,
      patience: PATIENCE,
    },
  });
  const cameras = openCameras([plant("a", video), plant("b", byId)], new WatchedClock(), () => command);
  for (const target of [video, join(t.testdirName, "video2")]) {
    writeFileSync(target, "");
    rmSync(byId, { force: true });
    symlinkSync(target, byId);
    if (target !== video) {
      rmSync(video);
      symlinkSync(target, video);
    }
    const pictures = await Promise.all([...cameras.values()].map((camera) => camera.capture()));
    t.equal(pictures.length, 2);
  }
});

t.test("after a failure the next in turn gets its picture", async (t) => {
  const camera = cameraRunning(t, "if mkdir once; then exit 1; fi; cat picture.jpg");
  const [first, second] = await Promise.allSettled([camera.grab(), camera.grab()]);
  t.match([first.status, second.status], ["rejected", "fulfilled"]);
});
