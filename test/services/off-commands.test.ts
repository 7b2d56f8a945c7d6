import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { MODULES } from "../../runtime/services/modules.js";
import { RuntimeHere } from "../process.js";
import { tendrilHere } from "../tendril-here.js";
import { CONTRACTS } from "./contracts.js";

const OPTIONAL = MODULES.filter(({ canBeOff }) => canBeOff).map(({ name }) => name);
const allSet = (on: boolean) => Object.fromEntries(OPTIONAL.map((name) => [name, on]));
const tools = OPTIONAL.flatMap((name) => Object.keys(CONTRACTS.get(name)?.tools ?? {}));

async function folderFor(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-off-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A state folder whose configuration switches off all that can be. */
async function stateOff(t: Test): Promise<string> {
  const state = await folderFor(t);
  await writeFile(join(state, "tendril.yaml"), `modules: ${JSON.stringify(allSet(false))}\n`);
  return state;
}

/** The files themselves: what a restore says of some, it says beside them. */
async function journals(state: string): Promise<readonly string[]> {
  const names = await readdir(join(state, "journal"));
  return names.filter((name) => name.endsWith(".jsonl"));
}

const optionalLogs = MODULES.filter(({ canBeOff }) => canBeOff)
  .flatMap((module) => ("journals" in module ? module.journals : []))
  .map(({ definition }) => definition.name);

t.test("tendril config says which modules are on", async (t) => {
  const state = await stateOff(t);
  t.match(parse((await tendrilHere(["config", "--state", state])).out), { modules: allSet(false) });
  t.match(parse((await tendrilHere(["config", "--state", await folderFor(t)])).out), {
    modules: allSet(true),
  });
});

t.test("with all modules off that can be, every command of a running runtime works", async (t) => {
  const state = await stateOff(t);
  const runtime = await RuntimeHere.start({ state });
  t.teardown(() => runtime.stop().then(() => undefined));
  const runs = async (...args: readonly string[]) => {
    const ran = await tendrilHere([...args, "--state", state]);
    t.equal(ran.code, 0, `${args.join(" ")}: ${ran.err}`);
    return ran.out;
  };
  t.match(await runs("status"), /Basil/);
  const listed = JSON.parse(await runs("tools", "--json")) as { name: string }[];
  t.same(
    listed.map(({ name }) => name).filter((name) => tools.includes(name)),
    [],
  );
  t.match(JSON.parse(await runs("doctor", "--json")), { summary: { failure: 0 } });
  const bundle = await folderFor(t);
  await runs("support-bundle", "--yes", "--to", bundle);
  t.match(await readdir(bundle), { length: 1 });
  await runs("backup", "--to", bundle);
});

t.test("a backup made without modules is restored with them, and the other way round", async (t) => {
  for (const [before, after] of [
    [false, true],
    [true, false],
  ] as const) {
    const [state, to, other] = [await folderFor(t), await folderFor(t), await folderFor(t)];
    const configured = (on: boolean) => `modules: ${JSON.stringify(allSet(on))}\n`;
    await writeFile(join(state, "tendril.yaml"), configured(before));
    const first = await RuntimeHere.start({ state });
    await first.stop();
    const backup = await tendrilHere(["backup", "--to", to, "--state", state]);
    t.equal(backup.code, 0, backup.err);
    const [file = ""] = await readdir(to);
    const restored = await tendrilHere(["restore", join(to, file), "--state", other]);
    t.equal(restored.code, 0, restored.err);
    t.same(await journals(other), await journals(state));
    t.equal(await readFile(join(other, "tendril.yaml"), "utf8"), configured(before));
    await writeFile(join(other, "tendril.yaml"), configured(after));
    const second = await RuntimeHere.start({ state: other });
    const { log } = await second.stop();
    for (const name of optionalLogs)
      t.notMatch(log, new RegExp(`journal ${name}\\b`), "nothing of it is lost");
  }
});
