import { fstatSync } from "node:fs";

const STDERR = 2;

/**
 * Whether what is written to stderr goes straight into systemd's journal. Its mark is inherited by whatever a service
 * starts, a desktop's terminals too: it counts for the very stream that it names [systemd.exec(5), $JOURNAL_STREAM].
 */
export function stderrIsJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  const { JOURNAL_STREAM: named } = env;
  if (named === undefined) return false;
  const { dev, ino } = fstatSync(STDERR);
  return named === `${dev}:${ino}`;
}
