import { join } from "node:path";
import type { Plan } from "./plan.js";

export interface StepsParts {
  readonly state: string;
  readonly file: string;
  readonly reboot: boolean;
  readonly isRoot: boolean;
}

/** What a person does after a setup, in this order. */
export function nextSteps({ board }: Plan, { state, file, reboot, isRoot }: StepsParts): string {
  const steps = board === "bench" ? benchSteps(file) : piSteps(reboot, isRoot, state);
  const width = Math.max(...steps.map(([command]) => command.length));
  return `\nnext:\n${steps.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`).join("\n")}`;
}

type Step = readonly [command: string, why: string];

const benchSteps = (file: string): Step[] => [
  [`tendril serve --bench --config ${file}`, "the simulated plants"],
  ["tendril status", "in another terminal"],
];

const piSteps = (reboot: boolean, isRoot: boolean, state: string): Step[] => [
  ...(reboot ? [["sudo reboot", "config.txt counts from the next start on"] as const] : []),
  ["tendril doctor", "everything looked at; pumps unplugged until it is content"],
  ["tendril doctor --relays", "each relay for half a second, pumps unplugged: is its polarity right?"],
  ["tendril calibrate moisture", "what dry and wet read like"],
  ["tendril calibrate pump", "how much it pours in a second"],
  isRoot
    ? ["systemctl enable --now tendril", "from now on at every start"]
    : ["tendril serve", "or, where the package is installed: sudo systemctl enable --now tendril"],
  ["tendril pair", `lets an agent or a phone in; tokens are in ${join(state, "tokens")}`],
];
