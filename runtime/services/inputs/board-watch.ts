import type { Cancel } from "../../../drivers/ports.js";
import { definePart, type House } from "../module.js";
import { outbox } from "../outbox/outbox.js";
import { control } from "../people/control.js";
import { water } from "../water/service.js";
import { InputWatch } from "./input-watch.js";
import { TroubleWatch } from "./trouble-watch.js";

/** Gives what the board tells by itself its lasting consequences. */
export class BoardWatch {
  private cancels: Cancel[] = [];

  constructor(
    private readonly house: House,
    private readonly troubles: TroubleWatch,
    private readonly inputs: InputWatch,
  ) {}

  /** What the board tells already has its consequences before this resolves. */
  async begin(): Promise<void> {
    const { board, log } = this.house;
    for (const line of board.explanation) log("info", line);
    this.house.onClose(() => this.end());
    this.cancels.push(this.troubles.begin());
    this.cancels.push(await this.inputs.begin());
  }

  /** Resolves once all that was told so far has had its consequences. */
  async settled(): Promise<void> {
    await Promise.all([this.inputs.settled(), this.troubles.settled()]);
  }

  /** Listens no longer; the board itself still switches off. */
  private end(): Promise<void> {
    for (const cancel of this.cancels.splice(0)) cancel();
    return this.settled();
  }
}

export const boardWatch = definePart("board watch", async (house) => {
  const { board, clock, plants, log, complain } = house;
  const switches = await house.use(water);
  const common = {
    board,
    clock,
    complain,
    control: await house.use(control),
    outbox: await house.use(outbox),
  };
  return new BoardWatch(
    house,
    new TroubleWatch({ ...common, log, plants: plants.ids }),
    new InputWatch({
      ...common,
      stopEverything: (by) => house.stopEverything(by),
      stopWater: (plant) => switches.stop(plant),
    }),
  );
});
