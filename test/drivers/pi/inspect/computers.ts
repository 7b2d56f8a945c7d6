import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Test } from "tap";
import { Machine } from "../../../../drivers/pi/inspect/machine.js";

/**
 * Folders that stand for computers. Reconstructed, not recorded: no Raspberry Pi was at hand. Each fact is as somebody showed
 * it in public: revision codes and models by the Raspberry Pi documentation ("Raspberry Pi revision codes"), os-release and
 * kernel versions as in raspberrypi/linux issues, the text of /sys/kernel/debug/gpio by the kernel's gpiolib_dbg_show.
 */
type Files = Readonly<Record<string, string | Buffer | { readonly link: string }>>;

const DEBIAN = (version: string, codename: string) =>
  `PRETTY_NAME="Debian GNU/Linux ${version} (${codename})"\nNAME="Debian GNU/Linux"\nVERSION_CODENAME=${codename}\nID=debian\n`;

const ACCOUNTS = {
  "etc/passwd":
    "root:x:0:0:root:/root:/bin/bash\ntendril:x:995:995:Tendril:/var/lib/tendril:/usr/sbin/nologin\n",
  "etc/group":
    "root:x:0:\ndialout:x:20:tendril\nvideo:x:44:tendril\ngpio:x:993:tendril\ni2c:x:994:tendril\ntendril:x:995:\n",
  "etc/hostname": "plants\n",
};

const pi = (model: string, kilobytes: number, extra: Files): Files => ({
  "proc/device-tree/model": `${model}\0`,
  "proc/meminfo": `MemTotal:       ${kilobytes} kB\nMemFree:         100000 kB\n`,
  "etc/rpi-issue": "Raspberry Pi reference\n",
  "boot/firmware/config.txt": STOCK_CONFIG,
  ...ACCOUNTS,
  ...extra,
});

/** As the image of bookworm comes, shortened. */
const STOCK_CONFIG = `# For more options and information see
# http://rptl.io/configtxt
#dtparam=i2c_arm=on
dtparam=audio=on
camera_auto_detect=1
[cm4]
otg_mode=1
[all]
`;

/** A LED as `gpio-led` makes it: the class's entry, and the node of the device tree behind it. */
export const ledFiles = (
  name: string,
  gpio: number,
  activeLow: boolean,
  trigger = "none [transient] timer",
): Files => {
  return {
    [`sys/class/leds/${name}/trigger`]: `${trigger}\n`,
    [`sys/class/leds/${name}/brightness`]: "0\n",
    [`sys/class/leds/${name}/device/of_node/led/label`]: `${name}\0`,
    [`sys/class/leds/${name}/device/of_node/led/gpios`]: cells(gpio, activeLow),
  };
};

function cells(gpio: number, activeLow: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(7, 0);
  bytes.writeUInt32BE(gpio, 4);
  bytes.writeUInt32BE(activeLow ? 1 : 0, 8);
  return bytes;
}

const webcam: Files = {
  "sys/class/video4linux/video0/name": "UVC Camera (046d:0825)\n",
  "sys/class/video4linux/video0/index": "0\n",
  "sys/class/video4linux/video0/device/modalias": "usb:v046Dp0825d0012dcEFdsc02dp01ic0Eisc01ip00in00\n",
  "sys/class/video4linux/video1/name": "UVC Camera (046d:0825)\n",
  "sys/class/video4linux/video1/index": "1\n",
  "sys/class/video4linux/video1/device/modalias": "usb:v046Dp0825d0012dcEFdsc02dp01ic0Eisc01ip00in00\n",
  "sys/class/video4linux/video10/name": "bcm2835-codec-decode\n",
  "sys/class/video4linux/video10/index": "0\n",
  "sys/class/video4linux/video10/device/modalias": "platform:bcm2835-codec\n",
  "dev/v4l/by-id/usb-046d_0825_ABCDEF-video-index0": { link: "../../video0" },
  "dev/v4l/by-id/usb-046d_0825_ABCDEF-video-index1": { link: "../../video1" },
};

