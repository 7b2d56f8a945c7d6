import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes } from "../../../drivers/units.js";
import { verifyBackup } from "../../../runtime/backup/contents.js";
import { restore } from "../../../runtime/backup/restore.js";
import { finishRestore } from "../../../runtime/backup/restore-mark.js";
import { status } from "../../../runtime/cli/status.js";
import { type Rig, rigFor } from "../../rig.js";
import { rigRemote } from "../cli/rig-remote.js";
import { backupOf, folderFor, killedAt, leftAtSteps, restoreTo, STEPPER, treeOf } from "./backup-rig.js";

const human = { as: "human" } as const;
const CONFIRMED = "server: { calls_per_second: 100000 }\nconfirm: { dispense_water: always }";

/** A runtime with a history, and a backup of it; it has lived on since. */
async function backedUp(t: Test): Promise<{ rig: Rig; file: string }> {
  const rig = await rigFor(t);
  await rig.water(20, human);
  await rig.get("send_message_to_human", { message: "before the backup" });
  const { file } = await backupOf(rig.state, await folderFor(t));
  return { rig, file };
}

const messages = async (rig: Rig): Promise<string> =>
  JSON.stringify(await rig.get("list_messages_from_agent", { limit: 50 }, human));

t.test("what was there at the backup is there again, and what came after it lies aside", async (t) => {
  const { rig, file } = await backedUp(t);
  await rig.get("send_message_to_human", { message: "after the backup" });
  await rig.stop();
  await mkdir(join(rig.state, "agent"));
  await writeFile(join(rig.state, "agent", "agent.json"), "today's");
  const { aside } = await restoreTo(rig.state, file);
  t.equal(
    await readFile(join(rig.state, "agent", "agent.json"), "utf8"),
    "today's",
    "npm start's agent stays",
  );
  await rig.open();
  t.match(await messages(rig), /before the backup/);
  t.notMatch(await messages(rig), /after the backup/);
  t.match(await readFile(join(aside, "journal", "messages.jsonl"), "utf8"), /after the backup/);
  for (const name of ["journal/messages.jsonl", "tendril.sqlite", "used"])
    t.equal((await stat(join(rig.state, name))).mode & 0o777, 0o600, name);
});

t.test("a runtime that has the folder keeps it", async (t) => {
  const { rig, file } = await backedUp(t);
  const before = (await treeOf(rig.state)).get("journal/water.jsonl");
  await t.rejects(restoreTo(rig.state, file), { code: "STATE_IN_USE" });
  t.equal((await treeOf(rig.state)).get("journal/water.jsonl"), before);
});

t.test(
  "on the same device water, light, holds, faults and keys are today's: nothing is poured twice",
  async (t) => {
    const { rig, file } = await backedUp(t);
    await rig.water(25, { ...human, key: "one dose" });
    await rig.get("set_hold", { hold: true, reason: "since the backup" }, human);
    await rig.stop();
    const { kept, lost } = await restoreTo(rig.state, file);
    const stay = ["water", "statuses", "calls", "light", "mail", "taint", "control", "pause", "approvals"];
    t.same([...kept].sort(), stay.sort());
    t.same(lost, []);
    await rig.open();
    t.match(await rig.get("get_water_usage_24h"), { used_ml: 45 });
    t.match((await rig.refused("dispense_water", { ml: 10 }, human)).message, /since the backup/);
    await rig.get("set_hold", { hold: false }, human);
    t.ok(
      (await rig.call("dispense_water", { ml: 25 }, { ...human, key: "one dose" })).ok,
      "answered as the first",
    );
    t.match(await rig.get("get_water_usage_24h"), { used_ml: 45 });
  },
);

t.test(
  "a hold that a person has lifted since the backup does not come back on the same device",
  async (t) => {
    const rig = await rigFor(t);
    await rig.get("set_hold", { hold: true, reason: "of then" }, human);
    const { file } = await backupOf(rig.state, await folderFor(t));
    await rig.get("set_hold", { hold: false }, human);
    await rig.stop();
    await restoreTo(rig.state, file);
    await rig.open();
    await rig.water(10, human);
  },
);

