import type { CycleOutcome, ModelChoice } from "../cycle/cycle.js";
import { UsageError } from "../errors.js";
import type { ToolInfo } from "../link/tools.js";
import type { Message, Model, Reply } from "../models/model.js";
import { type CycleLine, playedBack, type ReplyLine, type RunLine, roundOf, toldSince } from "./lines.js";
import { readRun, runAt } from "./log-files.js";

/** The end of a playback; the message says why. */
export class PlaybackEnded extends Error {
  override readonly name = "PlaybackEnded";

  constructor(
    message: string,
    /** All recorded replies were given, and a new cycle begins. */
    readonly atItsEnd: boolean,
  ) {
    super(message);
  }
}

/** Plays back the replies in a run's files. Throws a UsageError for a file without replies. */
export function playbackOf(file: string, onEnd: (end: PlaybackEnded) => void): Playback {
  const { lines } = readRun(runAt(file));
  if (lines.some(({ kind }) => kind === "reply")) return new Playback(file, lines, onEnd);
  throw new UsageError(`${file} contains no reply of a model: there is nothing to play back`);
}

interface Recorded extends ReplyLine {
  /** Undefined if the file begins in the middle of a run. */
  readonly tools: readonly string[] | undefined;
  /** 1; 2 for the fallback in the same cycle. Undefined if the file begins in the middle of a run. */
  readonly attempt: number | undefined;
}

/**
 * Gives the replies of a run log instead of a model's. It ends if the conversation differs from the recorded one: by the
 * tools, the round, or the results of the calls. Where a fallback took over in the recording, it takes over from itself.
 */
export class Playback implements Model, ModelChoice {
  readonly name: string;
  private readonly replies: readonly Recorded[];
  private given = 0;
  /** Counts the models in this cycle. */
  private attempt = 1;

  /** Calls `onEnd` before it rejects, since the cycle would treat the rejection as a failed model and go on. */
  constructor(
    private readonly file: string,
    lines: readonly RunLine[],
    private readonly onEnd: (end: PlaybackEnded) => void,
  ) {
    this.replies = recordedIn(lines);
    const models = new Set(this.replies.map(({ model }) => model));
    this.name = `playback of ${[...models].join(" and ") || "nothing"}`;
  }

  /** As of the model that gave the reply, like `reads`: the runtime is asked the same. */
  get toolSet(): Model["toolSet"] {
    return this.replies[this.given]?.tool_set;
  }

  get reads(): Model["reads"] {
    return this.replies[this.given]?.reads;
  }

  first(): Model {
    this.attempt = 1;
    return this;
  }

  next({ completed }: CycleOutcome): Model | undefined {
    if (completed || this.replies[this.given]?.attempt !== this.attempt + 1) return undefined;
    this.attempt += 1;
    return this;
  }

  async over(): Promise<void> {}

  async respond(conversation: readonly Message[], tools: readonly ToolInfo[]): Promise<Reply> {
    const recorded = this.replies[this.given];
    const round = roundOf(conversation);
    if (!recorded) throw this.stopped(this.usedUp(round), round === 1);
    this.given += 1;
    const difference =
      toolsApart(recorded.tools, tools) ??
      placeApart(recorded, this.attempt, round) ??
      apart(recorded, conversation);
    if (difference !== undefined)
      throw this.stopped(`reply ${this.given} does not fit: ${difference}`, false);
    return playedBack(recorded);
  }

  private usedUp(round: number): string {
    const all = `all ${this.replies.length} recorded replies are given`;
    return round === 1 ? all : `${all}, and the cycle asks for another in round ${round}`;
  }

  private stopped(why: string, atItsEnd: boolean): PlaybackEnded {
    const end = new PlaybackEnded(`playback of ${this.file}: ${why}`, atItsEnd);
    this.onEnd(end);
    return end;
  }
}

function recordedIn(lines: readonly RunLine[]): readonly Recorded[] {
  let tools: readonly string[] | undefined;
  let cycle: CycleLine | undefined;
  let attempt: number | undefined;
  return ofCare(lines).flatMap((line) => {
    if (line.kind === "tools") tools = line.tools;
    if (line.kind === "cycle") {
      const isSame = line.cycle === cycle?.cycle && line.plant === cycle.plant;
      attempt = isSame ? (attempt ?? 1) + 1 : 1;
      cycle = line;
    }
    return line.kind === "reply" ? [{ ...line, tools, attempt }] : [];
  });
}

/** Without the replies in conversations and tasks: a playback holds none. */
function ofCare(lines: readonly RunLine[]): readonly RunLine[] {
  let isCare = true;
  return lines.filter(({ kind }) => {
    if (kind === "turn" || kind === "cycle") isCare = kind === "cycle";
    return isCare || kind !== "reply";
  });
}

function toolsApart(recorded: readonly string[] | undefined, tools: readonly ToolInfo[]): string | undefined {
  if (!recorded) return undefined;
  const now = tools.map(({ name }) => name);
  const gone = recorded.filter((name) => !now.includes(name));
  const come = now.filter((name) => !recorded.includes(name));
  if (gone.length === 0 && come.length === 0) return undefined;
  return `the runtime has other tools${listed(", without", gone)}${listed(", with", come)}`;
}

const listed = (word: string, names: readonly string[]): string =>
  names.length === 0 ? "" : `${word} ${names.join(", ")}`;

function placeApart(recorded: Recorded, attempt: number, round: number): string | undefined {
  if ((recorded.attempt ?? 1) > attempt)
    return `in the recording ${recorded.model} took over a cycle here, now a cycle begins`;
  return recorded.round === round
    ? undefined
    : `it was given in round ${recorded.round}, this is round ${round}`;
}

function apart({ told }: Recorded, conversation: readonly Message[]): string | undefined {
  const now = toldSince(conversation);
  const length = Math.max(told.length, now.length);
  const index = Array.from({ length }, (_, at) => at).find((at) => told[at] !== now[at]);
  if (index === undefined) return undefined;
  return `call ${index + 1} came to "${now[index] ?? "nothing"}", and in the recording to "${told[index] ?? "nothing"}"`;
}
