import { WebSocket } from "ws";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Child } from "./child.js";
import { type Figure, median, microseconds, perSecond, quantile } from "./figures.js";
import { echoServer, listening, runtime, tokenOf, unlimited } from "./programs.js";

const CALLS = 2000;
const WARM_UP = 3000;
const ROUNDS = 5;
const IN_FLIGHT = 32;
/** A read call should cost no more than so many bare echoes. */
const AIM = { atMost: 1.5, of: "ratio" } as const;
/** So much longer than an echo's may the slowest calls take. */
const SLOWEST_AIM = { atMost: 4, of: "ratio" } as const;
const clock = new SystemClock();

/** Makes a frame whose JSON-RPC id is `id`. */
type Frame = (id: number) => string;
type Json = Readonly<Record<string, unknown>>;

/** Everything of a frame but its id, which comes first. */
export const frame =
  (rest: object): Frame =>
  (id) =>
    `{"jsonrpc":"2.0","id":${id},${JSON.stringify(rest).slice(1)}`;

/** What a client of each protocol era adds to its parameters. */
const ERAS = {
  "2025-11-25": {},
  "2026-07-28": {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
} as const;
type Era = keyof typeof ERAS;

export const toolCall = (era: Era, name: string, args: object): Frame =>
  frame({ method: "tools/call", params: { name, arguments: args, ...ERAS[era] } });

const READS = [
  { title: "get_current_time", name: "get_current_time", args: {} },
  { title: "get_recent_thoughts of 3", name: "get_recent_thoughts", args: { n: 3 } },
];

/** Who answers, and over which socket. */
interface Peer {
  readonly program: Child;
  readonly socket: WebSocket;
}

/** A read tool of the running program over WebSocket, against a bare server that sends its very replies. */
export async function wireFigures(state: string): Promise<Figure[]> {
  const server = runtime(state, "--config", await unlimited(state));
  const echo = echoServer();
  try {
    const [url, echoUrl] = await Promise.all([listening(server), listening(echo)]);
    await writeThoughts(url, await tokenOf(state, "agent"));
    const observer = await tokenOf(state, "observer");
    const figures: Figure[] = [];
    for (const era of Object.keys(ERAS) as Era[]) {
      const ours = { program: server, socket: await connect(era, url, observer) };
      for (const { title, name, args } of READS) {
        const bare = { program: echo, socket: await dial(echoUrl) };
        figures.push(...(await compare(`${title}, ${era}`, ours, bare, toolCall(era, name, args))));
        bare.socket.terminate();
      }
      ours.socket.terminate();
    }
    return figures;
  } finally {
    await Promise.all([server.stop(), echo.stop()]);
  }
}

/** Rounds alternate, so that whatever else the machine does meets both. */
async function compare(title: string, ours: Peer, bare: Peer, call: Frame): Promise<Figure[]> {
  const { jsonrpc: _, id: __, ...reply } = JSON.parse(await ask(ours.socket, call(0))) as Json;
  bare.socket.send(`,${JSON.stringify(reply).slice(1)}`);
  for (const { socket } of [ours, bare]) await run(socket, call, WARM_UP, 1);
  const rounds = { ours: [] as Round[], bare: [] as Round[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.ours.push(await measure(ours, call));
    rounds.bare.push(await measure(bare, call));
  }
  return figuresOf(title, summary(rounds.ours), summary(rounds.bare));
}

interface Run {
  /** In ms. */
  readonly latencies: readonly number[];
  /** Calls a second. */
  readonly rate: number;
}

interface TimedRun extends Run {
  /** Processor time of the peer's main thread for one call, in ms. */
  readonly work: number;
}

interface Round {
  readonly single: TimedRun;
  readonly many: TimedRun;
}

const measure = async (peer: Peer, call: Frame): Promise<Round> => ({
  single: await timed(peer, call, 1),
  many: await timed(peer, call, IN_FLIGHT),
});

async function timed({ program, socket }: Peer, call: Frame, inFlight: number): Promise<TimedRun> {
  const before = program.processorTime();
  const ran = await run(socket, call, CALLS, inFlight);
  return { ...ran, work: (program.processorTime() - before) / CALLS };
}

const summary = (rounds: readonly Round[]) => {
  const latencies = rounds.flatMap(({ single }) => single.latencies);
  return {
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    rate: median(rounds.map(({ single }) => single.rate)),
    rateOfMany: median(rounds.map(({ many }) => many.rate)),
    work: median(rounds.map(({ single }) => single.work)),
    workOfMany: median(rounds.map(({ many }) => many.work)),
  };
};

type Summary = ReturnType<typeof summary>;

const figuresOf = (title: string, ours: Summary, bare: Summary): Figure[] => [
  { what: `${title}: p50`, ours: ours.p50, bare: bare.p50, aim: AIM, show: microseconds },
  { what: `${title}: p99`, ours: ours.p99, bare: bare.p99, aim: SLOWEST_AIM, show: microseconds },
  { what: `${title}: 1 in flight`, ours: ours.rate, bare: bare.rate, show: perSecond },
  { what: `${title}: ${IN_FLIGHT} in flight`, ours: ours.rateOfMany, bare: bare.rateOfMany, show: perSecond },
  { what: `${title}: work, 1 in flight`, ours: ours.work, bare: bare.work, show: microseconds },
  {
    what: `${title}: work, ${IN_FLIGHT} in flight`,
    ours: ours.workOfMany,
    bare: bare.workOfMany,
    show: microseconds,
  },
];

/** `calls` calls, `inFlight` of them open at any time. */
export function run(socket: WebSocket, call: Frame, calls: number, inFlight: number): Promise<Run> {
  const sentAt = new Map<number, number>();
  const latencies: number[] = [];
  const began = clock.monotonic();
  let next = 1;
  const send = () => {
    sentAt.set(next, clock.monotonic());
    socket.send(call(next++));
  };
  return new Promise((resolve) => {
    const receive = (data: unknown) => {
      const { id } = JSON.parse(String(data)) as { id: number };
      const now = clock.monotonic();
      latencies.push(now - (sentAt.get(id) ?? Number.NaN));
      if (next <= calls) send();
      if (latencies.length < calls) return;
      socket.off("message", receive);
      resolve({ latencies, rate: (calls / (now - began)) * 1000 });
    };
    socket.on("message", receive);
    for (let i = 0; i < inFlight; i += 1) send();
  });
}

/** The reply to one frame. Rejects if it is an error: refusals are not what is measured. */
export function ask(socket: WebSocket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("message", (data) => {
      const reply = String(data);
      const { error, result } = JSON.parse(reply) as { error?: unknown; result?: { isError?: boolean } };
      if (error === undefined && !result?.isError) resolve(reply);
      else reject(new Error(`${text} was answered ${reply}`));
    });
    socket.send(text);
  });
}

