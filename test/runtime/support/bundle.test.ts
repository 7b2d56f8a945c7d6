import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { partsOf, withoutTexts } from "../../../runtime/support/bundle.js";
import { RuntimeHere } from "../../process.js";
import { tendrilHere } from "../../tendril-here.js";
import { folderFor } from "../backup/backup-rig.js";

/** A journalctl that says what it is asked to, in place of the system's. */
async function journalctl(t: Test, lines: readonly string[]): Promise<string> {
  const folder = await folderFor(t);
  const file = join(folder, "journalctl");
  await writeFile(file, `#!/bin/sh\ncat <<'END'\n${lines.join("\n")}\nEND\n`);
  await chmod(file, 0o755);
  return `${folder}:${process.env.PATH}`;
}

async function unpacked(t: Test, folder: string): Promise<ReadonlyMap<string, string>> {
  const [name = ""] = (await readdir(folder)).filter((each) => each.endsWith(".tar.gz"));
  const to = await folderFor(t);
  execFileSync("tar", ["xzf", join(folder, name), "-C", to]);
  const inside = join(to, "tendril-support");
  const names = await readdir(inside);
  return new Map(
    await Promise.all(names.map(async (each) => [each, await readFile(join(inside, each), "utf8")] as const)),
  );
}

t.test(
  "a bundle of a running runtime has what helps, and no secret from wherever it was planted",
  async (t) => {
    const state = await folderFor(t);
    const secret = "correct-horse-battery";
    await writeFile(
      join(state, "tendril.yaml"),
      `# ${secret}\nserver: { public_url: "http://me:${secret}@pi:8731" }\n`,
    );
    const runtime = await RuntimeHere.start({ state });
    t.teardown(() => runtime.stop().then(() => undefined));
    const token = await runtime.token("human");
    await tendrilHere(["hold", "--reason", "my knees hurt", "--state", state]);
    const PATH = await journalctl(t, [
      `2026-11-21T17:00:09+0000 pi node[1]: warn  tokens not accepted ${token}`,
      `2026-11-21T17:00:10+0000 pi node[1]: info  ${Buffer.from(`xx${token}`).toString("base64")}`,
      `2026-11-21T17:00:11+0000 pi node[2]: 09:37  cycle 1   moisture 37.4 %`,
      `2026-11-21T17:00:11+0000 pi node[2]:        decided           tell her that I love the basil`,
      `2026-11-21T17:00:12+0000 pi node[2]: env says ${encodeURIComponent(secret)}`,
    ]);
    const to = await folderFor(t);
    const args = ["support-bundle", "--state", state, "--to", to, "--with-journals"];
    const env = { PATH, MY_API_KEY: secret };
    t.match(await tendrilHere(args, env), {
      code: 2,
      err: /no terminal to ask.*--yes/,
      out: /log-tendril\.txt/,
    });
    t.same(await readdir(to), [], "nothing is written before somebody has said yes");
    t.match(await tendrilHere([...args, "--yes"], env), { code: 0 });
    const parts = await unpacked(t, to);
    const all = [...parts.values()].join("\n");
    for (const hidden of [
      secret,
      token,
      "my knees hurt",
      "love the basil",
      Buffer.from(token).toString("base64").slice(4, 30),
    ])
      t.notMatch(all, hidden);
    t.match(parts.get("versions.txt"), /^tendril: \d[\s\S]*node: v\d/);
    t.match(parts.get("configuration.yaml"), /public_url/);
    t.match(parts.get("log-tendril.txt"), /tokens not accepted \[removed\]/);
    t.match(parts.get("log-tendril-agent.txt"), /cycle 1 {3}moisture 37\.4 %/);
    t.match(parts.get("overview.json"), /"plant": "basil"/);
    t.match(parts.get("last-day-control.jsonl"), /"kind":"hold".*"reason":"\[13 characters\]"/);
    t.match(parts.get("state.txt"), /journal\/water\.jsonl {2}\d+ lines/);
  },
);

/** What is told of a state folder of which most files go, so many milliseconds after the parts were begun. */
async function stateWhileFilesGo(t: Test, after: number): Promise<string | undefined> {
  const state = await folderFor(t);
  await writeFile(join(state, "stays.json"), "{}");
  const passing = Array.from({ length: 500 }, (_, at) => join(state, `${at}.json.new`));
  for (const file of passing) await writeFile(file, "{}");
  const overview = async () => {
    await wait(after);
    for (const file of passing) rmSync(file);
  };
  const clock = new SystemClock();
  const options = { state, config: "", root: "/", journals: false, texts: false, clock, doctor: ["true"] };
  return (await partsOf({ ...options, overview })).find(({ name }) => name === "state.txt")?.text;
}

t.test("a file that is replaced while a bundle is made is left out, and all others are told", async (t) => {
  for (const after of [0, 1, 2, 4, 8, 16, 32])
    t.match(await stateWhileFilesGo(t, after), / {2}stays\.json\n/);
});

t.test("texts are taken in where they were asked for, and secrets in them are not", async (t) => {
  const state = await folderFor(t);
  await mkdir(join(state, "journal"));
  const line = {
    id: 1,
    timestamp: "9999-12-31T00:00:00.000Z",
    kind: "hold",
    by: "human",
    reason: "knees; password=abcdef",
  };
  await writeFile(join(state, "journal", "control.jsonl"), `${JSON.stringify(line)}\n`);
  const to = await folderFor(t);
  await tendrilHere([
    "support-bundle",
    "--state",
    state,
    "--to",
    to,
    "--with-journals",
    "--with-texts",
    "--yes",
  ]);
  const control = (await unpacked(t, to)).get("last-day-control.jsonl") ?? "";
  t.match(control, /knees/);
  t.notMatch(control, /abcdef/);
});

t.test("what people and agents write is told from what the runtime says, however deep it lies", async (t) => {
  t.same(
    withoutTexts({
      warnings: ["the index was rebuilt"],
      plants: [
        { hold: { by: "human", reason: "my knees" }, faults: [{ code: "LEAK", reason: "tray is wet" }] },
      ],
      other: { by: "runtime", reason: "lost" },
      approvals: [{ words: "pour", arguments: { ml: 10 } }],
    }),
    {
      warnings: ["the index was rebuilt"],
      plants: [
        {
          hold: { by: "human", reason: "[8 characters]" },
          faults: [{ code: "LEAK", reason: "tray is wet" }],
        },
      ],
      other: { by: "runtime", reason: "lost" },
      approvals: [{ words: "[4 characters]", arguments: "[9 characters]" }],
    },
  );
});
