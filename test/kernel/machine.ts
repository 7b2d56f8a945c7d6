import { realpathSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "./kernel.js";

/** Where i2c-stub answers: two ADS1115, a seesaw moisture sensor. It takes ten addresses at most. */
const STUB_CHIPS = [0x36, 0x48, 0x49].join(",");

/** What a kernel boots into, for one test file. */
export interface Machine {
  /** The folder that build.sh names. */
  readonly kernel: string;
  /** The compiled test file. */
  readonly test: string;
  /** Megabytes. Only what is touched costs memory. */
  readonly memory: number;
  /** Scripts of ours that go into the folder of the boot. */
  readonly scripts: readonly string[];
  /** What they are told. */
  readonly settings: Readonly<Record<string, string>>;
  /** What else whoever runs the kernel must be able to read. */
  readonly needs: readonly string[];
  /** Arguments of the kernel: where its root is, and its first process. `folder`: that of the boot. */
  root(folder: string): readonly string[];
}

/** The machine's own system, read-only, and a shell that runs the test. */
export const inMemory = (kernel: string, test: string): Machine => ({
  kernel,
  test,
  memory: 512,
  scripts: ["init.sh"],
  settings: { NODE: process.execPath, PROJECT, TEST: test, STUB_CHIPS },
  needs: [process.execPath, test],
  root: (folder) => [
    ..."root=/dev/root rootfstype=hostfs rootflags=/ ro".split(" "),
    `init=${folder}/init.sh`,
  ],
});

/**
 * A Debian of its own on a disk that stays, with systemd as first process and the test as one of its units. `story`: a folder
 * with `base.ext4`, and whatever else the test is to see; `disk`: the file in it that takes what is written.
 */
export const onDisk = (kernel: string, test: string, story: string, disk: string): Machine => ({
  kernel,
  test,
  // a Node needs some 100 MB, and beside systemd there are five of them
  memory: 1024,
  scripts: ["board.sh", "chip.sh", "test.sh"].map((name) => `debian/${name}`),
  settings: {
    PROJECT,
    MODULES: realpathSync(join(PROJECT, "node_modules")),
    STORY: story,
    TEST: test,
    STUB_CHIPS,
  },
  needs: [test, story],
  root: (folder) => [
    `ubd0=${join(story, disk)},${join(story, "base.ext4")}`,
    ..."root=/dev/ubda rw systemd.show_status=0".split(" "),
    // else systemd would reset the kernel on a machine that is too busy to let it run for 14 s
    "systemd.watchdog_sec=off",
    `bench=${folder}`,
  ],
});
