import t from "tap";
import { type LoadOnoff, SysfsOutput } from "../../../drivers/pins/sysfs-output.js";

/** Shaped as onoff's Gpio; keeps what was done to it. */
function scripted(fail?: "opening" | "writing") {
  const done: string[] = [];
  class Gpio {
    constructor(number: number, direction: "low") {
      if (fail === "opening") throw new Error("EACCES: permission denied, open '/sys/class/gpio/export'");
      done.push(`${number} ${direction}`);
    }
    async write(value: 0 | 1) {
      if (fail === "writing") throw new Error("EIO: i/o error, write");
      done.push(`write ${value}`);
    }
    unexport() {
      done.push("unexport");
    }
  }
  const load = (async () => ({ Gpio })) as unknown as LoadOnoff;
  return { done, load };
}

t.test("the pin is low from its opening, follows, and is low again before it is given back", async (t) => {
  const { done, load } = scripted();
  const pin = await SysfsOutput.open(534, "GPIO 22", load);
  await pin.set(true);
  await pin.set(false);
  await pin.set(true);
  await pin.close();
  t.same(done, ["534 low", "write 1", "write 0", "write 1", "write 0", "unexport"]);
});

t.test("a pin that cannot be had or moved is a PIN_FAILED that names it and says why", async (t) => {
  await t.rejects(SysfsOutput.open(534, "GPIO 22", scripted("opening").load), {
    code: "PIN_FAILED",
    message: /^GPIO 22 cannot be taken as an output \(EACCES/,
  });
  const { done, load } = scripted("writing");
  const pin = await SysfsOutput.open(534, "GPIO 22", load);
  await t.rejects(pin.set(true), { code: "PIN_FAILED", message: /^GPIO 22 cannot be switched on \(EIO/ });
  await t.rejects(pin.close(), { code: "PIN_FAILED", message: /switched off/ });
  t.equal(done.at(-1), "unexport", "it is given back all the same");
});

t.test("without the package there is no pin, said in one sentence", async (t) => {
  const unbuilt = () => Promise.reject(new Error("Cannot find module './build/Release/epoll'"));
  const expected = { code: "PACKAGE_UNAVAILABLE", message: /onoff is not installed.*npm rebuild/ };
  await t.rejects(SysfsOutput.open(534, "GPIO 22", unbuilt), expected);
});
