import { type Command, Help } from "commander";

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
