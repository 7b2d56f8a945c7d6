import { seconds } from "../../drivers/units.js";
import type { Child } from "./child.js";
import { type Figure, median, megabytes } from "./figures.js";
import { agent, bareNode, listening, runtime, tokenOf, unlimited } from "./programs.js";
import { ask, connect, toolCall } from "./wire.js";

/** Single figures vary by some MB with the moment of the last garbage collection. */
const PROCESSES = 3;
const IDLE = seconds(3);
/** The one whose handshake every client of today makes. */
const ERA = "2025-11-25";
const AIM = { atMost: 85e6, of: "ours" } as const;
const CLIENTS = 50;
const CLIENTS_AIM = { atMost: 60e6, of: "ours" } as const;
const AGENT_AIM = { atMost: 75e6, of: "ours" } as const;

/** What the processes hold in RAM once they have had nothing to say for three seconds. */
export async function memoryFigures(state: string): Promise<Figure[]> {
  const bare = await repeated(() => idleBytes(bareNode("setInterval(() => undefined, 1e9)")));
  const runtimes = await repeated(() => idleRuntime(state));
  const clients = await repeated(() => bytesOfClients(state));
  const agents = await idleAgents(state);
  return [
    { what: "idle resident memory, runtime", ours: runtimes, bare, aim: AIM, show: megabytes },
    {
      what: `memory of ${CLIENTS} connected clients together`,
      ours: clients,
      aim: CLIENTS_AIM,
      show: megabytes,
    },
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

/** What the runtime holds more once they have connected, each with a call, and have been silent for three seconds. */
async function bytesOfClients(state: string): Promise<number> {
  const server = runtime(state, "--config", await unlimited(state));
  const url = await listening(server);
  const token = await tokenOf(state, "observer");
  await server.quiet(IDLE);
  const before = server.residentBytes();
  const sockets = [];
  while (sockets.length < CLIENTS) {
    const socket = await connect(ERA, url, token);
    await ask(socket, toolCall(ERA, "get_current_time", {})(1));
    sockets.push(socket);
  }
  await server.quiet(IDLE);
  const held = server.residentBytes() - before;
  for (const socket of sockets) socket.terminate();
  await server.stop();
  return held;
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
