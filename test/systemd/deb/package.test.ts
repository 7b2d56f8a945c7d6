import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { extract } from "tar";
import { FORM } from "../../../runtime/store/open-database.js";
import { run } from "../../../systemd/deb/natives.js";
import { RuntimeProcess } from "../../process.js";
import { endOf, type Ran } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import { built, skip } from "./built.js";

/** The package as it is on a disk, before dpkg has had it. */

const package_ = skip === false ? await built() : undefined;
if (package_ === undefined) t.test("the package", { skip }, async () => undefined);
else promises(package_);

function promises({ file, used, root, control, again }: Awaited<ReturnType<typeof built>>): void {
  const home = join(root, "usr/lib/tendril");
  const tendril = join(home, "dist/runtime/cli/tendril.js");
  const says = async (...args: string[]): Promise<Ran> => endOf(spawnNode([tendril, ...args]));

  t.test("the same sources give the same bytes", async (t) => {
    const first = readFileSync(file);
    t.ok(first.equals(readFileSync(await again())), `${first.length} bytes`);
  });

  t.test("all is root's, nobody else may write, and what people call may be run", async (t) => {
    const lines = run("dpkg-deb", "--contents", file).trim().split("\n");
    for (const line of lines) t.match(line, /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) root\/root /);
    const programs = lines.filter((line) => line.startsWith("-rwx")).map((line) => line.split(" ").at(-1));
    t.same(programs, [
      "./usr/bin/tendril",
      "./usr/bin/tendril-agent",
      "./usr/bin/tendril-bridge",
      "./usr/lib/tendril/natives/rebuild-natives",
      "./usr/lib/tendril/systemd/relays-off",
      "./usr/lib/tendril/systemd/tell-failure",
    ]);
  });

  t.test(
    "it puts nothing into /etc: a configuration is the person's, and no update asks about it",
    async (t) => {
      t.same(readdirSync(root).sort(), ["usr"]);
      t.notOk(existsSync(join(control, "conffiles")));
    },
  );

  t.test("the sum of every file is in the package, for dpkg --verify", async (t) => {
    const { status, stderr } = spawnSync("md5sum", ["--quiet", "-c", join(control, "md5sums")], {
      cwd: root,
    });
    t.equal(status, 0, String(stderr));
    t.equal(
      readFileSync(join(control, "md5sums"), "utf8").trim().split("\n").length,
      filesBelow(root).length,
    );
  });

  t.test("it wants a Node that runs it, and the C library that its natives were made for", async (t) => {
    const fields = run("dpkg-deb", "--field", file, "Depends");
    t.match(fields, /\blibc6 \(>= 2\.\d+\), libgcc-s1, libstdc\+\+6 \(>= \d+\), nodejs \(>= 20\.17\)/);
  });

  t.test("every program and every file that the code finds by its own place is there", async (t) => {
    const atBuild = ["runtime/cli/reference.ts"];
    const all = ["drivers", "runtime", "agent-client"]
      .flatMap(filesBelow)
      .filter((path) => path.endsWith(".ts"));
    const sources = all
      .map((path) => ({ path, text: readFileSync(path, "utf8") }))
      .filter(({ path }) => !atBuild.includes(path));
    const sought = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:new URL\(|startProgram\()\s*"(\.[^"]+)"/g)].map(([, way = ""]) =>
        join("dist", path, "..", way),
      ),
    );
    t.ok(sought.length >= 9, `${sought.length} files`);
    for (const path of sought) t.ok(existsSync(join(home, path)), path);
  });

  t.test("no bundle is a script: units and commands start it by its name", async (t) => {
    const scripts = filesBelow(join(home, "dist")).filter((path) =>
      readFileSync(path, "utf8").startsWith("#!"),
    );
    t.same(scripts, []);
  });

  t.test("what a unit starts, and the page that it names, are there", async (t) => {
    const units = filesBelow(join(root, "usr/lib/systemd/system")).filter((path) =>
      /\.(service|timer)$/.test(path),
    );
    t.ok(units.length >= 3, `${units.length} units`);
    for (const unit of units) {
      const text = readFileSync(unit, "utf8");
      const named = text.matchAll(/(?:file:|^Exec\w+=[-+]?|\s)(\/usr\/(?:lib|share\/doc)\/tendril\/\S+)/gm);
      for (const [, path = ""] of named) t.ok(existsSync(join(root, path)), `${path} of ${unit}`);
    }
  });

  t.test("the copyright file has the licence of every package whose code is in the bundles", async (t) => {
    const page = readFileSync(join(root, "usr/share/doc/tendril/copyright"), "utf8");
    const folderOf = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//;
    const folders = new Set(used.flatMap((path) => folderOf.exec(path)?.[1] ?? []));
    for (const name of ["epoll", "i2c-bus", "nan", "sqlite3", "node-addon-api"])
      folders.add(`node_modules/${name}`);
    t.ok(folders.size > 20, `${folders.size} packages`);
    for (const folder of folders) t.match(page, `\n${folder.replace("node_modules/", "")} `, folder);
    t.match(page, /Copyright \(c\) 2026 The Tendril authors/);
    t.match(page, /Copyright 2026 OpenAI/, "and what stands beside the text that Debian has");
  });

  t.test("every native loads in this Node", async (t) => {
    const natives = filesBelow(join(home, "natives")).filter((path) => path.endsWith(".node"));
    t.equal(natives.length, 4);
    for (const native of natives) {
      const { code, err } = await endOf(spawnNode(["-e", `require(${JSON.stringify(native)})`]));
      t.equal(code, 0, err);
    }
  });

  t.test("what drives pins, buses and the serial line is found in the bundles as in a clone", async (t) => {
    const parts = filesBelow(join(home, "dist/runtime/serving/parts"));
    const partOf = (module: string) =>
      parts.find((path) => readFileSync(path, "utf8").includes(`"node_modules/${module}"`)) ?? "no such part";
    for (const [module, name] of [
      ["onoff/onoff.js", "Gpio"],
      ["i2c-bus/i2c-bus.js", "openPromisified"],
      ["serialport/dist/index.js", "SerialPort"],
    ] as const) {
      // as the drivers do: esbuild keeps no other names of a CommonJS package that is loaded late
      const program = `const all = await import(${JSON.stringify(partOf(module))}); console.log(typeof all.default.${name})`;
      const { out, err } = await endOf(spawnNode(["--input-type=module", "-e", program]));
      t.equal(out.trim(), "function", `${module}: ${err}`);
    }
  });

  t.test("the bundled command line serves, answers and stops as the one in a clone does", async (t) => {
    t.equal((await says("--version")).out.trim(), run("dpkg-deb", "--field", file, "Version").trim());
    const runtime = await RuntimeProcess.start({ program: tendril });
    t.match((await says("status", "--state", runtime.state)).out, /basil/);
    t.match((await says("config", "--state", runtime.state)).out, /^board: bench$/m);
    t.equal((await runtime.stop()).code, 0);
  });

  t.test(
    "a state of an earlier form is brought to the newest, and its file says so once it has stopped",
    async (t) => {
      const state = mkdtempSync(join(tmpdir(), "tendril-earlier-"));
      t.teardown(() => rmSync(state, { recursive: true }));
      await extract({ file: "test/fixtures/state/backup.tar.gz", cwd: state });
      const form = () => readFileSync(join(state, "tendril.sqlite")).readUInt32BE(60);
      t.equal(form(), 2);
      const runtime = await RuntimeProcess.start({ program: tendril, state });
      t.equal((await runtime.stop()).code, 0);
      t.equal(form(), FORM);
    },
  );

  t.test("the bundled agent, its log and its simulation run", async (t) => {
    const report = mkdtempSync(join(tmpdir(), "tendril-report-"));
    t.teardown(() => rmSync(report, { recursive: true }));
    t.match((await says("agent", "--help")).out, /--model/);
    t.match((await says("log", "--help")).out, /--cycle/);
    const { code, err } = await says("simulate", "--scenario", "leak", "--days", "1", "--report", report);
    t.equal(code, 0, err);
    t.ok(existsSync(join(report, "report.html")));
  });

  t.test(
    "its support bundle has its own doctor's findings, of the configuration that was named",
    async (t) => {
      const folder = t.testdir({ "other.yaml": "plants: [{ id: mint }]\n", state: {} });
      const [state, config] = [join(folder, "state"), join(folder, "other.yaml")];
      const { code, err } = await says(
        ...["support-bundle", "--state", state, "--config", config, "--to", folder, "--yes"],
      );
      t.equal(code, 0, err);
      const name = readdirSync(folder).find((each) => each.endsWith(".tar.gz")) ?? "";
      const doctor = JSON.parse(run("tar", "xzOf", join(folder, name), "tendril-support/doctor.json"));
      t.match(doctor, { state, config });
      t.match(doctor.checks, [
        { name: "node", verdict: "ok" },
        { name: "native parts", verdict: "ok" },
      ]);
    },
  );

  t.test("its scripts are plain sh, and shellcheck finds nothing", async (t) => {
    const bin = join(root, "usr/bin");
    const scripts = [
      ...["preinst", "postinst", "prerm", "postrm"].map((name) => join(control, name)),
      ...readdirSync(bin).map((name) => join(bin, name)),
      ...["cross-natives", "rebuild-natives"].map((name) => join("systemd/deb/natives", name)),
      ...["check-foreign", "check-inside"].map((name) => join("systemd/deb", name)),
    ];
    for (const script of scripts) t.equal(spawnSync("sh", ["-n", script]).status, 0, script);
    const { error, status, stdout } = spawnSync("shellcheck", scripts, { encoding: "utf8" });
    t.test(
      "shellcheck",
      { skip: error !== undefined && "NOT TESTED: there is no shellcheck here" },
      async (t) => {
        t.equal(status, 0, stdout);
      },
    );
  });

  t.test(
    "a state of a newer form is refused before anything is replaced; one of an older form gets a backup first",
    async (t) => {
      const database = join(t.testdir(), "tendril.sqlite");
      const command = join(t.testdirName, "tendril");
      const script = readFileSync(join(control, "preinst"), "utf8")
        .replace("/var/lib/tendril/tendril.sqlite", database)
        .replace("tendril=/usr/bin/tendril", `tendril=${command}`);
      const preinst = (form: number) => {
        const header = Buffer.alloc(100);
        header.writeUInt32BE(form, 60);
        writeFileSync(database, header);
        return spawnSync("sh", ["-c", script, "preinst", "upgrade", "0.2.0", "0.1.0"], { encoding: "utf8" });
      };
      t.equal(preinst(FORM - 1).status, 0, "removed, and its state is there");
      writeFileSync(command, '#!/bin/sh\necho "made by: $*"\n', { mode: 0o755 });
      t.match(preinst(FORM), { status: 0, stdout: "" });
      t.match(preinst(FORM - 1), { status: 0, stdout: /made by: backup/ });
      writeFileSync(command, "#!/bin/sh\nexit 1\n");
      t.match(preinst(FORM - 1), { status: 1, stderr: /not installed, and nothing was changed/ });
      const { status, stderr } = preinst(FORM + 300);
      t.equal(status, 1);
      t.match(stderr, `form\n${FORM + 300}, this version knows forms up to ${FORM}.`);
      t.match(stderr, /tendril restore/);
    },
  );
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
