import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { DoctorProgram } from "../../../runtime/doctor/doctor-program.js";
import { rigFor } from "../../rig.js";

/** The doctor that a running runtime asks for its owner's page. */

t.test("beside a running runtime the doctor looks, once for all who ask, and changes nothing", async (t) => {
  const { state } = await rigFor(t);
  const doctor = new DoctorProgram(state, undefined);
  const [one, two] = await Promise.all([doctor.look(), doctor.look()]);
  t.equal(one, two, "one program for both");
  const found = Object.fromEntries(one.checks.map(({ name, verdict }) => [name, verdict]));
  t.match(found, { node: "ok", journals: "ok", "probe basil": "skipped", cameras: "skipped" });
});

t.test("a configuration that is wrong is a finding like others", async (t) => {
  const { state } = await rigFor(t);
  const file = join(state, "wrong.yaml");
  await writeFile(file, "plants: 7");
  const { checks } = await new DoctorProgram(state, file).look();
  t.match(
    checks.find(({ name }) => name === "configuration"),
    { verdict: "failure", found: /plants/, mend: /correct/ },
  );
});

t.test("where memory runs short the doctor goes first, not the runtime", async (t) => {
  const { state } = await rigFor(t);
  const before = new Set(children());
  let isOver = false;
  const report = new DoctorProgram(state, undefined).look().finally(() => {
    isOver = true;
  });
  const scores = new Set<string>();
  while (!isOver && scores.size === 0) {
    for (const pid of children()) if (!before.has(pid)) scores.add(scoreOf(pid));
    await turn();
  }
  t.same([...scores], ["1000"]);
  await report;
});

/** Children of this process [proc_pid_stat(5): the fourth field is the parent]. */
function children(): readonly string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === process.pid);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}

const scoreOf = (pid: string): string => readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim();
