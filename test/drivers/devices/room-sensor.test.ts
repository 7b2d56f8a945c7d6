import t from "tap";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { ROOM_CHIP_NAMES, ROOM_CHIPS, type RoomChip } from "../../../drivers/devices/room-sensor.js";
import { ROOM_QUANTITIES, ROOM_QUANTITY_NAMES } from "../../../drivers/room-quantities.js";

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
