import { defineModule } from "../module.js";
import { boardWatch } from "./board-watch.js";
import { INPUT_ERRORS, inputs } from "./inputs.js";

/** Buttons, leak sensors and tank levels, and hardware troubles outside of calls. */
export const inputsModule = defineModule({
  name: "inputs",
  canBeOff: false,
  toolset: "plants",
  errors: INPUT_ERRORS,
  parts: [inputs, boardWatch],
  tools: [],
  overview: {
    view: (house) => ({
      inputs: house
        .get(inputs)
        .all()
        .map((input) => ({ ...input, plants: [...input.plants] })),
    }),
  },
  start: (house) => house.get(boardWatch).begin(),
});
