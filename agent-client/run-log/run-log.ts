import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { VERSION } from "../../runtime/wire/program.js";
import type { Calendar, Clock } from "../clock.js";
import { type Arguments, readArguments } from "../cycle/arguments.js";
import type { CallTiming, CycleLog, ModelChoice } from "../cycle/cycle.js";
import { type Log, type Style, waitInWords } from "../cycle/log.js";
import { UsageError } from "../errors.js";
import type { ToolInfo, ToolResult } from "../link/tools.js";
import type { Asked, Model, Picture, Reply } from "../models/model.js";
import {
  type CycleLine,
  type Event,
  type RunStart,
  recorded,
  roundOf,
  sizeOf,
  sizeOfText,
  toldSince,
} from "./lines.js";
import { LogFile, RotatedLog, runName, type Sink, type Trouble, withoutSecrets } from "./log-files.js";
import type { LogOptions } from "./options.js";

interface RunLogParts {
  readonly sinks: readonly Sink[];
  readonly clock: Clock & Calendar;
  /** Removes secrets from JSON text. */
  readonly clean: (json: string) => string;
}

type Beginning = Pick<CycleLine, "model" | "prompt">;

/** The log of a run, one line for everything that happens. A playback uses the same lines. */
export class RunLog {
  private toolNames = "";

  constructor(private readonly parts: RunLogParts) {}

  cycle(number: number, plant: string | undefined): CycleLog {
    const which = { cycle: number, ...(plant !== undefined && { plant }) };
    return this.logOf((about) => this.write({ kind: "cycle", ...which, ...about }), {});
  }

  turn(turn: string, person: string, now: string): CycleLog {
    return this.logOf((about) => this.write({ kind: "turn", turn, person, now, ...about }), { turn });
  }

  private logOf(began: (about: Beginning) => void, end: { readonly turn?: string }): CycleLog {
    return {
      began: ({ model, prompt }) => began({ model, prompt: sizeOfText(prompt) }),
      progress: () => undefined,
      waits: (tool, waiting) => this.line("waiting", waitInWords(tool, waiting)),
      answered: (tool, args, result, timing) => this.called(tool, args, result, timing),
      ended: (outcome, next) =>
        this.write({ kind: "end", ...end, ...outcome, ...(next !== undefined && { next }) }),
    };
  }

  /** A message outside of cycles, as on the console. */
  line(label: string, text: string): void {
    this.write({ kind: "note", label, text });
  }

  /** The same models; requests and replies, or failures, are logged. */
  around(models: ModelChoice): ModelChoice {
    return {
      first: (plant) => this.logged(models.first(plant)),
      next: (outcome) => {
        const next = models.next(outcome);
        return next && this.logged(next);
      },
      over: () => models.over(),
    };
  }

  private logged(model: Model): Model {
    return {
      name: model.name,
      get toolSet() {
        return model.toolSet;
      },
      reads: model.reads,
      respond: (...asked) => this.asked(model, asked),
    };
  }

  private asked(model: Model, asked: Asked): Promise<Reply> {
    const [conversation, tools] = asked;
    this.listed(tools);
    const { clock } = this.parts;
    const began = clock.monotonic();
    const request = {
      ...(model.reads && { reads: model.reads }),
      ...(model.toolSet && { tool_set: model.toolSet }),
      round: roundOf(conversation),
      told: toldSince(conversation),
      asked: sizeOf(conversation, tools),
    };
    return recorded(model, asked, (came) => {
      const took_ms = clock.monotonic() - began;
      this.write({ kind: "reply", model: model.name, ...request, took_ms, ...came });
    });
  }

  private listed(tools: readonly ToolInfo[]): void {
    const names = tools.map(({ name }) => name);
    if (names.join() === this.toolNames) return;
    this.toolNames = names.join();
    this.write({ kind: "tools", tools: names });
  }

  private called(tool: string, args: Arguments, result: ToolResult, { call, took }: CallTiming): void {
    const given = readArguments(call.arguments) ? args : call.arguments;
    this.write({ kind: "call", tool, arguments: given, took_ms: took, ...this.answer(result) });
  }

