import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Gpio } from "onoff";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { loadOnoff, SysfsOutput } from "../../../drivers/pins/sysfs-lines.js";

interface Line {
  readonly fail?: "opening" | "writing";
  /** What an earlier owner has made of the line, which onoff then leaves so. */
  readonly left?: "in" | "active low" | "high";
}

/** Shaped as onoff's Gpio; keeps what was done to it. The genuine one is in test/kernel. */
function scripted({ fail, left }: Line = {}) {
  const done: string[] = [];
  class Pin {
    constructor(number: number, direction: string, _edge: string, { activeLow }: { activeLow: boolean }) {
      const code = "EBUSY";
      if (fail === "opening")
        throw Object.assign(new Error("EBUSY: resource busy or locked, write"), { code });
      done.push(`${number} ${direction}${activeLow ? " active low" : ""}`);
    }
    direction = () => (left === "in" ? "in" : "out");
    activeLow = () => left === "active low";
    readSync = () => (left === "high" ? 1 : 0);
    private opened = false;
    writeSync(value: 0 | 1) {
      if (!this.opened) {
        this.opened = true;
        return; // the look whether it could be set up
      }
      if (fail === "writing") throw new Error("EIO: i/o error, write");
      done.push(`write ${value}`);
    }
    unexport() {
      done.push("unexport");
    }
  }
  return { done, load: async () => Pin as unknown as typeof Gpio };
}

/** A line that somebody has exported: udev's part is test/drivers/pins/exported-line.test.ts. */
// not t.testdir: files that share a process would share that folder
const sysfs = mkdtempSync(join(tmpdir(), "tendril-sysfs-"));
mkdirSync(join(sysfs, "gpio534"));
t.teardown(() => rmSync(sysfs, { recursive: true, force: true }));
const open = (load: () => Promise<typeof Gpio>) =>
  SysfsOutput.open(534, "GPIO 22", new SimulatedClock(), load, sysfs);

t.test("the pin is low from its opening, follows, and is low again before it is given back", async (t) => {
  const { done, load } = scripted();
  const pin = await open(load);
  await pin.set(true);
  await pin.set(false);
  await pin.set(true);
  await pin.close();
  t.same(done, ["534 low", "write 1", "write 0", "write 1", "write 0", "unexport"]);
});

t.test("a pin that cannot be had or moved is a PIN_FAILED that names it and says why", async (t) => {
  await t.rejects(open(scripted({ fail: "opening" }).load), {
    code: "PIN_FAILED",
    message:
      /^GPIO 22 cannot be taken as an output \(EBUSY: its pin is taken, by an overlay or another program\)/,
  });
  const { done, load } = scripted({ fail: "writing" });
  const pin = await open(load);
  await t.rejects(pin.set(true), { code: "PIN_FAILED", message: /^GPIO 22 cannot be switched on \(EIO/ });
  await t.rejects(pin.close(), { code: "PIN_FAILED", message: /switched off/ });
  t.equal(done.at(-1), "unexport", "it is given back all the same");
});

for (const left of ["in", "active low", "high"] as const)
  t.test(`a line that somebody has left ${left}, and that onoff could not set up, is refused`, async (t) => {
    await t.rejects(open(scripted({ left }).load), {
      code: "PIN_FAILED",
      message: /^GPIO 22 .*line 534 could not be set up as an output that is off/,
    });
  });

t.test("without the package there is no pin, said in one sentence", async (t) => {
  const unbuilt = () => Promise.reject(new Error("Cannot find module './build/Release/epoll'"));
  const expected = { code: "PACKAGE_UNAVAILABLE", message: /onoff is not installed.*npm rebuild/ };
  await t.rejects(
    open(() => loadOnoff(unbuilt)),
    expected,
  );
});
