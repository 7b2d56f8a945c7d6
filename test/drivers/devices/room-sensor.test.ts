import { existsSync, readFileSync } from "node:fs";
import t from "tap";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { ROOM_CHIP_NAMES, ROOM_CHIPS, type RoomChip } from "../../../drivers/devices/room-sensor.js";
import { PROBE_ADDRESSES } from "../../../drivers/pi/inspect/chips.js";
import { ROOM_QUANTITIES, ROOM_QUANTITY_NAMES } from "../../../drivers/room-quantities.js";
import { hex } from "../../../drivers/units.js";

t.test("what a chip can measure is within what an import takes", async (t) => {
  for (const name of ROOM_CHIP_NAMES) {
    const { addresses, open } = ROOM_CHIPS[name];
    const { range }: RoomChip = await open(new BenchBus(new Map()), addresses[0], new SimulatedClock());
    for (const quantity of ROOM_QUANTITY_NAMES) {
      const [least, most] = ROOM_QUANTITIES[quantity].range;
      t.ok(
        (range[quantity] ?? []).every((end) => end >= least && end <= most),
        `${name}: ${quantity}`,
      );
    }
  }
});

t.test("each chip has a test, and the pages for owners name it", async (t) => {
  const pages = ["hardware", "setup", "configuration"].map((page) => `docs/${page}.md`);
  for (const name of ROOM_CHIP_NAMES) {
    const file = `test/drivers/chips/${name}.test.ts`;
    t.ok(existsSync(file), `write ${file}`);
    for (const page of pages)
      t.match(readFileSync(page, "utf8"), new RegExp(`\\b${name}\\b`, "i"), `${page} names ${name}`);
    const row = new RegExp(`^\\| [^|]*\\b${name}\\b`, "im");
    t.match(
      readFileSync("docs/hardware.md", "utf8"),
      row,
      `docs/hardware.md: ${name} in the table of what was run`,
    );
  }
});

t.test("no chip has an address of a soil probe's: nothing refuses both in one configuration", async (t) => {
  const ofProbes: readonly number[] = Object.values(PROBE_ADDRESSES).flat();
  for (const name of ROOM_CHIP_NAMES)
    for (const address of ROOM_CHIPS[name].addresses)
      t.notOk(
        ofProbes.includes(address),
        `${name} at ${hex(address)}: nothing refuses a probe there too: CONTRIBUTING.md, a new sensor, step 5; then except it here`,
      );
});