t.test(
  "on another device the day counts as poured, the light rests, and all is held until a person resumes",
  async (t) => {
    const { rig, file } = await backedUp(t);
    await rig.end();
    const other = await rigFor(t);
    await other.stop();
    other.clock.reboot({ downtime: minutes(1), synchronised: false });
    t.same((await restoreTo(other.state, file)).lost.toSorted(), [
      "calls",
      "control",
      "light",
      "pause",
      "taint",
      "water",
    ]);
    await other.open();
    t.match(await other.get("get_overview", {}, human), {
      plants: [{ water: { used_ml: 520, assumed_ml: 500, remaining_ml: 0 } }],
    });
    t.match(
      await status(rigRemote(other), {}),
      /20 ml in 24 h, and 500 ml count as poured since a record was lost, 0 ml left/,
    );
    t.equal((await other.refused("dispense_water", { ml: 10 }, human)).code, "HOLD");
    t.equal((await other.refused("turn_on_light", { minutes: 30 }, human)).code, "HOLD");
    await other.get("set_hold", { hold: false }, human);
    t.equal((await other.refused("dispense_water", { ml: 10 }, human)).code, "BUDGET_EXCEEDED");
    t.equal((await other.refused("turn_on_light", { minutes: 30 }, human)).code, "LIGHT_COOLDOWN");
    await other.pass(hours(24.1));
    await other.water(10, human);
    t.match(other.log.join("\n"), /the journal water is from a backup of 2026-/);
  },
);

t.test("a new board's own holds and faults outlive a restore, and the person's resume", async (t) => {
  const { rig, file } = await backedUp(t);
  await rig.end();
  const other = await rigFor(t, { config: "inputs: [{ kind: leak, name: tray, gpio: 6 }]" });
  other.bench.setInput("tray", true);
  await other.core.settled();
  other.bench.setInput("tray", false);
  await other.core.settled();
  await other.stop();
  await restoreTo(other.state, file);
  await other.open();
  await other.get("set_hold", { hold: false }, human);
  t.equal((await other.refused("dispense_water", { ml: 10 }, human)).code, "LEAK");
});

t.test("a lock that a person cleared before the backup does not come back on another device", async (t) => {
  const rig = await rigFor(t);
  rig.bench.faults("basil").pump = "tube off";
  await rig.passSampling(minutes(20));
  for (const ml of [25, 25]) await rig.water(ml, human);
  await rig.passSampling(minutes(16));
  t.equal((await rig.refused("dispense_water", { ml: 25 }, human)).code, "NO_RESPONSE");
  await rig.get("clear_fault", {}, human);
  const { file } = await backupOf(rig.state, await folderFor(t));
  await rig.end();
  const other = await rigFor(t);
  await other.stop();
  await restoreTo(other.state, file);
  await other.open();
  await other.passSampling(minutes(20));
  t.match(await other.get("get_overview", {}, human), { plants: [{ faults: [] }] });
  await other.get("set_hold", { hold: false }, human);
  t.equal((await other.refused("dispense_water", { ml: 25 }, human)).code, "BUDGET_EXCEEDED");
});

t.test("a ledger that was emptied, cut or is marked as lost is not taken for today's", async (t) => {
  for (const damage of [
    (file: string) => rm(file),
    (file: string) => writeFile(file, ""),
    async (file: string) =>
      writeFile(file, (await readFile(file, "utf8")).split("\n").slice(0, -2).join("\n")),
    async (file: string) => {
      await writeFile(file, `${(await readFile(file, "utf8")).split("\n").slice(0, -3).join("\n")}\n`);
      await rm(join(file, "../../tendril.sqlite"));
    },
    (file: string) => writeFile(`${file}.lost`, "lost"),
    async (file: string) => writeFile(file, (await readFile(file, "utf8")).replace('"ml":20', '"ml":10')),
  ]) {
    const { rig, file } = await backedUp(t);
    await rig.water(25, human);
    await rig.stop();
    await damage(join(rig.state, "journal", "water.jsonl"));
    t.same((await restoreTo(rig.state, file)).kept, [], "what refers to it neither");
    await rig.open();
    t.match(await rig.get("get_water_usage_24h"), { remaining_ml: 0 });
  }
});

