import t from "tap";
import { DriverError } from "../../../drivers/errors.js";
import { afterClosing, closeAll } from "../../../drivers/pi/switches.js";

const failing = (message: string) => () => Promise.reject(new Error(message));

t.test("what was opened is closed in reverse, past what fails, and the first failure is told", async (t) => {
  const done: string[] = [];
  const noting = (name: string) => async () => void done.push(name);
  await t.rejects(closeAll([noting("relays"), failing("bus"), failing("pin"), noting("camera")]), {
    message: "pin",
  });
  t.same(done, ["camera", "relays"]);
});

t.test(
  "why a board did not open is told, whatever fails in closing it, which is told after it",
  async (t) => {
    const first = new DriverError("BUS_MISSING", "there is no /dev/i2c-1");
    t.equal(await afterClosing(first, [async () => undefined]), first);
    t.match(await afterClosing(first, [failing("the guard hangs")]), {
      code: "BUS_MISSING",
      message: /^there is no \/dev\/i2c-1, and closing .* failed too: the guard hangs: enable I²C/,
      cause: first,
    });
  },
);

t.test("both of two unexpected errors are told, and kept with their stacks", async (t) => {
  const [first, second] = [new TypeError("one"), new Error("two")];
  t.match(await afterClosing(first, [() => Promise.reject(second)]), {
    message: /^one, and closing .* failed too: two$/,
    errors: [first, second],
  });
});
