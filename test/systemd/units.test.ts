import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import t from "tap";

/** What systemd itself says of the units, without starting any. In a real one they run under `npm run test:kernel`. */

const UNITS = ["tendril", "tendril-agent", "tendril-bridge", "tendril-failed", "tendril-backup"].map(
  (name) => `systemd/${name}.service`,
);
/** In tenths: 2.0. */
const MAX_EXPOSED = 20;
const analyze = (...args: string[]) => {
  const { status, stdout, stderr, error } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, said: `${stdout}${stderr}`, missing: error !== undefined };
};
const { missing, said: version } = analyze("--version");
const skip = missing && "NOT TESTED: there is no systemd-analyze here";
const understandsSteps = Number(/^systemd (\d+)/.exec(version)?.[1]) >= 254;

t.test(
  "systemd loads every unit, and complains of nothing but paths that are not installed",
  { skip },
  async (t) => {
    const { said } = analyze("verify", "--man=no", ...UNITS, "systemd/tendril-backup.timer");
    const complaints = said
      .split("\n")
      .filter((line) => line !== "" && !/is not executable: No such file/.test(line));
    const expected = understandsSteps ? /^$/ : /^.*restart-steps\.conf:\d: Unknown key/;
    for (const line of complaints) t.match(line, expected);
    t.pass(`${complaints.length} complaints`);
  },
);

for (const unit of UNITS)
  t.test(`${unit} is exposed by 2.0 at most`, { skip }, async (t) => {
    const { status, said } = analyze("security", "--offline=yes", `--threshold=${MAX_EXPOSED}`, unit);
    t.equal(status, 0, said);
  });

t.test(
  "whatever starts Node starts it with the same small young generation and one helping thread",
  async (t) => {
    const programs = ["runtime/cli/tendril.ts", "runtime/bridge/main.ts", "agent-client/main.ts"];
    const scripts = [
      "tendril",
      ...["tendril", "tendril-agent", "tendril-bridge"].map((name) => `systemd/deb/bin/${name}`),
    ];
    const starts = [...UNITS, ...scripts, ...programs].flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => /^#!.*node|^(?:ExecStart=|exec |set -- ).*\bnode /.test(line)),
    );
    t.equal(starts.length, 11);
    for (const line of starts) t.match(line, "--max-semi-space-size=2 --v8-pool-size=1");
  },
);

t.test("the deadline of a hang, with its stop step, is shorter than a pump's longest pulse", async (t) => {
  const unit = readFileSync("systemd/tendril.service", "utf8");
  const seconds = Number(/^WatchdogSec=(\d+)s$/m.exec(unit)?.[1]);
  t.ok(seconds + 5 < 26, `${seconds} s`);
});

t.test("the pauses between all starts fit into the interval that counts them", async (t) => {
  const unit = readFileSync("systemd/tendril.service", "utf8");
  const steps = readFileSync("systemd/tendril.service.d/restart-steps.conf", "utf8");
  const [, minutes] = /^StartLimitIntervalSec=(\d+)min$/m.exec(unit) ?? [];
  const [, burst] = /^StartLimitBurst=(\d+)$/m.exec(unit) ?? [];
  const [, longest] = /^RestartMaxDelaySec=(\d+)min$/m.exec(steps) ?? [];
  t.ok(Number(burst) * Number(longest) < Number(minutes), "else a failing service would never be given up");
});

t.test("agent and bridge are started again however often they failed: nobody else would do it", async (t) => {
  for (const name of ["agent", "bridge"]) {
    const unit = readFileSync(`systemd/tendril-${name}.service`, "utf8");
    for (const line of ["StartLimitIntervalSec=0", "Restart=always", "RestartSec=30s"])
      t.ok(unit.split("\n").includes(line), `${name}: ${line}`);
  }
});

t.test(
  "clients cannot open as many sockets as the service may have files: an off always gets in",
  async (t) => {
    const unit = readFileSync("systemd/tendril.service", "utf8");
    const files = Number(/^LimitNOFILE=(\d+)$/m.exec(unit)?.[1]);
    const keys = readFileSync("docs/configuration-keys.md", "utf8");
    const [, most = ""] = /`server\.max_connections` \| integer 1–([\d,]+)/.exec(keys) ?? [];
    const sockets = 2 * 4 * Number(most.replaceAll(",", "")); // plain and TLS (server/connections.ts, server/tls/tls-listener.ts)
    t.ok(files > sockets + 500, `${files} files, ${sockets} sockets`);
  },
);
