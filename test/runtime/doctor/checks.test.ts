import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { backupName } from "../../../runtime/backup/backup-folder.js";
import { lineOf, type Result, runChecks } from "../../../runtime/doctor/check.js";
import { nodeVersion } from "../../../runtime/doctor/checks/service.js";
import { checksOf } from "../../../runtime/doctor/doctor.js";
import { type Installation, openInstallation } from "../../../runtime/doctor/installation.js";
import { PACKAGED } from "../../../runtime/places.js";
import { ownFiles, ownMaterial } from "../../../runtime/server/tls/material.js";
import { isoUtc } from "../../../runtime/tools/iso-time.js";
import { type Computer, computer } from "../../drivers/pi/inspect/computers.js";

const CONFIG = `board: pi
plants:
  - { id: basil, pump: { output: { gpio: 17 } } }
`;

/** Columns of the names in docs/setup.md. */
const WIDTH = "relay basil-light".length;

/** The doctor before a recorded computer. */
async function installation(t: Test, name: Computer, extra = {}, config = CONFIG): Promise<Installation> {
  const state = mkdtempSync(join(tmpdir(), "tendril-checks-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  const file = join(state, "tendril.yaml");
  writeFileSync(file, config);
  const { root } = computer(t, name, extra);
  return openInstallation({ state, file, isNamed: true, root, clock: new SimulatedClock() });
}

async function results(installation: Installation): Promise<Record<string, Result>> {
  const found: Record<string, Result> = {};
  for await (const result of runChecks(checksOf(installation))) found[result.name] = result;
  return found;
}

t.test("a Pi 4 whose LED fits: the relay is fit; what config.txt lacks is listed line by line", async (t) => {
  const found = await results(await installation(t, "pi4"));
  t.match(found["relay basil-pump"], { verdict: "ok", found: /GPIO 17 as LED basil-pump.*kernel's timer/ });
  t.match(found["config.txt"], {
    verdict: "warning",
    found: /lacks 4 lines/,
    mend: /\ndtparam=i2c_arm=on\n[\s\S]*\ngpio=17=op,dl\ndtoverlay=/,
  });
  t.match(found.board, { verdict: "ok", found: "Raspberry Pi 4 Model B Rev 1.4" });
});

t.test("a plant without a pump's pin is told of: it gets no water", async (t) => {
  const bare = "board: pi\nplants: [{ id: basil, pump: {}, light: {} }]\n";
  const found = await results(await installation(t, "pi4", {}, bare));
  t.match(found["relay basil-pump"], {
    verdict: "warning",
    found: /basil gets no water/,
    mend: /output: \{ gpio/,
  });
  t.match(found["relay basil-light"], { verdict: "warning", found: /no pin/, mend: /output: \{ gpio/ });
});

t.test(
  "a relay whose LED has another pin or polarity than the configuration is a failure that says both",
  async (t) => {
    const wrong = CONFIG.replace("gpio: 17", "gpio: 17, active_low: true");
    const found = await results(await installation(t, "pi4", {}, wrong));
    t.match(found["relay basil-pump"], {
      verdict: "failure",
      found: /is GPIO 17, active high.*says GPIO 17, active low.*OUTPUT_MISMATCH/,
    });
  },
);

t.test("a LED without the kernel's timer is a failure with the module to load", async (t) => {
  const found = await results(
    await installation(t, "pi4", { "sys/class/leds/basil-pump/trigger": "[none] timer\n" }),
  );
  t.match(found["relay basil-pump"], {
    verdict: "failure",
    found: /no transient trigger \(modprobe ledtrig-transient/,
  });
});

t.test(
  "a LED that config.txt asks for and that is not there yet wants a reboot, and no other line",
  async (t) => {
    const config = CONFIG.replace("gpio: 17", "gpio: 27").replace("basil,", "fern,");
    const overlay = "dtoverlay=gpio-led,gpio=27,label=fern-pump,trigger=transient";
    const before = await results(await installation(t, "pi4", {}, config));
    t.match(before["relay fern-pump"], {
      verdict: "failure",
      found: new RegExp(overlay),
    });
    const after = await results(
      await installation(t, "pi4", { "boot/firmware/config.txt": `${overlay}\n` }, config),
    );
    t.match(after["relay fern-pump"], {
      verdict: "failure",
      found: /no LED fern-pump yet/,
      mend: /^sudo reboot/,
    });
  },
);

t.test("docs/setup.md shows what the doctor prints", async (t) => {
  const lines = [
    "dtparam=i2c_arm=on",
    "dtparam=watchdog=on",
    "gpio=17=op,dl",
    "dtoverlay=gpio-led,gpio=17,label=basil-pump,trigger=transient",
    "gpio=6=op,dh",
    "dtoverlay=gpio-led,gpio=6,label=basil-light,active_low=1,trigger=transient",
  ];
  const outputs = "pump: { output: { gpio: 17 } }, light: { output: { gpio: 6, active_low: true } }";
  const config = CONFIG.replace("pump: { output: { gpio: 17 } }", outputs);
  const files = { "boot/firmware/config.txt": `${lines.join("\n")}\n` };
  const clock = new SimulatedClock();
  clock.synchronised = () => false;
  const found = await results({ ...(await installation(t, "pi4", files, config)), clock });
  const page = readFileSync("docs/setup.md", "utf8");
  for (const name of ["board", "clock", "config.txt", "relay basil-pump", "relay basil-light"]) {
    const line = lineOf(found[name] as Result, WIDTH);
    t.ok(page.includes(line), line);
  }
});

t.test("devices that are missing are named", async (t) => {
  const found = await results(await installation(t, "pi5"));
  t.match(found.devices, { verdict: "failure", found: /\/dev\/i2c-1.*missing/ });
});

const FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled";
const VERDICTS: readonly [
  what: string,
  check: string,
  files: Record<string, string>,
  expected: Partial<Result>,
  saying: RegExp,
][] = [
  [
    "under-voltage right now",
    "power",
    { [FIRMWARE]: "50005\n" },
    { verdict: "failure" },
    /too low right now/,
  ],
  [
    "under-voltage since the start",
    "power",
    { [FIRMWARE]: "50000\n" },
    { verdict: "warning" },
    /too low since the start/,
  ],
  ["heat without under-voltage", "power", { [FIRMWARE]: "80008\n" }, { verdict: "ok" }, /high enough/],
  [
    "a Pi 5's names",
    "power",
    { "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled": "1\n" },
    { verdict: "failure" },
    /too low right now/,
  ],
  [
    "the hwmon alarm alone",
    "power",
    { "sys/class/hwmon/hwmon1/name": "rpi_volt\n", "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "1\n" },
    { verdict: "failure" },
    /too low/,
  ],
  ["no word of the supply", "power", {}, { verdict: "skipped" }, /does not measure/],
  [
    "a hot board",
    "temperature",
    { "sys/class/thermal/thermal_zone0/temp": "81234\n" },
    { verdict: "warning" },
    /81 °C/,
  ],
  [
    "a cool board",
    "temperature",
    { "sys/class/thermal/thermal_zone0/temp": "45277\n" },
    { verdict: "ok" },
    /45 °C/,
  ],
  [
    "a watchdog that is fed",
    "board watchdog",
    {
      "sys/class/watchdog/watchdog0/state": "active\n",
      "sys/class/watchdog/watchdog0/identity": "Broadcom BCM2835 Watchdog timer\n",
    },
    { verdict: "ok" },
    /Broadcom.*fed/,
  ],
  [
    "a watchdog that is not",
    "board watchdog",
    { "sys/class/watchdog/watchdog0/state": "inactive\n" },
    { verdict: "warning" },
    /it is not fed/,
  ],
  ["no watchdog", "board watchdog", {}, { verdict: "warning" }, /there is none/],
  [
    "a worn eMMC",
    "disk wear",
    {
      "sys/block/mmcblk0/device/life_time": "0x09 0x02\n",
      "sys/block/mmcblk0/device/pre_eol_info": "0x01\n",
    },
    { verdict: "warning" },
    /90 %/,
  ],
  [
    "an eMMC at its end",
    "disk wear",
    {
      "sys/block/mmcblk0/device/life_time": "0x03 0x02\n",
      "sys/block/mmcblk0/device/pre_eol_info": "0x03\n",
    },
    { verdict: "failure" },
    /30 %/,
  ],
  [
    "an SD card, which tells nothing",
    "disk wear",
    { "sys/block/mmcblk0/device/name": "SC32G\n" },
    { verdict: "skipped" },
    /SD cards do not tell/,
  ],
  [
    "ext4's own count of errors",
    "disk errors",
    { "sys/fs/ext4/mmcblk0p2/errors_count": "3\n" },
    { verdict: "failure" },
    /3 on mmcblk0p2/,
  ],
  [
    "a root that turned read-only",
    "disk errors",
    { "proc/self/mountinfo": "27 1 179:2 / / ro,noatime shared:1 - ext4 /dev/mmcblk0p2 ro\n" },
    { verdict: "failure" },
    /read-only/,
  ],
  [
    "a root in memory, over the card, as raspi-config makes it",
    "state folder",
    {
      "proc/self/mountinfo":
        "21 1 0:20 / /proc rw - proc proc rw\n27 1 0:24 / / rw,noatime shared:1 - overlay overlay rw,lowerdir=/lower\n",
    },
    { verdict: "warning" },
    /is on overlay: what was poured/,
  ],
  [
    "a folder in memory",
    "state folder",
    {
      "proc/self/mountinfo": `27 1 179:2 / / rw - ext4 /dev/mmcblk0p2 rw\n40 27 0:30 / ${tmpdir()} rw - tmpfs tmpfs rw\n`,
    },
    { verdict: "warning" },
    /is on tmpfs/,
  ],
  [
    "a folder on a disk beside others in memory",
    "state folder",
    {
      "proc/self/mountinfo": `27 1 0:24 / / rw - overlay overlay rw\n40 27 8:1 / ${tmpdir()} rw - ext4 /dev/sda1 rw\n41 27 0:3 / ${tmpdir()}/tend rw - tmpfs tmpfs rw\n`,
    },
    { verdict: "ok" },
    /open only to its owner/,
  ],
  [
    "a root that is read-only for the runtime's service alone, where the page's doctor looks",
    "disk errors",
    {
      "proc/self/mountinfo": "45 44 179:2 / / ro,noatime shared:1 - ext4 /dev/mmcblk0p2 rw\n",
      "sys/fs/ext4/mmcblk0p2/errors_count": "0\n",
    },
    { verdict: "ok" },
    /none counted/,
  ],
];
for (const [what, check, files, expected, saying] of VERDICTS)
  t.test(`${check}: ${what} is judged ${expected.verdict}`, async (t) => {
    t.match((await results(await installation(t, "pi4", files)))[check], { ...expected, found: saying });
  });

t.test("a clock that nobody has set is a warning; one that was set is well", async (t) => {
  const pi = await installation(t, "pi4");
  t.match((await results(pi)).clock, { verdict: "ok" });
  const clock = new SimulatedClock();
  clock.synchronised = () => false;
  t.match((await results({ ...pi, clock })).clock, { verdict: "warning", mend: /timedatectl/ });
});

/** A systemd that says this of any unit. */
const systemd = (said: string) => async () => ({ said, status: 0 });
const ENABLED = systemd("LoadState=loaded\nUnitFileState=enabled\nActiveState=active\nResult=success");

t.test("backups are old after two days where they are made every night, after eight by hand", async (t) => {
  const clock = new SimulatedClock();
  const made = async (days: number, run: Installation["run"], folder = "var/backups/tendril", files = {}) => {
    const name = backupName("pi", isoUtc(clock.now() - days * 86_400_000));
    const pi = await installation(t, "pi4", { [`${folder}/${name}`]: "", ...files });
    return (await results({ ...pi, clock, run, state: PACKAGED.state })).backups;
  };
  const silent = systemd("");
  t.match(await made(1, ENABLED), { verdict: "ok", found: /newest of 1 .* is 24 hours old/ });
  t.match(await made(3, ENABLED), {
    verdict: "warning",
    found: /is 3 days old/,
    mend: "sudo tendril backup",
  });
  t.match(
    await made(-30, ENABLED),
    { verdict: "warning", found: /of a time to come/ },
    "the clock was ahead",
  );
  t.match(await made(3, silent), { verdict: "ok" });
  t.match(await made(9, silent), { verdict: "warning" });
  const env = { "etc/tendril/backup.env": "BACKUP_OPTIONS=--keep 30 --to /mnt/stick\n" };
  t.match(await made(1, ENABLED, "mnt/stick", env), { verdict: "ok", found: /mnt\/stick/ }, "on its stick");
  const none = await installation(t, "pi4");
  t.match((await results({ ...none, run: ENABLED, state: PACKAGED.state })).backups, { verdict: "warning" });
  t.match((await results(none)).backups, { verdict: "skipped" }, "of a clone nobody is asked for one");
});

t.test("the timer of the backups: at work, switched off, or its last backup failed", async (t) => {
  const timer = async (run: Installation["run"]) =>
    (await results({ ...(await installation(t, "pi4")), run, state: PACKAGED.state }))["backup timer"];
  t.match(await timer(ENABLED), { verdict: "ok" });
  t.match(await timer(systemd("LoadState=loaded\nUnitFileState=disabled\nActiveState=inactive")), {
    verdict: "warning",
    mend: "sudo systemctl enable --now tendril-backup.timer",
  });
  t.match(
    await timer(systemd("LoadState=loaded\nUnitFileState=enabled\nActiveState=active\nResult=exit-code")),
    {
      verdict: "warning",
      mend: /journalctl -u tendril-backup/,
    },
  );
  t.match(await timer(systemd("LoadState=not-found")), { verdict: "skipped" });
});

const TLS = `${CONFIG}server: { tls: { cert: /etc/tendril/tls/cert.pem, key: /etc/tendril/tls/key.pem } }\n`;

t.test(
  "TLS: a key open to everybody, a file that is missing, one closed, and a certificate near its end",
  async (t) => {
    t.match((await results(await installation(t, "pi4"))).tls, { verdict: "skipped" });
    t.match((await results(await installation(t, "pi4", {}, TLS))).tls, {
      verdict: "failure",
      found: /cert\.pem cannot be read \(ENOENT\) \(TLS_FAILED\)/,
    });
    const own = await installation(t, "pi4", {}, `${CONFIG}server: { tls: {} }\n`);
    t.match((await results(own)).tls, { verdict: "skipped", found: /first start/ });
    const { key } = ownFiles(own.state);
    await ownMaterial(own.state, ["pi"]);
    t.match((await results(own)).tls, { verdict: "ok", found: /sha256:/ });
    chmodSync(key, 0o640);
    t.match((await results(own)).tls, { verdict: "failure", mend: `sudo chmod 600 ${key}` });
    chmodSync(key, 0o600);
    const clock = new SimulatedClock();
    const late = Object.assign(new SimulatedClock(), { now: () => Date.parse("9999-12-25T00:00:00Z") });
    t.match((await results({ ...own, clock: late })).tls, {
      verdict: "warning",
      found: /expires on 9999-12-31/,
    });
    t.match((await results({ ...own, clock })).tls, { verdict: "ok" });
  },
);

t.test("a restore that was cut off, and a token for another runtime that others can read", async (t) => {
  const pi = await installation(t, "pi4");
  t.match(await results(pi), { restore: { verdict: "ok" }, joined: { verdict: "skipped" } });
  writeFileSync(join(pi.state, "restore.json"), "{}");
  const joined = join(pi.state, "joined.json");
  writeFileSync(joined, JSON.stringify({ url: "https://pi.local:8732/mcp", pin: "sha256:x", token: "t" }));
  chmodSync(joined, 0o644);
  t.match(await results(pi), {
    restore: { verdict: "warning", mend: /systemctl start tendril/ },
    joined: { verdict: "failure", mend: `chmod 600 ${joined}` },
  });
  chmodSync(joined, 0o600);
  t.match((await results(pi)).joined, { verdict: "ok", found: /pi\.local:8732/ });
});

const UNITS: readonly [what: string, said: string, expected: object][] = [
  [
    "given up",
    "LoadState=loaded\nActiveState=failed\nUnitFileState=enabled\nResult=watchdog\nNRestarts=8",
    { verdict: "failure", found: /has failed \(watchdog\)/, mend: /reset-failed/ },
  ],
  [
    "not started with the Pi",
    "LoadState=loaded\nActiveState=active\nUnitFileState=disabled",
    { verdict: "warning", mend: /enable --now/ },
  ],
  [
    "stopped",
    "LoadState=loaded\nActiveState=inactive\nUnitFileState=enabled",
    { verdict: "warning", mend: /systemctl start/ },
  ],
  [
    "restarted",
    "LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNRestarts=2\nActiveEnterTimestamp=Sat",
    { verdict: "warning", found: /after 2 restarts/ },
  ],
  [
    "well",
    "LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNRestarts=0\nActiveEnterTimestamp=Sat",
    { verdict: "ok" },
  ],
  ["not installed", "LoadState=not-found\nActiveState=inactive", { verdict: "skipped" }],
];
for (const [what, said, expected] of UNITS)
  t.test(`a service that is ${what}`, async (t) => {
    const run = async () => ({ said, status: 0 });
    t.match((await results({ ...(await installation(t, "pi4")), run })).service, expected);
  });

const OTHER_UNITS: readonly [what: string, said: string, expected: object][] = [
  [
    "ends again and again",
    "LoadState=loaded\nActiveState=activating\nUnitFileState=enabled\nNRestarts=40",
    {
      verdict: "failure",
      found: /40 restarts/,
      mend: /^journalctl -u tendril-(agent|bridge) -n 50 shows why/,
    },
  ],
  [
    "has ended for good, such as after a token that was refused",
    "LoadState=loaded\nActiveState=failed\nUnitFileState=enabled\nResult=exit-code",
    { verdict: "failure", mend: /reset-failed tendril-(agent|bridge) && sudo systemctl start tendril-\1$/ },
  ],
  [
    "is switched off",
    "LoadState=loaded\nActiveState=inactive\nUnitFileState=disabled",
    { verdict: "skipped" },
  ],
  [
    "runs until the next boot only",
    "LoadState=loaded\nActiveState=active\nUnitFileState=disabled",
    { verdict: "warning", mend: /enable --now tendril-/ },
  ],
  ["works", "LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNRestarts=0", { verdict: "ok" }],
];
for (const [what, said, expected] of OTHER_UNITS)
  t.test(`an agent or a bridge that ${what}`, async (t) => {
    const found = await results({
      ...(await installation(t, "pi4")),
      run: async () => ({ said, status: 0 }),
    });
    for (const name of ["agent service", "bridge service"]) t.match(found[name], expected);
  });

t.test("of a runtime whose disk fails the doctor says what it said, and not to start it again", async (t) => {
  const problem = "everything is off, and this runtime waits until it can start (STORE_FAILED)";
  const at = { url: "ws://127.0.0.1:8731/mcp", pid: 4711 };
  const runtime = { is: "running", ...at, overview: undefined, problem, hasDiskTrouble: true } as const;
  const here = await installation(t, "pi4");
  mkdirSync(join(here.state, "tokens"), { mode: 0o700 });
  writeFileSync(join(here.state, "tokens", "human"), `${"x".repeat(43)}\n`, { mode: 0o600 });
  t.match((await results({ ...here, runtime })).runtime, {
    verdict: "failure",
    found: /process 4711 runs: everything is off.*STORE_FAILED/,
    mend: /^repair the disk.*by itself/,
  });
});

t.test("a check that fails by itself is a failure of that check, and the others go on", async (t) => {
  const checks = [
    { name: "bad", run: () => Promise.reject(new Error("a defect")) },
    { name: "good", run: () => ({ verdict: "ok", found: "well" }) as const },
  ];
  const found: Result[] = [];
  for await (const result of runChecks(checks)) found.push(result);
  t.match(found, [{ name: "bad", verdict: "failure", found: "a defect" }, { verdict: "ok" }]);
});

t.test("the Node versions that package.json names, and no others", async (t) => {
  for (const version of ["20.17.0", "22.1.0", "26.9.9"]) t.equal(nodeVersion(version).verdict, "ok", version);
  for (const version of ["18.20.4", "20.16.1", "27.0.0"])
    t.equal(nodeVersion(version).verdict, "failure", version);
});