export function dial(url: string, token = "", ca?: string): Promise<WebSocket> {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, "mcp", { headers, ...(ca !== undefined && { ca }) });
  return new Promise((resolve, reject) => socket.once("open", () => resolve(socket)).once("error", reject));
}

/** The 2025 era shakes hands first; 2026-07-28 says everything in each request. */
export async function connect(era: Era, url: string, token: string): Promise<WebSocket> {
  const socket = await dial(url, token);
  if (era === "2026-07-28") return socket;
  const params = { protocolVersion: era, capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  await ask(socket, frame({ method: "initialize", params })(0));
  socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  return socket;
}

/** As long as an agent's usually are. */
const THOUGHT = {
  observation:
    "moisture fell from 46 to 41 % since the last cycle, the leaves are upright and the light is off",
  hypothesis: "the pot dries at its usual rate for this time of day and needs water within some hours",
  candidate_actions: [
    { order: 1, action: "dispense_water", value: 20 },
    { order: 2, action: "wait" },
  ],
  reasoning: "a dose now keeps the soil above 40 % until the evening, and the budget has plenty left",
  uncertainties: "whether the probe sits in a dry pocket after yesterday's repotting",
  tags: ["moisture", "routine"],
};

async function writeThoughts(url: string, token: string): Promise<void> {
  const socket = await connect("2026-07-28", url, token);
  for (let id = 1; id <= 10; id += 1) await ask(socket, toolCall("2026-07-28", "log_thought", THOUGHT)(id));
  socket.terminate();
}
