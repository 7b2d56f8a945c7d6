import { boot } from "./boot.js";
import { inMemory, onDisk } from "./machine.js";

/**
 * `node boot-one.js KERNEL TEST [STORY DISK]`: the TAP of one test file from inside the kernel, on stdout; under systemd from
 * a disk of STORY, where one is named.
 */
const [kernel = "", test = "", story, disk = ""] = process.argv.slice(2);
const machine = story === undefined ? inMemory(kernel, test) : onDisk(kernel, test, story, disk);
let tested = false;
const {
  status,
  trouble,
  console: lastLines,
} = await boot(machine, (line) => {
  tested ||= /^(not )?ok /.test(line);
  process.stdout.write(`${line}\n`);
});
// A file that tests nothing would pass for one whose tests were all skipped.
const wrong = trouble ?? (tested ? undefined : "nothing was tested");
if (wrong) process.stdout.write(`not ok - ${wrong}\n`);
if (wrong || status !== 0) {
  console.error(`Last words of the kernel that ran ${test}:\n${lastLines.join("\n")}`);
  process.exitCode = 1;
}
