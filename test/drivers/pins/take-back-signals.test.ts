import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import t from "tap";
import { takeBackSignals } from "../../../drivers/pins/pigpio-line.js";
import { PLAIN_NODE } from "../../spawn-node.js";

/** A set of signals of this process as the kernel has it: caught (`SigCgt`) or ignored (`SigIgn`). */
function has(set: "SigCgt" | "SigIgn", signal: keyof typeof constants.signals): boolean {
  const status = readFileSync("/proc/self/status", "utf8");
  const mask = status.split(`${set}:`)[1]?.trim().split("\n")[0] ?? "0";
  return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals[signal] - 1))) !== 0n;
}

/** In a process of its own, whose signals no test library has touched. */
const CHILD = `
  const { readFileSync } = require("node:fs");
  const caught = () => BigInt("0x" + readFileSync("/proc/self/status", "utf8").match(/SigCgt:\\s*(\\w+)/)[1]) >> 14n & 1n;
  const before = caught();
  import(process.argv[1]).then((module) => {
    module.takeBackSignals();
    console.log(String(before), String(caught()));
    process.abort();
  });`;

t.test("a handler that native code has set is gone, and a crash is a plain death", async (t) => {
  const module = join(import.meta.dirname, "../../../drivers/pins/pigpio-line.js");
  const [command, ...before] = PLAIN_NODE;
  const { stdout, signal } = spawnSync(command, [...before, "-e", CHILD, module], { encoding: "utf8" });
  t.equal(stdout, "1 0\n", "Node catches SIGTERM in C++, as pigpio does with every signal");
  t.equal(signal, "SIGABRT");
});

t.test("who listens to a signal hears it still", async (t) => {
  const heard: string[] = [];
  const listener = (signal: string) => heard.push(signal);
  process.on("SIGHUP", listener);
  takeBackSignals();
  t.equal(has("SigCgt", "SIGHUP"), true);
  process.kill(process.pid, "SIGHUP");
  while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.same(heard, ["SIGHUP"]);
  process.off("SIGHUP", listener);
});

t.test("a broken pipe stays ignored", async (t) => {
  t.equal(has("SigIgn", "SIGPIPE"), true);
  takeBackSignals();
  t.equal(has("SigIgn", "SIGPIPE"), true);
});
