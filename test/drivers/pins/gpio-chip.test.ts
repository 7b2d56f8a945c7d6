import t, { type Test } from "tap";
import { globalNumber } from "../../../drivers/pins/sysfs-lines.js";

/** Files as in /sys/class/gpio: chips by their label, with the first number of each. */
function sysfs(t: Test, chips: Readonly<Record<string, number>>): string {
  const folders = Object.entries(chips).map(([label, base]) => [
    `gpiochip${base}`,
    { label: `${label}\n`, base: `${base}\n` },
  ]);
  return t.testdir({ ...Object.fromEntries(folders), export: "", unexport: "", gpio571: { value: "0\n" } });
}

t.test("a BCM number counts from the first line of the header's chip, on every Pi and kernel", async (t) => {
  const boards = [
    ["Pi 3, kernel 6.1", "pinctrl-bcm2835", 0],
    ["Pi 3, kernel 6.6", "pinctrl-bcm2835", 512],
    ["Pi 4, kernel 6.12", "pinctrl-bcm2711", 512],
    ["Pi 5, kernel 6.6", "pinctrl-rp1", 571],
    ["Pi 5, kernel 6.12", "pinctrl-rp1", 569],
  ] as const;
  for (const [board, label, base] of boards) {
    const root = sysfs(t, { [label]: base });
    t.same(
      [globalNumber(0, root), globalNumber(17, root), globalNumber(27, root)],
      [base, base + 17, base + 27],
      board,
    );
  }
});

t.test("chips that are not the header's are passed over, wherever they stand", async (t) => {
  const root = sysfs(t, { "gpio-brcmstb@107d508500": 512, "raspberrypi-exp-gpio": 548, "pinctrl-rp1": 571 });
  t.equal(globalNumber(4, root), 575);
});

t.test("without a header's chip the error names what was found", async (t) => {
  const root = sysfs(t, { "raspberrypi-exp-gpio": 504, "INT34C5:00": 512 });
  const message = new RegExp(`${root}.*\\(.*raspberrypi-exp-gpio.*\\)`);
  t.throws(() => globalNumber(17, root), { code: "GPIO_MISSING", message });
  t.throws(() => globalNumber(17, root), { message: /INT34C5:00/ });
  t.throws(() => globalNumber(17, t.testdir({ export: "" })), {
    code: "GPIO_MISSING",
    message: /no GPIO chip at all/,
  });
});

t.test("a kernel without sysfs GPIO is said to have none", async (t) => {
  const root = `${t.testdir({})}/gpio`;
  t.throws(() => globalNumber(17, root), {
    code: "GPIO_MISSING",
    message: /cannot be read.*kernel without sysfs GPIO/,
  });
});

t.test("what is no BCM number of the header is refused before anything is read", async (t) => {
  for (const bcm of [-1, 28, 1.5, Number.NaN, 512])
    t.throws(() => globalNumber(bcm, "/nowhere"), {
      code: "PIN_UNKNOWN",
      message: new RegExp(`no GPIO ${bcm} `),
    });
});
