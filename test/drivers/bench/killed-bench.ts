/**
 * A process to be killed: opens a bench in the folder of its first argument, at the speed of its second, waters, and tells on stdout
 * what its clock shows, line after line, until it is gone.
 */
import { openBoard } from "../../../drivers/open-board.js";
import { millilitres, millis } from "../../../drivers/units.js";
import { BASIL, hardware } from "../bench-rig.js";

const [, , stateFolder = "", speed = ""] = process.argv;
const board = await openBoard(
  { kind: "bench", plants: [BASIL] },
  { stateFolder, speed: Number(speed), seed: 1, startHydration: 40 },
);
void hardware(board.plants, "basil").pump.dispense(millilitres(25));
for (;;) {
  process.stdout.write(
    `${board.clock.bootId} ${board.clock.now()} ${board.bench.pumpEdges("basil").length}\n`,
  );
  await board.clock.sleep(millis(10 * Number(speed))); // ten real milliseconds
}
