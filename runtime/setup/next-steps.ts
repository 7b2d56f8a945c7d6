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

/** Who has set it up by sudo goes on by sudo: the package's command then works as the service's user. */
function piSteps(reboot: boolean, isRoot: boolean, state: string): Step[] {
  const sudo = isRoot ? "sudo " : "";
  return [
    ...(reboot ? [["sudo reboot", "config.txt counts from the next start on"] as const] : []),
    [`${sudo}tendril doctor`, "everything looked at; pumps unplugged until it is content"],
    ...(isRoot
      ? [["sudo systemctl stop tendril", "relays are tested while no runtime has them"] as const]
      : []),
    [
      `${sudo}tendril doctor --relays`,
      "each relay for half a second, pumps unplugged: is its polarity right?",
    ],
    isRoot
      ? ["sudo systemctl restart tendril", "with this file"]
      : ["tendril serve", "in a terminal of its own"],
    [`${sudo}tendril calibrate moisture`, "what dry and wet read like"],
    [`${sudo}tendril calibrate pump`, "how much it pours in a second"],
    [`${sudo}tendril pair`, `lets an agent or a phone in; tokens are in ${join(state, "tokens")}`],
  ];
}
