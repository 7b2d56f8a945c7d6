import { readFileSync } from "node:fs";
import { Command } from "commander";
import t from "tap";
import { addMachineCommands } from "../../../runtime/cli/machine-commands.js";
import { COMMANDS, GROUPS } from "../../../runtime/cli/options.js";
import { asCalledHere, calledAs } from "../../../runtime/cli/print.js";
import { addRemoteCommands } from "../../../runtime/cli/remote-commands.js";
import { tendril } from "../../run-tendril.js";
import { tendrilHere } from "../../tendril-here.js";

const everyCommand = ({ commands }: Command): Command[] =>
  commands.flatMap((each) => [each, ...everyCommand(each)]);

t.test("no line of a command's help is wider than 80 columns", async (t) => {
  const program = new Command(calledAs());
  addRemoteCommands(program);
  addMachineCommands(program);
  for (const command of everyCommand(program)) {
    const wide = command
      .helpInformation()
      .split("\n")
      .filter((line) => line.length > 80);
    t.same(wide, [], command.name());
  }
});

t.test("no line of the help of tendril, and of what it starts, is wider than 80 columns", async (t) => {
  // all but the first three are programs of their own
  const helps = ["", "serve", "demo", "agent", "discover", "log", "models", "models check", "simulate"];
  const ran = await Promise.all(
    helps.map((name, at) => (at < 3 ? tendrilHere : tendril)([...name.split(" ").filter(Boolean), "--help"])),
  );
  for (const [index, { out }] of ran.entries()) {
    const wide = out.split("\n").filter((line) => line.length > 80 && line.trim().includes(" "));
    t.same(wide, [], `tendril ${helps[index]}`);
    t.match(out, /^Usage: \.\/tendril/);
  }
});

t.test("help lists the commands in the groups of docs/command-line.md", async (t) => {
  const page = readFileSync("docs/command-line.md", "utf8").split(/^## /m).slice(1);
  for (const [index, [heading, names]] of GROUPS.entries()) {
    const section = page[index] ?? "";
    t.ok(section.startsWith(`${heading}\n`), heading);
    const shown = new Set([...section.matchAll(/`tendril ([a-z-]+)/g)].map(([, name]) => name));
    for (const name of names.split(" ")) t.ok(shown.has(name), `${name} is under ${heading}`);
  }
  const { out } = await tendrilHere(["--help"]);
  const headings = [...out.matchAll(/^(\S.*):$/gm)].map(([, each]) => each);
  t.same(headings, ["Options", ...GROUPS.map(([heading]) => heading)]);
});

t.test("a hint is typed as it is printed: the clone's own command, of each command there is", async (t) => {
  const { out } = await tendrilHere(["--help"]);
  const listed = out.split("\n").flatMap((line) => /^ {2}([a-z][a-z-]+)(?= )/.exec(line)?.[1] ?? []);
  t.same([...COMMANDS].sort(), listed.filter((name) => name !== "help").sort());
  t.match(out, /^Usage: \.\/tendril [\s\S]*See \.\/tendril\s+agent\s+--help/);
  const hint = 'lift it with "tendril resume", or look: sudo tendril doctor; tendril support-bundle';
  t.equal(
    asCalledHere(hint),
    'lift it with "./tendril resume", or look: sudo ./tendril doctor; ./tendril support-bundle',
  );
  for (const other of [
    "sudo systemctl stop tendril",
    "/usr/bin/tendril status",
    "./tendril off",
    "tendril is on",
  ])
    t.equal(asCalledHere(other), other);
  t.equal(asCalledHere("sudo -u tendril tendril doctor"), "sudo -u tendril ./tendril doctor");
});

t.test("what a command finds wrong names the command that helps as it is called here", async (t) => {
  const state = t.testdir({});
  const { err } = await tendrilHere(["status", "--state", state]);
  t.match(err, `on a board with "./tendril serve --state ${state}"`);
});

t.test(
  "a word too many where the plant is an option is taken for the plant, and nothing else is",
  async (t) => {
    const { err, code } = await tendrilHere(["status", "rose"]);
    t.match(err, /^error: too many arguments for 'status'.* For a plant: use --plant rose\n/);
    t.equal(code, 2);
    t.match((await tendrilHere(["history", "water", "my rose"])).err, /use --plant 'my rose'\n/);
    t.notMatch((await tendrilHere(["tools", "rose"])).err, /--plant/);
  },
);
