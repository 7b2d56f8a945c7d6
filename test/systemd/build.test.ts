import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { isBuilt, SOURCES, sourcesOf, stamp, swapBuilds } from "../../systemd/programs/swap.js";

const { build } = JSON.parse(readFileSync("package.json", "utf8")).scripts;

t.test("a build that fails leaves the former one as it was", async (t) => {
  const folder = t.testdir({ dist: { "off.js": "former" }, bin: { esbuild: "#!/bin/sh\nexit 1\n" } });
  execFileSync("chmod", ["+x", join(folder, "bin/esbuild")]);
  const env = { PATH: `${join(folder, "bin")}:${process.env.PATH}` };
  t.equal(spawnSync("sh", ["-c", build], { cwd: folder, env }).status, 1);
  t.equal(readFileSync(join(folder, "dist/off.js"), "utf8"), "former");
});

t.test("a finished build takes the place of the former one, and nothing else stays", async (t) => {
  const left = { "off.js": "of a build that was killed" };
  const folder = t.testdir({ dist: { "off.js": "1" }, "dist.new": { "off.js": "2" }, "dist.old": left });
  swapBuilds(folder);
  t.equal(readFileSync(join(folder, "dist/off.js"), "utf8"), "2");
  t.same(readdirSync(folder), ["dist"]);
});

t.test("the first build has no former one", async (t) => {
  const folder = t.testdir({ "dist.new": { "off.js": "1" } });
  swapBuilds(folder);
  t.ok(existsSync(join(folder, "dist/off.js")));
});

t.test(
  "tests that have changed are built without the programs, and without a change nothing is",
  async (t) => {
    const project = t.testdir({
      ...Object.fromEntries(SOURCES.map((folder) => [folder, { "a.ts": "1" }])),
      ...{ "package.json": "{}", "package-lock.json": "{}", "dist.new": { test: {} } },
    });
    const isCurrent = () => {
      const { programs, test } = sourcesOf(project);
      return [isBuilt(project, programs), isBuilt(project, test, "test")];
    };
    t.same(isCurrent(), [false, false]);
    const first = sourcesOf(project);
    stamp(project, first.programs);
    stamp(project, first.test, "test");
    swapBuilds(project);
    t.same(isCurrent(), [true, true]);
    writeFileSync(join(project, "test/b.ts"), "2");
    t.same(isCurrent(), [true, false]);
    mkdirSync(join(project, "dist.new/test"), { recursive: true });
    stamp(project, sourcesOf(project).test, "test");
    swapBuilds(project, "test");
    t.same(isCurrent(), [true, true]);
    t.ok(existsSync(join(project, "dist/.sources")), "the rest is as it was");
    for (const change of ["drivers/a.ts", "package-lock.json"]) {
      const before = sourcesOf(project).programs;
      writeFileSync(join(project, change), "longer");
      t.not(sourcesOf(project).programs, before, change);
    }
    rmSync(join(project, "runtime/a.ts"));
    t.same(isCurrent(), [false, true]);
  },
);

t.test("without a build, ./tendril names what is missing", async (t) => {
  const folder = t.testdir({});
  copyFileSync("tendril", join(folder, "tendril"));
  const said = () => spawnSync("sh", [join(folder, "tendril"), "off"], { encoding: "utf8" });
  t.match(said(), { status: 2, stderr: /nothing is built yet: \(cd '.+' && npm ci && npm run build\)/ });
  mkdirSync(join(folder, "node_modules"));
  t.match(said(), { status: 2, stderr: /nothing is built yet: \(cd '.+' && npm run build\)/ });
});