  private answer(result: ToolResult) {
    const ignored = result.ignored && { ignored: [...result.ignored] };
    if (!result.ok) return { error: result.error, ...ignored };
    const images = result.images?.map(imageOf);
    return { result: result.value, ...ignored, ...(images && { images }) };
  }

  private write(event: Event): void {
    const { sinks, clock, clean } = this.parts;
    const line = clean(stamped(event, clock));
    for (const sink of sinks) sink.write(line);
  }
}

const stamped = ({ kind, ...rest }: Event, clock: Calendar): string =>
  JSON.stringify({ kind, at: new Date(clock.now()).toISOString(), ...rest }, rounded);

/** Durations in whole milliseconds. */
const rounded = (key: string, value: unknown): unknown =>
  typeof value === "number" && (key === "took_ms" || key === "took") ? Math.round(value) : value;

/** Whole pictures would fill the log. */
const imageOf = ({ type, data }: Picture) => {
  const bytes = Buffer.from(data, "base64");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type, bytes: bytes.length, sha256 };
};

interface RunBeginning {
  readonly start: Pick<RunStart, "model" | "url" | "options">;
  readonly clock: Clock & Calendar;
  /** Never written. */
  readonly secrets: readonly (string | undefined)[];
  readonly onTrouble: Trouble;
}

/** Bytes; a choice: an editor can open such a file. A cycle of a language model takes some 50 kB. */
const LONGEST_FILE = 10_000_000;

/** Begins the log of a run, and its record if asked for. Throws a UsageError if the record's file exists. */
export function openRunLog(options: LogOptions, { start, clock, secrets, onTrouble }: RunBeginning): RunLog {
  const clean = withoutSecrets(secrets);
  const first = clean(stamped({ kind: "run", ...start, version: VERSION, url: bare(start.url) }, clock));
  const { logDir, logTotal, record } = options;
  const lost = (lines: number) => stamped({ kind: "lost", lines }, clock);
  const name = runName(clock.now(), start.model);
  const limits = { file: Math.min(LONGEST_FILE, logTotal), total: logTotal };
  const sinks = [
    ...(record === undefined ? [] : [recordAt(record, first, lost, onTrouble)]),
    new RotatedLog(logDir, name, limits, first, lost, onTrouble),
  ];
  return new RunLog({ sinks, clock, clean });
}

function recordAt(path: string, first: string, lost: (lines: number) => string, onTrouble: Trouble): LogFile {
  if (existsSync(path)) throw new UsageError(`--record ${path}: the file exists already, name another`);
  const file = new LogFile(path, lost, onTrouble);
  file.write(first);
  return file;
}

/** Without a user, a password or a query, which may contain a token. */
function bare(url: string): string {
  if (!URL.canParse(url)) return "";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Receives everything of a run as it happens. */
export interface StoryTeller {
  cycle(number: number, plant: string | undefined): CycleLog;
  turn(kind: string, person: string, now: string): CycleLog;
  line(label: string, text: string, style: Style): void;
}

export const logToBoth = (console: Log, runLog: RunLog): StoryTeller => ({
  cycle: (number, plant) => both(console.cycle(number, plant), runLog.cycle(number, plant)),
  turn: (kind, person, now) => both(console.turn(kind, person, now), runLog.turn(kind, person, now)),
  line(label, text, style) {
    console.line(label, text, style);
    runLog.line(label, text);
  },
});

export function both(one: CycleLog, other: CycleLog): CycleLog {
  const each = (tell: (log: CycleLog) => void) => [one, other].forEach(tell);
  return {
    began: (...told) => each((log) => log.began(...told)),
    progress: (...told) => each((log) => log.progress(...told)),
    waits: (...told) => each((log) => log.waits(...told)),
    answered: (...told) => each((log) => log.answered(...told)),
    ended: (...told) => each((log) => log.ended(...told)),
  };
}
