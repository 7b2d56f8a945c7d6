import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { PLAIN_NODE } from "../spawn-node.js";
import { builtDebian, builtKernel } from "./kernel.js";
import { StoryFolder } from "./story-folder.js";

/**
 * The package's life on a Debian of its own: installed, troubled, upgraded, rebooted, purged. What is installed once is, by
 * copies of its disk, the beginning of each trouble. One boot at a time: two kernels would take each other's processor.
 */

const BOOT_ONE = fileURLToPath(new URL("boot-one.js", import.meta.url));
const INSIDE = fileURLToPath(new URL("systemd/", import.meta.url));
/** Milliseconds. boot.ts ends a kernel sooner than that. */
const TIME_LIMIT = 660_000;
const TROUBLES = ["kill", "hang", "memory", "disk", "limit"];
const REST = ["upgrade", "reboot", "purge"];
const ONE = "one.cow";

const [kernel, debian] = [builtKernel(), builtDebian()];
const names = process.argv.slice(2);
if ("cannot" in kernel) t.plan(0, kernel.cannot);
else if ("cannot" in debian) t.plan(0, debian.cannot);
else await tell(t, kernel.path, debian.path);

async function tell(t: Test, kernel: string, image: string): Promise<void> {
  const story = new StoryFolder();
  t.teardown(() => story.remove());
  await story.fill(image);
  const boot = (name: string, disk: string) => {
    const [program, ...before] = PLAIN_NODE;
    const args = [...before, BOOT_ONE, kernel, `${INSIDE}${name}.test.js`, story.path, disk];
    return t.spawn(program, args, { timeout: TIME_LIMIT }, name);
  };
  const asked = (all: readonly string[]) =>
    names.length === 0 ? all : all.filter((name) => names.includes(name));
  await boot("install", ONE);
  for (const name of asked(TROUBLES)) {
    story.copyDisk(ONE, `${name}.cow`);
    await boot(name, `${name}.cow`);
  }
  for (const name of asked(REST)) await boot(name, ONE);
}
