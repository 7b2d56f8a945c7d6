import { execFile, spawn } from "node:child_process";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import t from "tap";

/**
 * `npm run test:modules`: removes service modules from a copy of this repository, each a folder and a line, and sees that
 * nothing else knows of them: type check, lint and the fast tests are green. Any modules can be named:
 * `npm run test:modules -- --test-arg=memory`.
 */

const named = process.argv.slice(2);
const FAMILIES = named.length > 0 ? named : ["planner", "memory"];
const LIST = "runtime/services/modules.ts";
/** Lines of a failed step that are shown: from each test that failed, and the last of all. Choices. */
const SHOWN = { failed: 25, last: 40 };

t.test(`without ${FAMILIES.join(" and ")} nothing is missed`, async (t) => {
  const copy = await mkdtemp(join(tmpdir(), "tendril-modules-"));
  t.teardown(() => rm(copy, { recursive: true, force: true }));
  await copyRepository(copy);
  for (const family of FAMILIES) await removeFamily(copy, family);
  for (const script of ["docs", "typecheck", "lint", "test:fast"])
    await t.test(`npm run ${script}`, async (t) => {
      const { code, said } = await run(copy, script);
      t.equal(code, 0, script, code === 0 ? {} : { said: telling(said) });
    });
});

/** What a reader of CI's log needs: a step prints 20,000 lines, and what failed can stand anywhere among them. */
function telling(said: string): string {
  const lines = said.split("\n");
  const first = lines.findIndex((line) => /^ *not ok/.test(line));
  const failed = first === -1 ? [] : lines.slice(first, first + SHOWN.failed);
  const names = lines.filter((line) => /^ *not ok/.test(line)).map((line) => line.trim());
  return [...names, ...failed, "[…]", ...lines.slice(-SHOWN.last)].join("\n");
}

/** As it is on the disk now: also what is not committed yet. */
async function copyRepository(to: string): Promise<void> {
  const { stdout } = await promisify(execFile)(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    { maxBuffer: 100_000_000 },
  );
  // node_modules is listed where it is a link: a worktree's
  for (const name of stdout.split("\0").filter((each) => each !== "" && each !== "node_modules")) {
    await mkdir(dirname(join(to, name)), { recursive: true });
    await copyFile(name, join(to, name)).catch(unlessDeleted);
  }
  await symlink(await realpath("node_modules"), join(to, "node_modules"));
}

/** Git lists a file that was deleted until the deletion is committed. */
function unlessDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** The folder of a family, that of its tests, and its line in the list of modules. */
async function removeFamily(copy: string, family: string): Promise<void> {
  await removeTestsThatUse(copy, family);
  await rm(join(copy, "runtime/services", family), { recursive: true });
  await rm(join(copy, "test/services", family), { recursive: true, force: true });
  const list = await readFile(join(copy, LIST), "utf8");
  const name = new RegExp(`^import \\{ (\\w+) \\} from "\\./${family}/index\\.js";\n`, "m").exec(list);
  if (!name?.[1]) throw new Error(`${LIST} does not import ${family}`);
  const without = list.replace(name[0], "").replace(new RegExp(`^\\s*${name[1]},\n`, "m"), "");
  await writeFile(join(copy, LIST), without);
}

/** Tests of other families that call tools of this one, or import it, show how the two work together: they go with it. */
async function removeTestsThatUse(copy: string, family: string): Promise<void> {
  const contract = await readFile(join(copy, "test/services", family, "contract.ts"), "utf8").catch(() => "");
  const tools = [...contract.matchAll(/^ {4}"?(\w+)(?: \w+)?"?: (?=\{)/gm)].map(([, tool]) => tool ?? "");
  const uses = new RegExp([`services/${family}/`, `"(?:${tools.join("|")})(?: \\w+)?"`].join("|"));
  const files = await readdir(join(copy, "test"), { recursive: true });
  const gone: string[] = [];
  // the contract's tests go by what there is
  for (const file of files.filter((name) => name.endsWith(".test.ts") && !name.startsWith("contract/"))) {
    const path = join(copy, "test", file);
    if (!uses.test(await readFile(path, "utf8"))) continue;
    await rm(path);
    gone.push(join("test", file));
  }
  await nameFolders(copy, gone);
}

/** A page that names a test which has gone names its folder: what is written there about it is no concern of the family. */
async function nameFolders(copy: string, gone: readonly string[]): Promise<void> {
  const docs = (await readdir(join(copy, "docs"), { recursive: true })).map((name) => join("docs", name));
  const roots = await readdir(copy);
  for (const page of [...roots, ...docs].filter((name) => name.endsWith(".md"))) {
    const text = await readFile(join(copy, page), "utf8");
    const named = gone.filter((path) => text.includes(path));
    if (named.length === 0) continue;
    const without = named.reduce((before, path) => before.replaceAll(path, `${dirname(path)}/`), text);
    await writeFile(join(copy, page), without);
  }
}

async function run(cwd: string, script: string): Promise<{ code: number | null; said: string }> {
  const child = spawn("npm", ["run", "-s", script], { cwd, env: plainEnvironment(), stdio: "pipe" });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, said: said.join("\n") };
}

/** Without what tap would hand on to its children: they begin as from a terminal. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:TAP|_TAP|NODE_OPTIONS|npm_)/.test(name) || name === "TAP_TIMEOUT",
  );
  return Object.fromEntries(own);
}
