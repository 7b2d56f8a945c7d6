/** Prometheus, "Text-based format", version 0.0.4. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge: all that this runtime tells can fall as well as rise. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The text that a scraper reads. A metric without a sample is left out. */
export const exposition = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(block)
    .join("");

const block = ({ name, help, samples }: Metric): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...samples.map(({ labels = {}, value }) => `${name}${labelled(labels)} ${value}`),
    "",
  ].join("\n");

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
