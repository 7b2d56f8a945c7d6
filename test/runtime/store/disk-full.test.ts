import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";

const WRITER = join(import.meta.dirname, "limited-writer.js");

t.test("on a full disk an append fails, leaves nothing behind, and the next that fits goes on", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  // 16 KiB; tap's own hooks (NODE_OPTIONS) would write files too, and die of the limit's signal
  const script = 'unset NODE_OPTIONS && ulimit -f 16 && exec "$0" "$1" "$2"';
  const { stdout } = await promisify(execFile)("bash", ["-c", script, process.execPath, WRITER, file]);
  const { outcomes, together, after } = JSON.parse(stdout) as Record<string, string[]>;
  t.same(outcomes, ["1 1", "STORE_FAILED 1", "2 2"]);
  t.same(together?.[0], "3", "written alone, before the others came");
  t.same(together?.slice(1), ["STORE_FAILED", "STORE_FAILED"], "what shares a write shares its fate");
  t.equal(after, "4 4");
  const ids = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; n: number });
  t.same(
    ids.map(({ id, n }) => [id, n]),
    [
      [1, 1],
      [2, 3],
      [3, 4],
      [4, 7],
    ],
    "no gap, no fragment",
  );
});
