import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { servedWithTokens } from "../../../contract/served.js";
import { rigFor } from "../../../rig.js";
import { until } from "../../bridge/bridge-process.js";

const missing = (program: string): string | false =>
  spawnSync(program, ["--version"]).error !== undefined &&
  `NOT TESTED: there is no ${program} here (apt-get install prometheus)`;

const CONFIG = "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]";
const DASHBOARD = "docs/examples/grafana-dashboard.json";

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { expr: string }[] }[];
}

/** Served with a dose and a refusal behind it. */
async function served(t: Test) {
  const rig = await rigFor(t, { config: CONFIG });
  await rig.water(20, { as: "human" });
  await rig.refused("dispense_water", { ml: 500 }, { as: "human" });
  return { rig, ...(await servedWithTokens(t, rig)) };
}

t.test("promtool finds nothing to say against the metrics", { skip: missing("promtool") }, async (t) => {
  const { ask } = await served(t);
  const text = await (await ask("GET", "/metrics", "metrics")).text();
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text });
  t.equal(status, 0, `${stdout}${stderr}`);
  t.equal(`${stdout}${stderr}`, "");
});

t.test("the dashboard names only metrics that there are, and each panel says what it shows", async (t) => {
  const { ask } = await served(t);
  const text = await (await ask("GET", "/metrics", "metrics")).text();
  const raw = await readFile(DASHBOARD, "utf8");
  for (const name of new Set(raw.match(/tendril_[a-z0-9_]+/g)))
    t.match(text, new RegExp(`^# TYPE ${name} `, "m"), name);
  for (const panel of JSON.parse(raw).panels) t.ok(panel.title && panel.description, panel.title);
});

t.test(
  "a real Prometheus scrapes with the token alone, and every query of the dashboard has an answer",
  { skip: missing("prometheus") },
  async (t) => {
    const { base, rig } = await served(t);
    const prometheus = await startPrometheus(
      t,
      new URL(base).host,
      join(rig.state, "tokens-scoped", "metrics"),
    );
    const { panels } = JSON.parse(await readFile(DASHBOARD, "utf8")) as Dashboard;
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        const query = expr.replaceAll("$plant", ".+").replaceAll("$__range", "1h");
        const results = await until(() => resultsOf(prometheus, query));
        t.ok(
          results.every(({ value: [, figure] }) => Number.isFinite(Number(figure))),
          title,
        );
      }
  },
);

type Results = readonly { readonly value: readonly [number, string] }[];

/** Undefined as long as there are none: a rate needs two scrapes. Throws for a query that is wrong. */
async function resultsOf(url: string, query: string): Promise<Results | undefined> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { status, error, data } = (await answer.json()) as {
    status: string;
    error?: string;
    data?: { result: Results };
  };
  if (status !== "success") throw new Error(`${query}: ${error}`);
  return data && data.result.length > 0 ? data.result : undefined;
}

/** On loopback, with a folder of its own; ends with the test. */
async function startPrometheus(t: Test, target: string, token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-prometheus-"));
  const config = join(folder, "prometheus.yml");
  const job = {
    job_name: "tendril",
    scrape_interval: "1s",
    authorization: { credentials_file: token },
    static_configs: [{ targets: [target] }],
  };
  await writeFile(config, JSON.stringify({ scrape_configs: [job] })); // JSON is YAML
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  t.teardown(async () => {
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => ((await fetch(`${url}/-/ready`).catch(() => undefined))?.ok ? true : undefined));
  return url;
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGKILL");
  });

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
