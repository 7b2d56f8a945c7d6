#!/usr/bin/env node
import { boot } from "./boot.js";

/** `node boot-one.js KERNEL TEST`: the TAP of one test file from inside the kernel, on stdout. */
const [kernel = "", test = ""] = process.argv.slice(2);
const {
  status,
  trouble,
  console: lines,
} = await boot(kernel, test, (line) => process.stdout.write(`${line}\n`));
if (trouble) process.stdout.write(`not ok - ${trouble}\n`);
if (status !== 0) process.stderr.write(`Last words of the kernel that ran ${test}:\n${lines.join("\n")}\n`);
process.exitCode = status === 0 ? 0 : 1;
