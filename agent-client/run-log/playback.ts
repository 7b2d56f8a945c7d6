import type { ModelChoice } from "../agent.js";
import type { CycleOutcome } from "../cycle/cycle.js";
import { UsageError } from "../errors.js";
import type { ToolInfo } from "../link/tools.js";
import type { Message, Model, Reply } from "../models/model.js";
import type { CycleLine, ReplyLine, RunLine } from "./lines.js";
import { roundOf, toldSince } from "./lines.js";
import { readRun, runAt } from "./read-run.js";
import { playedBack } from "./recorded-reply.js";

/** A playback does not go on; the message says why. */
export class PlaybackEnded extends Error {
  override readonly name = "PlaybackEnded";

  constructor(
    message: string,
    /** Every recorded reply was given, and a new cycle asked for one more. */
    readonly atItsEnd: boolean,
  ) {
    super(message);
  }
}

/** The replies of a run's file, and of those in which it goes on. Throws a UsageError for a file without any. */
export function playbackOf(file: string, onEnd: (end: PlaybackEnded) => void): Playback {
  const { lines } = readRun(runAt(file));
  if (lines.some(({ kind }) => kind === "reply")) return new Playback(file, lines, onEnd);
  throw new UsageError(`${file} holds no reply of a model: there is nothing to play back`);
}

/** A recorded reply, with the tools that there were. */
interface Recorded extends ReplyLine {
  /** Undefined where the file begins in the middle of a run. */
  readonly tools: readonly string[] | undefined;
  /** 1, and 2 for the fallback that took the same cycle over. Undefined where the file begins in the middle of a run. */
  readonly attempt: number | undefined;
}

/**
 * Gives the replies of a run log in place of a model. It asks nobody: where the conversation goes another way than
 * the recorded one, by the tools, the place in the cycle or what came of the calls, it ends. It takes a cycle over from
 * itself where a fallback did so in the recording.
 */
export class Playback implements Model, ModelChoice {
  readonly name: string;
  private readonly replies: readonly Recorded[];
  private given = 0;
  /** In this cycle. */
  private attempt = 1;

  /** `onEnd` is told first: a cycle would take the rejection for a failure of its own and go on. */
  constructor(
    private readonly file: string,
    lines: readonly RunLine[],
    private readonly onEnd: (end: PlaybackEnded) => void,
  ) {
    this.replies = recordedIn(lines);
    const models = new Set(this.replies.map(({ model }) => model));
    this.name = `playback of ${[...models].join(" and ") || "nothing"}`;
  }

  /** As it was for the next reply. */
  get toolSet(): readonly string[] {
    return this.replies[this.given]?.tools ?? [];
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
      attemptApart(recorded, this.attempt) ??
      placeApart(recorded, round) ??
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
  return lines.flatMap((line) => {
    if (line.kind === "tools") tools = line.tools;
    if (line.kind === "cycle") {
      attempt = isSameCycle(line, cycle) ? (attempt ?? 1) + 1 : 1;
      cycle = line;
    }
    return line.kind === "reply" ? [{ ...line, tools, attempt }] : [];
  });
}

const isSameCycle = (one: CycleLine, other: CycleLine | undefined): boolean =>
  one.cycle === other?.cycle && one.plant === other.plant;

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

const attemptApart = ({ model, attempt: recorded = 1 }: Recorded, attempt: number): string | undefined =>
  recorded <= attempt ? undefined : `in the recording ${model} took over a cycle here, now a cycle begins`;

const placeApart = (recorded: Recorded, round: number): string | undefined =>
  recorded.round === round ? undefined : `it was given in round ${recorded.round}, this is round ${round}`;

function apart({ told }: Recorded, conversation: readonly Message[]): string | undefined {
  const now = toldSince(conversation);
  const length = Math.max(told.length, now.length);
  const index = Array.from({ length }, (_, at) => at).find((at) => told[at] !== now[at]);
  if (index === undefined) return undefined;
  return `call ${index + 1} came to "${now[index] ?? "nothing"}", and in the recording to "${told[index] ?? "nothing"}"`;
}
