import t from "tap";
import { millis } from "../../drivers/units.js";
import { Rig } from "./avr/rig.js";

/** 16,051,961.6 cycles: as a time in milliseconds, the chip's own count never reaches it. */
const BETWEEN_TWO_CYCLES = 1003.2476;

t.test("a run ends, also where its length is no whole number of cycles", async (t) => {
  const rig = new Rig();
  await rig.run(BETWEEN_TWO_CYCLES);
  t.ok(Math.abs(rig.now - BETWEEN_TWO_CYCLES) < 0.001);
});

t.test("a timer of the host fires, also where its time is no whole number of cycles", async (t) => {
  const rig = new Rig();
  await rig.until(rig.clock.sleep(millis(BETWEEN_TWO_CYCLES)));
  t.ok(rig.now >= BETWEEN_TWO_CYCLES - 0.001);
});
