import t from "tap";
import { SystemClock } from "../../../../drivers/clock/system-clock.js";
import { DriverError } from "../../../../drivers/errors.js";
import { camerasIn, inspect } from "../../../../drivers/pi/inspect/inspect.js";
import { groupId, groupsOf, type Machine, operatingSystem } from "../../../../drivers/pi/inspect/machine.js";
import { computer } from "./computers.js";

const clock = new SystemClock();
const SILENT = async () => ({ said: "", status: undefined });
const noBus = async () => {
  throw new Error("no bus was to be opened");
};
const look = (machine: Machine) =>
  inspect({ machine, clock, run: SILENT, openBus: noBus, leaveBus: "left alone" });

t.test("a Pi 4 with bookworm: board, system, memory, camera, ports and every taken pin", async (t) => {
  const found = await look(computer(t, "pi4"));
  t.match(found, {
    board: "Raspberry Pi 4 Model B Rev 1.4",
    megabytes: 3978,
    hostname: "plants",
    system: { name: "Debian GNU/Linux 12 (bookworm)", isRaspberryPiOs: true },
    leds: [{ name: "basil-pump", node: { gpio: 17, activeLow: false } }],
    webcams: [{ device: "/dev/v4l/by-id/usb-046d_0825_ABCDEF-video-index0", name: "UVC Camera (046d:0825)" }],
    serialPorts: ["/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0", "/dev/serial0"],
    configTxt: { file: "/boot/firmware/config.txt" },
  });
  t.same(
    [...found.taken].sort(([a], [b]) => a - b),
    [
      [4, "1-Wire (dtoverlay=w1-gpio)"],
      [12, "rotary-encoder"],
      [17, "the LED basil-pump"],
      [23, "a program, by sysfs"],
    ],
  );
});

t.test("a Pi 5 with trixie fresh from the image: no bus yet, and what makes one", async (t) => {
  const found = await look(computer(t, "pi5"));
  t.equal(found.board, "Raspberry Pi 5 Model B Rev 1.0");
  t.equal(found.taken.size, 0, "the board's own SPI is not the header's");
  t.match(found.headerBus, { chips: [], problem: /no \/dev\/i2c-1 yet.*dtparam=i2c_arm=on/ });
});

t.test("a kernel that counts each chip's lines from 0 is understood as well", async (t) => {
  const list = `gpiochip0: 54 GPIOs, parent: platform/1f000d0000.gpio, pinctrl-rp1:
 gpio-22  (GPIO22              |other program       ) out lo
gpiochip4: 32 GPIOs, parent: platform/107d508500.gpio, gpio-brcmstb@107d508500:
 gpio-9   (-                   |ACT                 ) out lo
`;
  const found = await look(computer(t, "pi5", { "sys/kernel/debug/gpio": list }));
  t.same([...found.taken], [[22, "other program"]]);
});

t.test("a Zero 2 W with 32 bits is Raspberry Pi OS too, and what SPI and sound have is taken", async (t) => {
  const machine = computer(t, "zero2w");
  const found = await look(machine);
  t.ok(found.board);
  t.match(operatingSystem(machine, "arm"), { isRaspberryPiOs: true, bits: 32 });
  t.same(
    [...found.taken.keys()].sort((a, b) => a - b),
    [7, 8, 9, 10, 11, 18, 19, 20, 21],
  );
});

t.test("a PC is no Pi, and its I²C bus, which may be the memory's, is not touched", async (t) => {
  const machine = computer(t, "pc");
  const found = await inspect({ machine, clock, run: noBus, openBus: noBus });
  t.equal(found.board, undefined);
  t.match(found.headerBus, { chips: [], problem: /no header/ });
  t.match(found.system, { isRaspberryPiOs: false });
});

t.test("a bus that we may not use is told of, and everything else is still found", async (t) => {
  const openBus = async () => {
    throw new DriverError("BUS_FORBIDDEN", "we may not use /dev/i2c-1");
  };
  const found = await inspect({ machine: computer(t, "pi4"), clock, run: SILENT, openBus });
  t.match(found.headerBus.problem, /BUS_FORBIDDEN/);
  t.ok(found.board);
});

t.test("cameras on the ribbon are those that rpicam-still lists, in its own count", async (t) => {
  const list = `Available cameras
-----------------
0 : imx708_wide [4608x2592 10-bit RGGB] (/base/axi/pcie@120000/rp1/i2c@88000/imx708@1a)
    Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]
                             2304x1296 [56.03 fps - (0, 0)/4608x2592 crop]

1 : ov5647 [2592x1944] (/base/axi/pcie@120000/rp1/i2c@80000/ov5647@36)
    Modes: 'SGBRG10_CSI2P' : 640x480 [58.92 fps - (16, 0)/2560x1920 crop]
`;
  t.same(camerasIn(list), [
    { index: 0, sensor: "imx708_wide" },
    { index: 1, sensor: "ov5647" },
  ]);
  t.same(camerasIn("No cameras available!\n"), []);
  const asked: string[] = [];
  const run = async (program: string) => {
    asked.push(program);
    return {
      said: program === "libcamera-still" ? list : "",
      status: program === "libcamera-still" ? 0 : undefined,
    };
  };
  const found = await inspect({ machine: computer(t, "pi4"), clock, run, leaveBus: "left alone" });
  t.same(asked, ["rpicam-still", "libcamera-still"], "the old name where the new one is not installed");
  t.match(found.ribbonCameras, [{ program: "libcamera-still", index: 0 }, { index: 1 }]);
});

t.test("a user's groups are those that name it, and its own", async (t) => {
  const machine = computer(t, "pi4");
  t.same(groupsOf(machine, "tendril").toSorted(), ["dialout", "gpio", "i2c", "tendril", "video"]);
  t.same(groupsOf(machine, "nobody-here"), []);
  t.equal(groupId(machine, "gpio"), 993);
  t.equal(groupId(machine, "spi"), undefined);
});
