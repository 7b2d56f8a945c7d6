import type { Command } from "commander";
import { orExplain } from "./failure.js";
import { configOption, state, whole } from "./options.js";

/** `tendril backup`, `tendril restore` and `tendril support-bundle`. */
export function addBackupCommands(program: Command): void {
  program
    .command("backup")
    .description("Write all that is durable to one file, also while the runtime runs.")
    .addOption(state())
    .addOption(configOption())
    .option("--to <dir>", "where backups go (default: /var/backups/tendril as a package, else STATE-backups)")
    .option("--keep <n>", "how many backups of this machine stay there", whole(1, 10_000), 14)
    .option("--photos", "pictures too")
    .option("--list <file>", "say what a backup holds, in place of making one")
    .option("--verify <file>", "check a backup from its first byte to its last, in place of making one")
    .action((options) => orExplain(async () => (await import("./backup.js")).backup(options)));
  program
    .command("restore")
    .description("Put a backup in place of the state, which goes aside. The runtime must not run.")
    .argument("<file>", "a backup")
    .addOption(state())
    .addOption(configOption())
    .action((file: string, options) =>
      orExplain(async () => (await import("./backup.js")).restore(file, options)),
    );
  program
    .command("support-bundle")
    .description("Collect what helps to find out what is wrong, without secrets, in one file to send.")
    .addOption(state())
    .addOption(configOption())
    .option("--to <dir>", "where the file goes", ".")
    .option("--with-journals", "what was poured, lit and held in the last 24 hours, too")
    .option("--with-texts", "what people and agents have written, too")
    .option("--yes", "write it without asking")
    .action((options) => orExplain(async () => (await import("./support-bundle.js")).supportBundle(options)));
}