t.test("a yes that was open when the backup was made is a no after it", async (t) => {
  const asked = await rigFor(t, { config: CONFIRMED });
  await asked.status([{ action: "water", value: 10 }]);
  t.equal((await asked.refused("dispense_water", { ml: 10 })).code, "APPROVAL_NEEDED");
  await asked.get("answer_approval", { id: 1, approve: true }, human);
  const granted = (await backupOf(asked.state, await folderFor(t))).file;
  await asked.stop();
  const other = await rigFor(t, { config: CONFIRMED });
  await other.stop();
  await restoreTo(other.state, granted);
  await other.open();
  await other.get("set_hold", { hold: false }, human);
  t.not((await other.refused("dispense_water", { ml: 10 })).code, "APPROVAL_NEEDED");
  t.match(await other.get("list_approvals", { limit: 5 }, human), { approvals: [{ state: "expired" }] });
});

t.test(
  "on the same device tokens are today's, so that one taken back stays so; on another they are the backup's",
  async (t) => {
    const rig = await rigFor(t);
    await mkdir(join(rig.state, "tokens"), { mode: 0o700 });
    await writeFile(join(rig.state, "tokens", "agent.old"), "o".repeat(43));
    await mkdir(join(rig.state, "tokens-scoped"), { mode: 0o700 });
    await writeFile(join(rig.state, "tokens-scoped", "metrics.old"), "m".repeat(43));
    const { file } = await backupOf(rig.state, await folderFor(t));
    await rm(join(rig.state, "tokens", "agent.old"));
    await rm(join(rig.state, "tokens-scoped", "metrics.old"));
    await writeFile(join(rig.state, "tokens", "agent.new"), "n".repeat(43));
    await rig.stop();
    await restoreTo(rig.state, file);
    t.same(await readdir(join(rig.state, "tokens")), ["agent.new"]);
    t.same(await readdir(join(rig.state, "tokens-scoped")), []);
    const elsewhere = join(await folderFor(t), "state");
    await restoreTo(elsewhere, file);
    t.same(await readdir(join(elsewhere, "tokens")), ["agent.old"]);
    t.same(await readdir(join(elsewhere, "tokens-scoped")), ["metrics.old"]);
    t.equal((await stat(join(elsewhere, "tokens"))).mode & 0o777, 0o700);
  },
);

t.test(
  "a configuration outside the state folder goes where it is looked for; the old one is kept beside it",
  async (t) => {
    const { rig, file: bare } = await backedUp(t);
    await writeFile(join(rig.state, "tendril.yaml"), "plants: [{ id: basil }]\n");
    const { file } = await backupOf(rig.state, await folderFor(t));
    const etc = await folderFor(t);
    const config = join(etc, "tendril.yaml");
    const options = { state: join(etc, "state"), config, clock: new SimulatedClock() };
    t.equal((await restore({ ...options, file })).configAside, undefined);
    await writeFile(config, "plants: [{ id: fern }]\n");
    await chmod(config, 0o640);
    const { configAside = "" } = await restore({ ...options, file });
    t.equal(await readFile(config, "utf8"), "plants: [{ id: basil }]\n");
    t.equal(await readFile(configAside, "utf8"), "plants: [{ id: fern }]\n");
    t.equal((await stat(config)).mode & 0o777, 0o640);
    t.notOk((await readdir(options.state)).includes("tendril.yaml"), "one place, not two");
    const inside = { ...options, config: join(options.state, "tendril.yaml") };
    await restore({ ...inside, file });
    await restore({ ...inside, file: bare });
    t.equal(
      await readFile(inside.config, "utf8"),
      "plants: [{ id: basil }]\n",
      "nor one in the state folder",
    );
    await restore({ ...options, file: bare });
    t.equal(await readFile(config, "utf8"), "plants: [{ id: basil }]\n", "a backup without one changes none");
  },
);

t.test("what a restore does not take from a backup need not start", async (t) => {
  const { rig } = await backedUp(t);
  await mkdir(join(rig.state, "tokens"), { mode: 0o700 });
  const own = "0123456789abcdef".repeat(4);
  const stray = join(rig.state, "tokens", "agent.copy");
  for (const file of [join(rig.state, "tokens", "agent"), stray]) await writeFile(file, own, { mode: 0o600 });
  const { file } = await backupOf(rig.state, await folderFor(t));
  await rm(stray);
  await rig.stop();
  await restoreTo(rig.state, file);
  t.equal(await readFile(join(rig.state, "tokens", "agent"), "utf8"), own, "the tokens are today's");
  await t.rejects(restoreTo(join(await folderFor(t), "state"), file), { code: "BACKUP_CANNOT_START" });
});

