import { join } from "node:path";
import { PACKAGED } from "../places.js";
import type { Plan } from "./plan.js";

export interface StepsParts {
  readonly state: string;
  readonly file: string;
  readonly reboot: boolean;
  readonly isRoot: boolean;
}

/** What a person does after a setup, in this order. */
export function nextSteps({ board }: Plan, { state, file, reboot, isRoot }: StepsParts): string {
  const steps = board === "bench" ? benchSteps(file, state) : piSteps(reboot, isRoot, state);
  const width = Math.max(...steps.map(([command]) => command.length));
  return `\nnext:\n${steps.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`).join("\n")}`;
}

type Step = readonly [command: string, why: string];

/** The package's folders are closed to all but its user, and its service serves no simulated plant. */
const benchSteps = (file: string, state: string): Step[] =>
  state === PACKAGED.state
    ? [
        ["sudo systemctl disable --now tendril", "the service refuses simulated plants"],
        ["sudo tendril serve --bench", "serves them, in this terminal"],
        ["sudo tendril status", "in another one"],
      ]
    : [
        [`tendril serve --bench --config ${file}`, "the simulated plants"],
        ["tendril status", "in another terminal"],
      ];

/** Who has set it up by sudo goes on by sudo: the package's command then works as the service's user. */
function piSteps(reboot: boolean, isRoot: boolean, state: string): Step[] {
  const sudo = isRoot ? "sudo " : "";
  return [
    ...(reboot ? [["sudo reboot", "from then on config.txt counts"] as const] : []),
    [`${sudo}tendril doctor`, "pumps unplugged until it is content"],
    ...(isRoot ? [["sudo systemctl stop tendril", "relays are tested alone"] as const] : []),
    [`${sudo}tendril doctor --relays`, "pumps unplugged: each polarity"],
    isRoot
      ? ["sudo systemctl restart tendril", "with this file"]
      : ["tendril serve", "in a terminal of its own"],
    [`${sudo}tendril calibrate moisture`, "what dry and wet read like"],
    [`${sudo}tendril calibrate pump`, "how much it pours in a second"],
    [`${sudo}tendril pair`, `an agent; else ${join(state, "tokens")}`],
  ];
}
