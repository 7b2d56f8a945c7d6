import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type Figure, median, milliseconds } from "./figures.js";
import { agent, bareNode, listening, runtime } from "./programs.js";

const STARTS = 7;
const AIM = { atMost: 350, of: "ours" } as const;
const AGENT_AIM = { atMost: 800, of: "ours" } as const;
const clock = new SystemClock();

/** From the start of the process to the line that says it serves, or that the runtime is away; bare Node runs `0` and ends. */
export async function startFigures(folder: string): Promise<Figure[]> {
  const bare = median(await repeated(timeBareNode));
  const first = median(await repeated((n) => timeToListen(join(folder, `new-${n}`))));
  const again = median(await repeated(() => timeToListen(join(folder, "new-1"))));
  const agents = median(await repeated(() => timeToTry(folder)));
  return [
    { what: "start to listening, new state", ours: first, bare, aim: AIM, show: milliseconds },
    { what: "start to listening, again", ours: again, bare, aim: AIM, show: milliseconds },
    { what: "start to first try, agent", ours: agents, bare, aim: AGENT_AIM, show: milliseconds },
  ];
}

async function repeated(time: (n: number) => Promise<number>): Promise<number[]> {
  const took: number[] = [];
  while (took.length < STARTS) took.push(await time(took.length + 1));
  return took;
}

async function timeBareNode(): Promise<number> {
  const began = clock.monotonic();
  await bareNode("0").exit();
  return clock.monotonic() - began;
}

async function timeToListen(state: string): Promise<number> {
  const began = clock.monotonic();
  const server = runtime(state);
  await listening(server);
  const took = clock.monotonic() - began;
  await server.stop();
  return took;
}

/** Nobody listens on the discard port (RFC 863) of this machine; the token is the one that a runtime left. */
async function timeToTry(folder: string): Promise<number> {
  const began = clock.monotonic();
  const client = agent(join(folder, "new-1"), "--url", "ws://127.0.0.1:9/mcp");
  await client.line(/^ +(waiting)/);
  const took = clock.monotonic() - began;
  await client.stop();
  return took;
}