/** Bookworm on a Pi 4 with everything set up: bus, a pump's LED, 1-Wire, a webcam, a USB serial adapter. */
const PI_4 = pi("Raspberry Pi 4 Model B Rev 1.4", 3_884_360, {
  "etc/os-release": DEBIAN("12", "bookworm"),
  "proc/sys/kernel/osrelease": "6.12.25+rpt-rpi-v8\n",
  "dev/i2c-1": "",
  "dev/i2c-20": "",
  "dev/i2c-21": "",
  "dev/ttyUSB0": "",
  "dev/serial0": "",
  "dev/serial/by-id/usb-1a86_USB_Serial-if00-port0": "",
  "sys/bus/w1/devices/w1_bus_master1/uevent": "",
  "sys/class/gpio/gpiochip512/label": "pinctrl-bcm2711\n",
  "sys/class/gpio/gpiochip512/base": "512\n",
  "sys/class/gpio/gpio535/direction": "out\n",
  "sys/class/leds/ACT/trigger": "none [mmc0]\n",
  "sys/kernel/debug/gpio": `gpiochip0: GPIOs 512-569, parent: platform/fe200000.gpio, pinctrl-bcm2711:
 gpio-512 (ID_SDA              )
 gpio-524 (GPIO12              |rotary-encoder      ) in  hi IRQ
 gpio-529 (GPIO17              |basil-pump          ) out lo
 gpio-554 (RGMII_MDIO          |ACT                 ) out lo
gpiochip1: GPIOs 570-577, parent: platform/soc:firmware:gpio, raspberrypi-exp-gpio, can sleep:
 gpio-575 (SD_PWR_ON           |sd_vcc_reg          ) out hi
`,
  ...ledFiles("basil-pump", 17, false),
  ...webcam,
});

/** Trixie on a Pi 5, fresh from the image: no bus yet; on a Pi 5 the chip's base is another. */
const PI_5 = pi("Raspberry Pi 5 Model B Rev 1.0", 8_245_712, {
  "etc/os-release": DEBIAN("13", "trixie"),
  "proc/sys/kernel/osrelease": "6.12.47+rpt-rpi-2712\n",
  "sys/class/gpio/gpiochip569/label": "pinctrl-rp1\n",
  "sys/class/gpio/gpiochip569/base": "569\n",
  "sys/bus/spi/devices/spi10.0/uevent": "",
});

/** Bookworm of 32 bits on a Zero 2 W, which calls itself Raspbian. */
const ZERO_2_W = pi("Raspberry Pi Zero 2 W Rev 1.0", 437_908, {
  "etc/os-release":
    'PRETTY_NAME="Raspbian GNU/Linux 12 (bookworm)"\nID=raspbian\nVERSION_CODENAME=bookworm\n',
  "proc/sys/kernel/osrelease": "6.12.25+rpt-rpi-v7\n",
  "dev/i2c-1": "",
  "sys/bus/spi/devices/spi0.0/uevent": "",
  "proc/device-tree/aliases/i2s": "/soc/i2s@7e203000\0",
  "proc/device-tree/soc/i2s@7e203000/status": "okay\0",
});

/** This kind of computer has an I²C bus too, which leads elsewhere. */
const PC: Files = {
  "etc/os-release": 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nID=ubuntu\nVERSION_CODENAME=noble\n',
  "etc/hostname": "desk\n",
  "proc/meminfo": "MemTotal:       16128884 kB\n",
  "proc/sys/kernel/osrelease": "6.8.0-45-generic\n",
  "dev/i2c-1": "",
};

const COMPUTERS = { pi4: PI_4, pi5: PI_5, zero2w: ZERO_2_W, pc: PC } as const;
export type Computer = keyof typeof COMPUTERS;

/** The computer's files in a folder of the test's own, changed or added to by `extra`. */
export function computer(t: Test, name: Computer, extra: Files = {}): Machine {
  const root = t.testdir({});
  for (const [file, content] of Object.entries({ ...COMPUTERS[name], ...extra })) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(path, content);
    else symlinkSync(content.link, path);
  }
  return new Machine(root);
}
