import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Sources that are not compiled lie in the project, not in dist. */
export const SOURCES = fileURLToPath(new URL("../../../../test/home/real/", import.meta.url));
const REQUIREMENTS = join(SOURCES, "requirements.txt");
/** Kept between runs: 440 MB. */
const PLACE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tendril-test-home");
/** Milliseconds. A choice: four wheels are compiled, in a minute on an idle machine and in seven on a busy one. */
const LIMIT = 600_000;

/** Home Assistant cannot be had on this machine. */
export class NotInstalled extends Error {
  override readonly name = "NotInstalled";
}

/**
 * Installs Home Assistant into a virtual environment of its own, once. Returns the environment's Python. Rejects with
 * NotInstalled.
 */
export async function install(): Promise<string> {
  const python = join(PLACE, "bin", "python");
  const stamp = join(PLACE, ".installed");
  const wanted = createHash("sha256")
    .update(await readFile(REQUIREMENTS))
    .update(PAGES)
    .digest("hex");
  const found = await readFile(stamp, "utf8").catch(() => "");
  if (found === wanted) return python;
  const source = await findPython();
  await rm(PLACE, { recursive: true, force: true });
  try {
    await run(source, ["-m", "venv", PLACE]);
    const quiet = ["--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps", "--prefer-binary"];
    await run(python, ["-m", "pip", "install", ...quiet, "--requirement", REQUIREMENTS], { timeout: LIMIT });
    await addPages(python);
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new NotInstalled(stderr.trim().split("\n").at(-1) || message);
  }
  await writeFile(stamp, wanted);
  return python;
}

/** The version that Home Assistant 2025.4 needs. */
async function findPython(): Promise<string> {
  const pyenv = join(homedir(), ".pyenv", "versions");
  const versions = (await readdir(pyenv).catch(() => [])).filter((name) => name.startsWith("3.13."));
  const names = versions.map((name) => join(pyenv, name, "bin", "python"));
  for (const python of [...names, "python3.13", "python3"]) {
    const is313 = "import sys; sys.exit(sys.version_info[:2] != (3, 13))";
    if (
      await run(python, ["-c", is313]).then(
        () => true,
        () => false,
      )
    )
      return python;
  }
  throw new NotInstalled("there is no Python 3.13");
}

/** Home Assistant does not start without the folder of its web pages. Those are 200 MB, and nobody looks at them here. */
const PAGES = "from pathlib import Path\n\n\ndef where():\n    return Path(__file__).parent\n";

async function addPages(python: string): Promise<void> {
  const { stdout } = await run(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
  const folder = join(stdout.trim(), "hass_frontend");
  await mkdir(folder);
  await writeFile(join(folder, "__init__.py"), PAGES);
  for (const page of ["index", "authorize", "onboarding"])
    await writeFile(join(folder, `${page}.html`), "<!doctype html><title>No pages here</title>\n");
}
