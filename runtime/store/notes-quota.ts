/** A file of the notes archive. */
export interface NoteFile {
  readonly file: string;
  readonly sequence: number;
  /** When it was saved, epoch milliseconds. */
  readonly timestamp: number;
  readonly bytes: number;
}

/**
 * Which files have to go so that the others fit into `mostBytes`: the oldest that a later note of the same day (UTC) has
 * replaced, then the oldest of all. So an agent that writes without end cannot wipe out what was noted on other days, as long
 * as a note a day fits. The newest stays. `files` is in order of their numbers.
 */
export function filesBeyond(files: readonly NoteFile[], mostBytes: number): readonly NoteFile[] {
  let excess = files.reduce((sum, { bytes }) => sum + bytes, 0) - mostBytes;
  if (excess <= 0) return [];
  const lastOfDay = new Set(new Map(files.map((each) => [dayOf(each), each])).values());
  const replaced = files.filter((each) => !lastOfDay.has(each));
  const oldestFirst = [...replaced, ...lastOfDay].filter((each) => each !== files.at(-1));
  return oldestFirst.filter(({ bytes }) => {
    if (excess <= 0) return false;
    excess -= bytes;
    return true;
  });
}

const dayOf = ({ timestamp }: NoteFile): string => new Date(timestamp).toISOString().slice(0, 10);
