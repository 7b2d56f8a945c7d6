import { z } from "zod";
import { type HouseTime, houseTimeOf, timesIn } from "../../runtime/wire/house-time.js";
import { counted, unmarked } from "../../runtime/wire/phrases.js";
import {
  currentTime,
  dose,
  lightOn,
  lightStatus,
  reading,
  statusResult,
  takenPhoto,
  waterUsage,
} from "../../runtime/wire/plants.js";
import type { RefusalBody } from "../../runtime/wire/refusal.js";
import type { Progress } from "../link/runtime.js";
import type { ToolResult } from "../link/tools.js";
import { asCalledHere } from "../program.js";
import { grouped, tokensInWords } from "../run-log/lines.js";
import { withoutSecrets } from "../run-log/log-files.js";
import { type Price, priceOf } from "../spending/limits.js";
import type { Arguments } from "./arguments.js";
import type { CycleLog, CycleOutcome } from "./cycle.js";
import type { Waiting } from "./tool-runner.js";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** ECMA-48, Select Graphic Rendition. */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
export type Style = keyof typeof STYLES;

/** The width of a terminal, and of text that people paste into a mail or an issue. */
const COLUMNS = 80;
/** The longest label is "incomplete". */
const LABEL_WIDTH = 12;
const LABEL_INDENT = 7;
/** White space, and control characters that could steer the terminal. */
const UNPRINTABLE = /(?:(?!\u200d)[\s\p{Cc}\p{Cf}])+/gu;
/** Erases the line and returns to its start (ECMA-48: EL, CR). */
export const ERASE = "\u001b[2K\r";

/** The agent's log for a person. Colours and progress lines only on a terminal. */
export class Log {
  private readonly live: boolean;
  private passing = false;
  private time = houseTimeOf("UTC");

  constructor(
    private readonly output: Output,
    env: Readonly<Record<string, string | undefined>>,
    /** Removes secrets, and links that open a photo. */
    private readonly clean = withoutSecrets([]),
    /** The model's price, if known. */
    private readonly price?: Price,
  ) {
    this.live = output.isTTY === true && !env.NO_COLOR;
  }

  /** The lines of one cycle. `time` is shown if the cycle does not ask the runtime for the time. */
  cycle(number: number, plant: string | undefined, time = "--:--", price = this.price): CycleStory {
    const title = `cycle ${number}${plant === undefined ? "" : ` · ${plant}`}`;
    return new CycleLines(this, title, time, price);
  }

  /** The lines of a turn that is no care cycle. `now`: ISO 8601, if it is known. */
  turn(kind: string, person: string, now?: string): CycleStory {
    const time = now === undefined ? "--:--" : this.time.clock(now);
    return new CycleLines(this, `${kind} · ${person}`, time, this.price);
  }

  inZone(zone: string): void {
    if (zone !== this.time.zone) this.time = houseTimeOf(zone);
  }

  get house(): HouseTime {
    return this.time;
  }

  /** Readings that do not fit beside the title go on the next line. */
  heading(time: string, title: string, readings: string): void {
    const shown = this.clean(readings);
    const fits = `${time}  ${title}   ${shown}`.length <= COLUMNS;
    const between = fits ? "   " : `\n${" ".repeat(LABEL_INDENT)}`;
    this.print(`${time}  ${this.paint("bold", title)}${between}${shown}`);
  }

  text(text: string): void {
    this.print(wrapped(this.shown(text)).join("\n"));
  }

  /** A labelled line; long text is wrapped under itself. */
  line(label: string, text: string, style: Style): void {
    const start = " ".repeat(LABEL_INDENT) + this.paint(style, label.padEnd(LABEL_WIDTH));
    const indent = LABEL_INDENT + LABEL_WIDTH;
    this.print(start + wrapped(this.shown(text), COLUMNS - indent).join(`\n${" ".repeat(indent)}`));
  }

  private shown(text: string): string {
    return asCalledHere(this.clean(timesIn(text, this.time)));
  }

  /** Shown until the next line, and only on a terminal. */
  pass(text: string): void {
    if (!this.live) return;
    const shown = [...this.clean(text)].slice(0, COLUMNS - LABEL_INDENT - 1).join(""); // a second line would stay
    this.output.write(`${ERASE}${" ".repeat(LABEL_INDENT)}${this.paint("dim", shown)}`);
    this.passing = true;
  }

