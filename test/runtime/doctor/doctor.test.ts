import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Result } from "../../../runtime/doctor/check.js";
import { ownNames } from "../../../runtime/network.js";
import { RuntimeHere } from "../../process.js";
import { tendrilHere } from "../../tendril-here.js";

/** No test depends on the clock or the services of the machine that it runs on: these checks may say anything. */
const OF_THIS_MACHINE = [
  "clock",
  "temperature",
  "power",
  "disk space",
  "disk errors",
  "disk wear",
  "service",
  "backups",
  "backup timer",
  "board watchdog",
];

function folder(t: Test): string {
  const state = mkdtempSync(join(tmpdir(), "tendril-doctor-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  return state;
}

async function examined(t: Test, state: string, ...args: string[]) {
  const { code, out, err } = await tendrilHere(["doctor", "--json", "--state", state, ...args]);
  t.equal(err, "");
  const { checks, ...rest } = JSON.parse(out) as { checks: Result[] } & Record<string, unknown>;
  const of = (name: string) => checks.find((check) => check.name === name);
  return {
    code,
    checks: checks.filter(({ name }) => !OF_THIS_MACHINE.includes(name)),
    all: checks,
    of,
    rest,
  };
}

/** Every file below a folder with its time and content. */
function snapshot(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return files.map((name) => {
    const found = statSync(join(folder, name));
    return `${name} ${found.mode} ${found.mtimeMs} ${found.isFile() ? readFileSync(join(folder, name), "hex") : ""}`;
  });
}

t.test("a fresh computer: nothing has to be mended, and nothing is made", async (t) => {
  const state = join(folder(t), "none");
  const { all, checks, rest } = await examined(t, state);
  // another program may have the default port on the computer that runs this
  const failed = (some: readonly Result[]) => some.filter(({ verdict }) => verdict === "failure");
  t.same(
    failed(checks).filter(({ name }) => name !== "port"),
    [],
  );
  const summary = { failure: failed(all).length };
  t.match(rest, { version: /\d/, state, config: join(state, "tendril.yaml"), summary });
  t.throws(() => statSync(state), "no state folder was made");
});

t.test(
  "as text: a sign and a line a check, the remedy beneath, a sum, and exit code 1 where something is to be mended",
  async (t) => {
    const state = folder(t);
    writeFileSync(join(state, "tendril.yaml"), "bord: pi\n");
    const { code, out } = await tendrilHere(["doctor", "--state", state]);
    t.equal(code, 1);
    t.match(out, /^✓ node +version \d+/m);
    t.match(
      out,
      /^✗ configuration +\S+tendril\.yaml:1: bord: unknown key; did you mean board\?\n {19}→ correct .*tendril\.yaml/m,
    );
    t.match(out, /^– cameras/m);
    t.match(out, /\n\d+ ok, \d+ warnings?, 1 failure, \d+ skipped\n$/);
  },
);

t.test(
  "the shape that programs read: every check has a name, a verdict and what was found, a remedy only where one is needed",
  async (t) => {
    const { all, rest } = await examined(t, folder(t));
    for (const { name, verdict, found, mend } of all) {
      t.match(name, /^[a-z][a-z0-9 .-]+$/);
      t.ok(["ok", "warning", "failure", "skipped"].includes(verdict), `${name}: ${verdict}`);
      t.ok(found.length > 0, name);
      t.equal(mend !== undefined, verdict === "warning" || verdict === "failure", `${name} has ${mend}`);
    }
    t.equal(new Set(all.map(({ name }) => name)).size, all.length, "no name twice");
    const { summary } = rest as { summary: Record<string, number> };
    t.equal(
      Object.values(summary).reduce((a, b) => a + b),
      all.length,
    );
  },
);

t.test(
  "a broken state folder: each thing is named with what mends it, and not a byte is changed",
  async (t) => {
    const state = folder(t);
    for (const name of ["journal", "tokens"]) mkdirSync(join(state, name), { mode: 0o700 });
    writeFileSync(join(state, "tokens", "human"), "short\n", { mode: 0o600 });
    writeFileSync(join(state, "journal", "water.jsonl"), '{"id":1,"kind":"mark"}\nnonsense\n{"id":3');
    writeFileSync(join(state, "runtime.json"), '{"url":"ws://127.0.0.1:1/mcp","pid":2147483646}');
    chmodSync(state, 0o755);
    const before = snapshot(state);
    const { code, of } = await examined(t, state);
    t.equal(code, 1);
    t.match(of("state folder"), {
      verdict: "failure",
      found: /open to other users/,
      mend: `chmod 700 ${state}`,
    });
    t.match(of("journals"), { verdict: "warning", found: /water\.jsonl has 1 line .*torn line/ });
    t.match(of("tokens"), { verdict: "failure", found: /human does not hold one token.*TOKENS_INVALID/ });
    t.match(of("runtime"), { verdict: "warning", found: /has died \(process 2147483646\)/ });
    t.same(snapshot(state), before);
  },
);

t.test(
  "a journal that was emptied, and a database that is none, are found before the next start",
  async (t) => {
    const state = folder(t);
    mkdirSync(join(state, "journal"), { mode: 0o700 });
    writeFileSync(join(state, "journal", "water.jsonl"), "");
    writeFileSync(join(state, "used"), "water\ncontrol");
    writeFileSync(join(state, "tendril.sqlite"), "garbage");
    const { of } = await examined(t, state);
    t.match(of("journals"), {
      verdict: "warning",
      found: /water\.jsonl had records.*control\.jsonl had records.*tendril\.sqlite is not a database/,
    });
  },
);

t.test("a journal that is a link to nothing, or no file, is told by name", async (t) => {
  const state = folder(t);
  mkdirSync(join(state, "journal", "actions.jsonl"), { recursive: true, mode: 0o700 });
  symlinkSync("nowhere", join(state, "journal", "thoughts.jsonl"));
  const { of } = await examined(t, state);
  t.match(of("journals"), {
    verdict: "warning",
    found: /actions\.jsonl is no file; thoughts\.jsonl is a link to a file that is not there/,
  });
});

t.test("with TLS the house reaches it by this computer's own names", async (t) => {
  if (ownNames().length === 0) return void t.pass("NOT TESTED: this computer has no name");
  const state = folder(t);
  writeFileSync(join(state, "tendril.yaml"), "server: { tls: {} }\nplants: [{ id: basil }]\n");
  const { of } = await examined(t, state);
  t.match(of("reached as"), { verdict: "ok", found: ownNames().join(", ") });
});

t.test("a state folder of a file, and a configuration that was named and is not there", async (t) => {
  const file = join(folder(t), "file");
  writeFileSync(file, "");
  const { of } = await examined(t, file, "--config", join(file, "none.yaml"));
  t.match(of("state folder"), { verdict: "failure", found: /is not a folder/ });
  t.match(of("configuration"), { verdict: "failure", found: /none\.yaml: cannot be read/ });
});

const PI = `board: pi
plants:
  - { id: basil, pump: { output: { gpio: 17 } }, camera: { program: rpicam-still } }
`;

t.test(
  "beside a running runtime its own word is taken, and the hardware that it has is left to it",
  async (t) => {
    const state = folder(t);
    writeFileSync(join(state, "tendril.yaml"), PI);
    const runtime = await RuntimeHere.start({ state });
    t.teardown(() => runtime.stop());
    const { of } = await examined(t, state);
    t.match(of("runtime"), { verdict: "ok", found: `answers at ${runtime.url}` });
    t.match(of("probe basil"), { found: /by the runtime|has not read it yet/ });
    t.match(of("camera basil"), { verdict: "skipped", found: /stop the service first/ });
    t.match(of("port"), { verdict: "ok", found: /takes connections/ });
    t.match(of("tokens"), { verdict: "ok", found: /agent, human, observer/ });
    t.match(of("journals"), { verdict: "ok" });
  },
);

t.test("without one, hardware that is not there is told of as a start would tell", async (t) => {
  const state = folder(t);
  writeFileSync(join(state, "tendril.yaml"), PI);
  const { code, of } = await examined(t, state);
  t.equal(code, 1);
  t.match(of("board"), { verdict: "failure", found: /not a Raspberry Pi/ });
  t.match(of("relay basil-pump"), { verdict: "failure", found: /OUTPUT_UNSAFE/, mend: /reboot/ });
  t.match(of("bus"), { verdict: "failure", found: /BUS_MISSING/, mend: /dtparam=i2c_arm=on/ });
  t.match(of("probe basil"), { verdict: "failure", found: /BUS_MISSING/ });
  t.match(of("camera basil"), { verdict: "failure", found: /rpicam-still is not installed/, mend: /apt/ });
});

t.test(
  "TENDRIL_CONFIG names the configuration of every command, --config goes before it, and a wrong one is no default",
  async (t) => {
    const state = folder(t);
    const [named, other] = ["named.yaml", "other.yaml"].map((name) => join(state, name));
    writeFileSync(named ?? "", "plants: [{ id: mint }]\n");
    writeFileSync(other ?? "", "plants: [{ id: fern }]\n");
    const config = (env: NodeJS.ProcessEnv, ...args: string[]) =>
      tendrilHere(["config", "--state", state, ...args], env);
    t.match((await config({ TENDRIL_CONFIG: named })).out, /id: mint/);
    t.match((await config({ TENDRIL_CONFIG: named }, "--config", other ?? "")).out, /id: fern/);
    t.match(
      (await config({ TENDRIL_CONFIG: join(state, "none.yaml") })).err,
      /there is no configuration \S+none\.yaml: correct --config/,
    );
    t.match((await config({ TENDRIL_CONFIG: "" })).out, /id: basil/);
    const calibrate = ["calibrate", "moisture", "--state", state, "--dry", "2.7", "--wet", "1.2", "--yes"];
    t.match(
      (await tendrilHere(calibrate, { TENDRIL_CONFIG: "" })).err,
      /no configuration \S+\/tendril\.yaml/,
    );
    t.match((await tendrilHere(calibrate, { TENDRIL_CONFIG: named })).out, /written/);
  },
);
