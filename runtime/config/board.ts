import type { BoardConfig, CameraWiring, InputWiring, OutputWiring } from "../../drivers/open-board.js";
import { type MlPerSecond, seconds } from "../../drivers/units.js";
import { type CameraConfig, probeConfig } from "./devices.js";
import type { CoreConfig, PlantConfig } from "./schema.js";
import { type InputConfig, inputName, interlockWiring, ledName, type OutputConfig } from "./wiring.js";

/** What the core's keys say is wired, in the drivers' units. Modules add to it: `boardWiring`. */
export function boardConfig(config: CoreConfig): BoardConfig {
  const interlock = interlockWiring(config.interlock);
  return {
    kind: config.board,
    i2cBus: config.i2c_bus,
    plants: config.plants.map(hardware),
    inputs: config.inputs.map((input) => inputWiring(input, config)),
    ...(interlock && { interlock }),
  };
}

const hardware = ({
  id,
  species,
  probe,
  pump,
  light,
  camera,
}: PlantConfig): BoardConfig["plants"][number] => ({
  id,
  ...(species !== undefined && { species }),
  probe: probeConfig(probe),
  pump: {
    flow: pump.flow_ml_per_s as MlPerSecond,
    ...(pump.output && { output: outputWiring(pump.output, ledName(pump.output, id, "pump")) }),
  },
  ...(light && { light: { output: outputWiring(light.output, ledName(light.output, id, "light")) } }),
  ...(camera && { camera: cameraWiring(camera) }),
});

const cameraWiring = ({ timeout_seconds, ...camera }: CameraConfig): CameraWiring => ({
  ...camera,
  patience: seconds(timeout_seconds),
});

const outputWiring = (output: OutputConfig, led: string): OutputWiring => ({
  gpio: output.gpio,
  activeLow: output.active_low,
  via: output.via,
  led,
  acceptSoftwareCutoff: output.i_accept_software_cutoff,
});

const inputWiring = (input: InputConfig, { plants }: CoreConfig): InputWiring => ({
  kind: input.kind,
  name: inputName(input),
  gpio: input.gpio,
  activeLow: input.active_low,
  plants: input.plants ?? plants.map(({ id }) => id),
});