t.test("a disk that is full while it is unpacked leaves the folder as it was", async (t) => {
  const { rig, file } = await backedUp(t);
  await rig.stop();
  const before = await treeOf(rig.state);
  const script = 'unset NODE_OPTIONS && ulimit -f 32 && exec "$0" "$@"'; // as in backup.test.ts: 32 KiB
  const args = [process.execPath, STEPPER, "", "restore", rig.state, file];
  await t.rejects(promisify(execFile)("bash", ["-c", script, ...args]), /EFBIG/);
  t.same(await treeOf(rig.state), before);
});

/** A user who has nothing: nobody, on Debian. */
const NOBODY = 65_534;
const notRoot = process.geteuid?.() !== 0 && "NOT TESTED: only root can make files of another user";

t.test("what root backs up and restores stays the runtime's own user's", { skip: notRoot }, async (t) => {
  const { rig, file } = await backedUp(t);
  await rig.stop();
  const state = join(await folderFor(t), "state");
  await copyOf(rig.state, state);
  for (const name of ["", ...(await readdir(state, { recursive: true }))])
    await chown(join(state, name), NOBODY, NOBODY);
  await restoreTo(state, file);
  const to = join(await folderFor(t), "backups");
  await mkdir(to);
  await chown(to, NOBODY, NOBODY);
  await backupOf(state, to);
  for (const folder of [state, to])
    for (const name of await readdir(folder, { recursive: true }))
      t.equal((await stat(join(folder, name))).uid, NOBODY, name);
});

t.test(
  "killed at whatever step, the folder is the old one, or the next start makes it the new one",
  async (t) => {
    const { rig, file } = await backedUp(t);
    await rig.get("send_message_to_human", { message: "after the backup" });
    await rig.stop();
    const names = (await verifyBackup(file)).members.map(({ name }) => name);
    const outcomes: ("old" | "new" | "neither")[] = [];
    const before = await treeOf(rig.state);
    const judge = async (left: string, step: string) => {
      const decided = (await readdir(left)).includes("restore.json");
      await finishRestore(left);
      const outcome = outcomeOf(withoutStages(await treeOf(left)), before, names);
      t.not(outcome, "neither", step);
      if (decided) t.equal(outcome, "new", `${step}: decided, and carried out`);
      return outcome;
    };
    const [state, other] = [join(await folderFor(t), "state"), join(await folderFor(t), "state")];
    for (const copy of [state, other]) await copyOf(rig.state, copy);
    for (const { step, left } of await leftAtSteps(t, state, file)) outcomes.push(await judge(left, step));
    t.equal(await judge(state, "not killed"), "new");
    await killedAt("dry", "restore", other, file);
    t.equal(await judge(other, "a process that was killed"), "old");
    t.equal(
      outcomes.lastIndexOf("old") + 1,
      outcomes.indexOf("new"),
      "up to one step the old one, then the new one",
    );
    t.ok(outcomes.indexOf("new") >= 5 && outcomes.length >= 15, outcomes.join(" "));
  },
);

t.test("where there is no such backup no state folder is made for it", async (t) => {
  const folder = await folderFor(t);
  await t.rejects(restoreTo(join(folder, "state"), join(folder, "typo.tar.gz")), { code: "ENOENT" });
  t.same(await readdir(folder), []);
});

function outcomeOf(
  after: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
  names: readonly string[],
): "old" | "new" | "neither" {
  const isNew =
    names.every((name) => after.has(name)) && !decode(after, "journal/messages.jsonl").includes("after the");
  if (isNew && [...after.keys()].some((name) => name.startsWith("before-restore-2"))) return "new";
  return JSON.stringify([...after]) === JSON.stringify([...before]) ? "old" : "neither";
}

const decode = (tree: ReadonlyMap<string, string>, name: string): string =>
  Buffer.from(tree.get(name) ?? "", "base64").toString();

/** What was unpacked and not decided lies in a hidden folder, and is cleared by the next restore. */
const withoutStages = (tree: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...tree].filter(([name]) => !name.startsWith(".restore-")));

async function copyOf(from: string, to: string): Promise<void> {
  for (const [name, content] of await treeOf(from)) {
    await mkdir(join(to, name, ".."), { recursive: true, mode: 0o700 });
    await writeFile(join(to, name), Buffer.from(content, "base64"), { mode: 0o600 });
  }
}
