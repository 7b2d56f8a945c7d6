import type { Route } from "../../tools/host.js";
import { VERSION } from "../../wire/program.js";
import { type Counter, defineModule, type House } from "../module.js";

/** Whoever asks gets the same figures. */
const SCRAPER = { name: "metrics", role: "metrics" } as const;

/**
 * `GET /metrics`. For people, and for tokens of this scope: others can often read a scraper's configuration, so it
 * should hold no token of an agent.
 */
function metricsRoute(house: House): Route {
  const startedAt = house.realClock.monotonic();
  return {
    path: "/metrics",
    may: { role: "human", scopes: ["metrics"] },
    answer: () => {
      const uptime = (house.realClock.monotonic() - startedAt) / 1000;
      const overview = house.overview({ identity: SCRAPER });
      const gauges = [...runtimeMetrics(uptime), ...houseMetrics(overview), ...plantMetrics(overview)];
      const counters = house.modules.flatMap((module) => module.counters?.(house) ?? []);
      const body = exposition([...gauges, ...counters.map(counter)]);
      return { type: EXPOSITION_TYPE, body, headers: { "Cache-Control": "no-store" } };
    },
  };
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  ...{ name, help, samples },
  type: "gauge",
});

const counter = (counted: Counter): Metric => ({ ...counted, type: "counter" });

const runtimeMetrics = (uptime: number): Metric[] => [
  gauge("tendril_build_info", "The version, as a label. Always 1.", [
    { labels: { version: VERSION }, value: 1 },
  ]),
  gauge("tendril_uptime_seconds", "Time since the runtime started.", [{ value: uptime }]),
];

type Overview = ReturnType<House["overview"]>;

const houseMetrics = ({ approvals, bridge, warnings }: Overview): Metric[] => [
  gauge("tendril_warnings", "Warnings of the runtime, as `tendril status` shows them.", [
    { value: warnings.length },
  ]),
  gauge("tendril_approvals_waiting", "Calls of agents that wait for a person's yes.", [
    { value: approvals.length },
  ]),
  gauge(
    "tendril_bridge_connected",
    "1 while the bridge to the outside is connected, else 0. Absent where none is needed.",
    bridge ? [{ value: Number(bridge.connected) }] : [],
  ),
];

/** In base units, as Prometheus asks for (prometheus.io/docs/practices/naming). */
const PLANT_METRICS: readonly {
  readonly name: string;
  readonly help: string;
  /** Undefined for a value that is not true now; the metric is then left out. */
  readonly value: (plant: Overview["plants"][number]) => number | undefined;
}[] = [
  {
    name: "tendril_soil_moisture_ratio",
    help: "Last reading, from dry (0) to wet (1) by calibration. Absent while the probe is at fault.",
    value: ({ moisture, probe_fault }) =>
      moisture && !probe_fault ? Number(moisture.percent) / 100 : undefined,
  },
  {
    name: "tendril_last_reading_timestamp_seconds",
    help: "When the soil was last read, Unix time.",
    value: ({ moisture }) => (moisture ? Date.parse(String(moisture.timestamp)) / 1000 : undefined),
  },
  {
    name: "tendril_uncared_seconds",
    help: "Time without a completed care, once the owner is told of it, in whole hours. 0 before.",
    value: ({ uncared }) => (uncared?.hours ?? 0) * 3600,
  },
  {
    name: "tendril_water_24h_liters",
    help: "Water poured in the last 24 hours, as the ledger counts it.",
    value: ({ water }) => water.used_ml / 1000,
  },
  {
    name: "tendril_water_budget_remaining_liters",
    help: "Water that may still flow within the limit of 24 hours.",
    value: ({ water }) => water.remaining_ml / 1000,
  },
  {
    name: "tendril_light_on",
    help: "1 while the grow light is on, else 0. Absent where none is fitted.",
    value: ({ light, fitted }) => (fitted.light ? Number(light.status === "on") : undefined),
  },
  {
    name: "tendril_on_hold",
    help: "1 while a hold keeps it from being switched on, else 0.",
    value: ({ hold }) => Number(hold !== null),
  },
  {
    name: "tendril_faults",
    help: "Faults that keep the pump locked until a person has looked.",
    value: ({ faults }) => faults.length,
  },
];

const plantMetrics = ({ plants }: Overview): Metric[] =>
  PLANT_METRICS.map(({ name, help, value }) => {
    const samples = plants.flatMap((plant) => {
      const known = value(plant);
      return known === undefined ? [] : [{ labels: { plant: plant.plant }, value: known }];
    });
    return gauge(name, help, samples);
  });

/** Prometheus, "Text-based format", version 0.0.4. */
const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  /** A counter only rises while the runtime runs. */
  readonly type: "gauge" | "counter";
  readonly samples: readonly Sample[];
}

/** The text for a scraper, without metrics that have no sample. */
export const exposition = (metrics: readonly Metric[]): string => {
  const filled = metrics.filter(({ samples }) => samples.length > 0);
  return filled.map(block).join("");
};

const block = ({ name, help, type, samples }: Metric): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels = {}, value }) => `${name}${labelled(labels)} ${value}`),
    "",
  ].join("\n");

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** Figures for Prometheus and programs that read its format. */
export const metricsModule = defineModule({
  name: "metrics",
  canBeOff: true,
  toolset: "metrics",
  parts: [],
  tools: [],
  routes: (house) => [metricsRoute(house)],
});
