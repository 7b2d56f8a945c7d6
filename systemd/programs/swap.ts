import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where `npm run build` (package.json) puts everything until all of it is there. */
export const NEW = "dist.new";

/**
 * Puts the new build of `project` into the place of the old one, which commands could be run from until now. A program that runs
 * reads parts of the same names from it, unless the sources have changed.
 */
export function swapBuilds(project: string): void {
  const [built, old] = [join(project, "dist"), join(project, "dist.old")];
  rmSync(old, { recursive: true, force: true }); // of a build that was killed here
  if (existsSync(built)) renameSync(built, old);
  renameSync(join(project, NEW), built);
  rmSync(old, { recursive: true, force: true });
}
