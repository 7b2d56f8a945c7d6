import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Another commit, built in a folder of its own. */
export interface OtherCommit {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Checks `ref` out beside this one, inside the project's dist/, and builds it. It shares node_modules, and the
 * disk. The next build removes it where this could not.
 */
export async function buildOther(project: string, ref: string): Promise<OtherCommit> {
  const git = (...args: string[]) => run("git", ["-C", project, ...args]);
  await git("worktree", "prune"); // what an interrupted run has left, once its folder is gone
  const folder = await mkdtemp(join(project, "dist", "against-"));
  const remove = async () => {
    await git("worktree", "remove", "--force", folder).catch(() => undefined); // where it was never added
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await git("worktree", "add", "--detach", folder, ref);
    // Node looks in every folder above, but a style sheet names a file of it by path
    await symlink(join(project, "node_modules"), join(folder, "node_modules"));
    await run("npm", ["run", "--silent", "build"], { cwd: folder });
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
