import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { DoctorBeside } from "../../../runtime/doctor/doctor-beside.js";
import { rigFor } from "../../rig.js";

/** The doctor that a running runtime asks for its owner's page. */

t.test("beside a running runtime the doctor looks, once for all who ask, and changes nothing", async (t) => {
  const { state } = await rigFor(t);
  const doctor = new DoctorBeside(state, undefined);
  const [one, two] = await Promise.all([doctor.look(), doctor.look()]);
  t.equal(one, two, "one program for both");
  const found = Object.fromEntries(one.checks.map(({ name, verdict }) => [name, verdict]));
  t.match(found, { node: "ok", journals: "ok", probes: "skipped", cameras: "skipped" });
});

t.test("a configuration that is wrong is a finding like others", async (t) => {
  const { state } = await rigFor(t);
  const file = join(state, "wrong.yaml");
  await writeFile(file, "plants: 7");
  const { checks } = await new DoctorBeside(state, file).look();
  t.match(
    checks.find(({ name }) => name === "configuration"),
    { verdict: "failure", found: /plants/, mend: /correct/ },
  );
});
