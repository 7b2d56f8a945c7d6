import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type Figure, median, microseconds, milliseconds, quantile } from "./figures.js";
import { listening, runtime, tokenOf, unlimited } from "./programs.js";
import { dial, run, toolCall } from "./wire.js";

const CONNECTIONS = 100;
const CALLS = 2000;
const ROUNDS = 5;
const CALL = toolCall("2026-07-28", "get_current_time", {});
const clock = new SystemClock();

interface Way {
  readonly url: string;
  readonly token: string;
  readonly ca?: string;
}

/** What TLS costs: the same runtime by its TLS port, against its plain one. */
export async function tlsFigures(state: string): Promise<Figure[]> {
  const config = await unlimited(state);
  await writeFile(config, "server: { calls_per_second: 100000, tls: { host: 127.0.0.1, port: 0 } }\n");
  const server = runtime(state, "--config", config);
  try {
    const url = await listening(server);
    const port = await server.line(/^and with TLS on \S+ port (\d+)/);
    const token = await tokenOf(state, "observer");
    const ca = await readFile(join(state, "tls", "cert.pem"), "utf8");
    return await compare({ url: `wss://127.0.0.1:${port}/mcp`, token, ca }, { url, token });
  } finally {
    await server.stop();
  }
}

async function compare(secure: Way, plain: Way): Promise<Figure[]> {
  const opened = { secure: [] as number[], plain: [] as number[] };
  for (let count = 0; count < CONNECTIONS; count += 1) {
    opened.secure.push(await timeToOpen(secure));
    opened.plain.push(await timeToOpen(plain));
  }
  const calls = await callTimes(secure, plain);
  return [
    {
      what: "TLS: a connection",
      ours: median(opened.secure),
      bare: median(opened.plain),
      show: milliseconds,
    },
    ...([0.5, 0.99] as const).map((share) => ({
      what: `TLS: get_current_time: p${share * 100}`,
      ours: quantile(calls.secure, share),
      bare: quantile(calls.plain, share),
      show: microseconds,
    })),
  ];
}

async function timeToOpen({ url, token, ca }: Way): Promise<number> {
  const began = clock.monotonic();
  const socket = await dial(url, token, ca);
  const took = clock.monotonic() - began;
  socket.terminate();
  return took;
}

async function callTimes(...ways: readonly [Way, Way]) {
  const [secure, plain] = await Promise.all(ways.map(({ url, token, ca }) => dial(url, token, ca)));
  if (!secure || !plain) throw new Error("no connection");
  const latencies = { secure: [] as number[], plain: [] as number[] };
  for (const socket of [secure, plain]) await run(socket, CALL, CALLS, 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    latencies.secure.push(...(await run(secure, CALL, CALLS, 1)).latencies);
    latencies.plain.push(...(await run(plain, CALL, CALLS, 1)).latencies);
  }
  for (const socket of [secure, plain]) socket.terminate();
  return latencies;
}
