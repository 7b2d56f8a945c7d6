import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { swapBuilds } from "../../systemd/programs/swap.js";

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

t.test("without a build, ./tendril names what is missing", async (t) => {
  const folder = t.testdir({});
  copyFileSync("tendril", join(folder, "tendril"));
  const said = () => spawnSync("sh", [join(folder, "tendril"), "off"], { encoding: "utf8" });
  t.match(said(), { status: 2, stderr: /nothing is built yet: \(cd '.+' && npm ci && npm run build\)/ });
  mkdirSync(join(folder, "node_modules"));
  t.match(said(), { status: 2, stderr: /nothing is built yet: \(cd '.+' && npm run build\)/ });
});
