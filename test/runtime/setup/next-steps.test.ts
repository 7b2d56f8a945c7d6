import t from "tap";
import type { Plan } from "../../../runtime/setup/setup.js";
import { nextSteps } from "../../../runtime/setup/setup.js";

const stepsFor = (board: "bench" | "pi", state: string) =>
  nextSteps({ board } as Plan, { state, file: "/etc/tendril/tendril.yaml", reboot: true, isRoot: true });

t.test("what comes next works as it stands: the package's folders are closed to all but sudo", async (t) => {
  const steps = stepsFor("bench", "/var/lib/tendril");
  t.match(steps, /sudo \.\/tendril serve --bench[\s\S]*sudo \.\/tendril status/);
  t.match(stepsFor("bench", "/home/pi/.tendril"), /\n {2}\.\/tendril serve --bench --config/);
  t.match(stepsFor("bench", "/home/pi/.tendril"), /tendril agent[\s\S]*tendril open/);
});

t.test("beside a running runtime the first step is to end that one", async (t) => {
  const running = {
    state: "/home/pi/.tendril",
    file: "x.yaml",
    reboot: false,
    isRoot: false,
    isRunning: true,
  };
  t.match(nextSteps({ board: "bench" } as Plan, running), /^\nnext:\n {2}Ctrl-C where it runs +.*running/);
  t.notMatch(nextSteps({ board: "bench" } as Plan, { ...running, isRunning: false }), /Ctrl-C/);
});

t.test("no step is wider than 76 columns, what a menu leaves of a terminal's 80", async (t) => {
  for (const board of ["bench", "pi"] as const)
    for (const line of stepsFor(board, "/var/lib/tendril").split("\n")) t.ok(line.length <= 76, line);
});