  private print(text: string): void {
    this.output.write(`${this.passing ? ERASE : ""}${text.trimEnd()}\n`);
    this.passing = false;
  }

  private paint(style: Style, text: string): string {
    return this.live ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  }
}

const time = currentTime.pick({ timestamp: true }).extend({ zone: z.string().optional() });

/** Bookkeeping of the agent, which gets no line. */
const QUIET: ReadonlySet<string> = new Set(["log_thought", "log_action", "save_notes"]);
const READS = /^(?:get|list|fetch|search|read|recall|retrieve)_/;
/** Of a tool with several operations, the operation says it. */
const isRead = (tool: string, { operation }: Arguments): boolean =>
  READS.test(typeof operation === "string" ? operation : tool);

interface Line {
  readonly label: string;
  readonly text: string;
  readonly style: Style;
}

/** A cycle's log that can also take lines from outside the cycle. */
export interface CycleStory extends CycleLog {
  /** A line that is printed with the next thing decided or done, as the heading is. */
  aside(label: string, text: string, style: Style): void;
  /** The cycle is not over, and nothing more is known. */
  soFar(text: string): void;
}

class CycleLines implements CycleStory {
  private headed = false;
  private readonly readings = new Map<string, string>();
  private readonly waiting: Line[] = [];

  constructor(
    private readonly log: Log,
    private readonly title: string,
    private time: string,
    private readonly price: Price | undefined,
  ) {}

  began(): void {}

  progress(tool: string, { done, total }: Progress): void {
    this.log.pass(`${tool} ${done}${total === undefined ? "" : ` of ${total}`}`);
  }

  waits(tool: string, waiting: Waiting): void {
    this.say("waiting", waitInWords(tool, waiting), "yellow");
  }

  answered(tool: string, args: Arguments, result: ToolResult): void {
    if (isRead(tool, args)) this.looked(tool, result);
    else if (!result.ok) this.say("refused", refusalInWords(tool, result.error), "yellow");
    else if (tool === "write_plant_status") this.decided(args, result.value);
    else if (!QUIET.has(tool)) this.say("did", actionInWords(tool, args, result.value, this.clock), "green");
  }

  private readonly clock = (timestamp: string): string => this.log.house.clock(timestamp);

  /** If another model takes over, the caller says so: a cycle without lines then adds none. */
  ended({ completed, reason, calls, rounds, took, tokens }: CycleOutcome, next?: string): void {
    if (next !== undefined && !this.headed && this.waiting.length === 0) return;
    if (completed) this.say("completed", `${counted(calls, "call")} in ${(took / 1000).toFixed(1)} s`, "dim");
    else
      this.say("incomplete", `${reason} (${counted(calls, "call")} in ${counted(rounds, "round")})`, "red");
    if (tokens.input + tokens.output > 0)
      this.say("tokens", tokensInWords(tokens, priceOf(tokens, this.price)), "dim");
  }

  soFar(text: string): void {
    this.say("so far", text, "dim");
  }

  /** A reading gets no line: it goes into the heading, which is printed with the first thing decided or done. */
  private looked(tool: string, result: ToolResult): void {
    if (result.ok) this.read(tool, result.value);
    else {
      if (tool in UNREAD) this.readings.set(tool, UNREAD[tool] ?? "");
      this.aside("failed", refusalInWords(tool, result.error), "red");
    }
  }

  private read(tool: string, value: unknown): void {
    const now = tool === "get_current_time" ? time.safeParse(value).data : undefined;
    if (now?.zone !== undefined) this.log.inZone(now.zone);
    if (now) this.time = this.log.house.clock(now.timestamp);
    const words = READINGS[tool]?.(value);
    if (words !== undefined) this.readings.set(tool, words);
  }

  private decided(args: Arguments, value: unknown): void {
    const { proceed, reason = "no reason given" } = statusResult.safeParse(value).data ?? { proceed: false };
    this.say("decided", String(args.reasoning), "dim");
    if (!proceed) this.say("refused", `write_plant_status: ${reason}`, "yellow");
  }

  aside(label: string, text: string, style: Style): void {
    this.waiting.push({ label, text, style });
  }

  private say(label: string, text: string, style: Style): void {
    this.head();
    this.aside(label, text, style);
    for (const line of this.waiting.splice(0)) this.log.line(line.label, line.text, line.style);
  }

