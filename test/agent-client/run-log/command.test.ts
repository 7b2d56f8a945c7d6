import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { tendril } from "../../run-tendril.js";
import { programHere } from "../../tendril-here.js";
import { written } from "./written.js";

const LOG = join(process.cwd(), "dist/agent-client/run-log/main.js");
const NAME = (day: number) => `2026-06-0${day}T12-00-00.000Z-scripted.jsonl`;

const show = (...args: readonly string[]) => tendril(["log", ...args]);
/** The same program, in the process of the test: it is not told what the command is called here. */
const showHere = (...args: readonly string[]) => programHere(LOG, args);

async function runs(t: Test): Promise<string> {
  const look = { id: "1", name: "read_moisture", arguments: {} };
  const text = await written({ replies: [{ thinking: "Dry?", toolCalls: [look] }], turns: 2 });
  return t.testdir({ [NAME(1)]: "", [NAME(2)]: text, "notes.txt": "mine" });
}

t.test("tendril log shows the newest run of the folder, and a summary of it", async (t) => {
  const folder = await runs(t);
  const { code, out, err } = await show("--log-dir", folder);
  t.equal(code, 0, err);
  t.match(out, /^08:00 {2}cycle 1 {3}moisture 60\.0 %.*\n {7}thought {5}Dry\?\n {7}incomplete/);
  t.match(out, / cycles {6}2, of which 0 completed\n/);
  t.match(out, NAME(2));
  t.equal((await showHere(join(folder, NAME(2)))).out, out);
});

t.test("--cycle shows one cycle, --json the lines as they are", async (t) => {
  const file = join(await runs(t), NAME(2));
  const second = await showHere(file, "--cycle", "2");
  const lines = await showHere(file, "--json");
  const none = await showHere(file, "--cycle", "7");
  t.match(second.out, /^08:00 {2}cycle 2\n {7}incomplete.*\n.*\n$/);
  t.equal(lines.out, readFileSync(file, "utf8"));
  t.match(none, { code: 2, err: /^tendril log: the run has no cycle 7: it has 1 to 2\n$/ });
});

t.test("where there is no run, it says where it looked; wrong use exits 2", async (t) => {
  const folder = t.testdir({ "x.txt": "no run\n" });
  const table: [readonly string[], RegExp][] = [
    [[join(folder, "gone.jsonl")], /there is no run in .*gone\.jsonl: the file does not exist/],
    [[join(folder, "x.txt")], /x\.txt contains no run of an agent/],
    [["--cycle", "0"], /--cycle <n>.*whole number from 1 on/s],
  ];
  for (const [args, err] of table) t.match(await showHere(...args), { code: 2, err }, args.join(" "));
  const none = new RegExp(`there is no run in ${folder}: start ../tendril agent.`);
  t.match(await show("--log-dir", folder), { code: 2, err: none });
});

t.test("hints of a run's story and of none repeat the state folder that was named", async (t) => {
  const state = t.testdir({});
  const none = await show("--state", state, "--agent-state", join(state, "agent"));
  t.match(none, { code: 2, err: new RegExp(`start .\\S*tendril agent --state ${state}.`) });
});
