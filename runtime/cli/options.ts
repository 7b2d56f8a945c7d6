import { resolve } from "node:path";
import { type Command, Help, InvalidArgumentError, Option } from "commander";
import { hours, minutes } from "../../drivers/units.js";

export const stateCommand = (program: Command, name: string): Command =>
  program.command(name).addOption(state());

/** A command about a state folder and the configuration that goes with it. */
export const configCommand = (program: Command, name: string): Command =>
  stateCommand(program, name).addOption(configOption());

export const number = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (text.trim() === "" || !(value >= least && value <= most))
    throw new InvalidArgumentError(`must be a number from ${least} to ${most}.`);
  return value;
};

export const whole = (least: number, most: number) => (text: string) => {
  const value = number(least, most)(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("must be a whole number.");
  return value;
};

/** Milliseconds since midnight. */
export function timeOfDay(text: string): number {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined) throw new InvalidArgumentError("must be a time of day such as 09:00.");
  return hours(Number(hour)) + minutes(Number(minute));
}

/** Epoch milliseconds. Without a zone a time means another instant on another computer. */
export function instant(text: string): number {
  const at = /(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError("must be a time such as 2026-01-01T00:00:00Z, with its zone.");
  return at;
}

/** An unset shell variable gives an empty text, which is never a valid value. */
export const filled = (text: string): string => {
  if (text.trim() === "") throw new InvalidArgumentError("must not be empty.");
  return text;
};

export const defaultState = (): string => resolve(process.env.TENDRIL_STATE ?? ".tendril");

export const state = () =>
  new Option("--state <dir>", "state folder (or TENDRIL_STATE)")
    .default(defaultState(), "./.tendril")
    .argParser((dir) => resolve(filled(dir)));

/** By the rules of runtime/places.ts. */
export const configOption = () =>
  new Option(
    "--config <file>",
    "configuration (default: TENDRIL_CONFIG, else tendril.yaml in the state folder, if it exists)",
  );

/** The commands in help, in the groups of docs/command-line.md; a test compares them. */
export const GROUPS: readonly (readonly [heading: string, commands: string])[] = [
  [
    "Every day",
    "status history messages reply chat photo log tasks task lists list events knowledge files memory person calendar when water audit home channel export import",
  ],
  ["Stop, and go on", "off hold resume pause unpause clear approvals approve deny release"],
  ["Set up, and look after it", "setup doctor config calibrate backup restore support-bundle"],
  ["Run", "demo serve agent simulate models"],
  ["Who may connect", "open sessions pair join token tls discover tools"],
];

/** All commands of help, in its order. */
export const COMMANDS: readonly string[] = GROUPS.flatMap(([, names]) => names.split(" "));

/** Lists the commands of help in their groups. Throws for one that has none. */
export function inGroups(program: Command): void {
  const order = GROUPS.flatMap(([heading, names]) => names.split(" ").map((name) => ({ heading, name })));
  const place = (command: Command) => order.findIndex(({ name }) => name === command.name());
  for (const command of program.commands) {
    const group = order[place(command)];
    if (!group) throw new Error(`tendril ${command.name()} is in no group of help`);
    command.helpGroup(`${group.heading}:`);
  }
  const sorted = program.commands.toSorted((a, b) => place(a) - place(b));
  program.configureHelp({
    ...program.configureHelp(),
    visibleCommands: () => [...sorted],
    // commander shows groups in the order of its first list, which is that of the declarations
    groupItems: (_, visible, groupOf) => new Help().groupItems(visible, visible, groupOf),
  });
}