  private head(): void {
    if (this.headed) return;
    this.headed = true;
    const inOrder = Object.keys(READINGS).flatMap((tool) => this.readings.get(tool) ?? []);
    this.log.heading(this.time, this.title, inOrder.join("  "));
  }
}

/** Lines of whole words; a longer word gets its own line. */
export const wrapped = (text: string, columns = COLUMNS): readonly string[] =>
  (onOneLine(text).match(new RegExp(`.{1,${columns}}(?: |$)|\\S+`, "g")) ?? []).map((line) => line.trim());

/** Without what could steer the terminal. */
export const onOneLine = (text: string): string => text.replace(UNPRINTABLE, " ").trim();

const moisture = reading.pick({ percent: true, value: true });
const water = waterUsage.pick({ used_ml: true, remaining_ml: true });
const light = lightStatus.pick({ status: true });
const dispensed = dose.pick({ dispensed: true, remaining_24h: true });
const lit = lightOn.pick({ duration_minutes: true, off_at: true });
const photo = takenPhoto.pick({ timestamp: true });

/** A cycle's readings in words, by tool; undefined for other tools or an unexpected answer. */
const READINGS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  read_moisture: (value) =>
    within(moisture, value, (m) => `moisture ${m.percent.toFixed(1)} % (raw ${grouped(m.value)})`),
  get_water_usage_24h: (value) =>
    within(water, value, (w) => `water 24 h: ${short(w.used_ml)}/${short(w.used_ml + w.remaining_ml)} ml`),
  get_light_status: (value) => within(light, value, (l) => `light ${l.status}`),
};

/** Shown if a reading failed. */
const UNREAD: Readonly<Record<string, string>> = {
  read_moisture: "moisture unknown",
  get_water_usage_24h: "water unknown",
  get_light_status: "light unknown",
};

/** "12:30" of "2026-06-01T12:30:00.000Z". */
type ClockTime = (timestamp: string) => string;

const DEEDS: Readonly<
  Record<string, (args: Arguments, value: unknown, clock: ClockTime) => string | undefined>
> = {
  dispense_water: (_, value) =>
    within(
      dispensed,
      value,
      (d) => `dispense_water ${short(d.dispensed)} ml → ${short(d.remaining_24h)} ml left`,
    ),
  turn_on_light: (_, value, clock) =>
    within(lit, value, (l) => `turn_on_light ${l.duration_minutes} min → off at ${clock(l.off_at)}`),
  // without its link: it opens the photo for anybody, and people pass logs on
  capture_photo: (_, value, clock) => within(photo, value, (p) => `capture_photo ${clock(p.timestamp)}`),
  send_message_to_human: ({ message }) => `send_message_to_human: ${unmarked(firstLine(String(message)))}`,
};

const actionInWords = (tool: string, args: Arguments, value: unknown, clock: ClockTime): string =>
  DEEDS[tool]?.(args, value, clock) ?? operationInWords(tool, args) ?? `${tool} ${JSON.stringify(args)}`;

/** "list_tool add_item: shopping, perlite"; undefined for a tool without operations. */
function operationInWords(tool: string, { operation, ...args }: Arguments): string | undefined {
  if (typeof operation !== "string") return undefined;
  const values = Object.values(args).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return `${tool} ${operation}${values.length === 0 ? "" : `: ${firstLine(values.join(", "))}`}`;
}

export const waitInWords = (tool: string, { id, until }: Waiting): string =>
  `${tool} waits for your yes: tendril approve ${id} (until ${until})`;

/** A refusal: the time left if the runtime gives one, else its message. */
function refusalInWords(tool: string, { code, message, retry_after_s: wait }: RefusalBody): string {
  if (wait === undefined) return `${tool}: ${code}, ${firstLine(message.replace(` (${code})`, ""))}`;
  return `${tool}: ${code}, ${wait < 60 ? `${wait} s` : `${Math.ceil(wait / 60)} min`} left`;
}

const within = <T>(schema: z.ZodType<T>, value: unknown, words: (read: T) => string): string | undefined => {
  const read = schema.safeParse(value);
  return read.success ? words(read.data) : undefined;
};

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
const short = (n: number): string => String(Math.round(n * 10) / 10);
