import { seconds } from "../../drivers/units.js";
import type { Child } from "./child.js";
import { type Figure, median, megabytes } from "./figures.js";
import { agent, bareNode, listening, runtime } from "./programs.js";

/** Single figures vary by some MB with the moment of the last garbage collection. */
const PROCESSES = 3;
const IDLE = seconds(3);
const AIM = { atMost: 85e6, of: "ours" } as const;
const AGENT_AIM = { atMost: 75e6, of: "ours" } as const;

/** What the processes hold in RAM once they have had nothing to say for three seconds. */
export async function memoryFigures(state: string): Promise<Figure[]> {
  const bare = await repeated(() => idleBytes(bareNode("setInterval(() => undefined, 1e9)")));
  const runtimes = await repeated(() => idleRuntime(state));
  const agents = await idleAgents(state);
  return [
    { what: "idle resident memory, runtime", ours: runtimes, bare, aim: AIM, show: megabytes },
    { what: "idle resident memory, agent", ours: agents, bare, aim: AGENT_AIM, show: megabytes },
  ];
}

async function repeated(measure: () => Promise<number>): Promise<number> {
  const held: number[] = [];
  while (held.length < PROCESSES) held.push(await measure());
  return median(held);
}

async function idleRuntime(state: string): Promise<number> {
  const server = runtime(state);
  await listening(server);
  return idleBytes(server);
}

/** At 60 times real time an agent's first cycle is over before it has been silent for three seconds. */
async function idleAgents(state: string): Promise<number> {
  const server = runtime(state, "--speed", "60");
  await listening(server);
  const held = await repeated(() => idleBytes(agent(state, "--every", "24h")));
  await server.stop();
  return held;
}

async function idleBytes(program: Child): Promise<number> {
  await program.quiet(IDLE);
  const held = program.residentBytes();
  await program.stop();
  return held;
}
