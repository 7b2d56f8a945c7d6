import { z } from "zod";
import { statusResult } from "../../../runtime/wire/plants.js";
import { type EpochMillis, hours, type Millilitres, minutes, type Percent } from "../../clock.js";
import type { Arguments } from "../../cycle/arguments.js";
import { plantInPrompt } from "../../cycle/context.js";
import { type ToolInfo, takesPlant } from "../../link/tools.js";
import type { Message } from "../model.js";
import {
  allOf,
  answerOf,
  type Call,
  type Exchange,
  exchangesOf,
  type Facts,
  factsOf,
  percent,
  type Soil,
} from "./facts.js";
import { type Needs, needsOf, type Objections } from "./plan.js";
import { historiesIn, type Survey, surveyInLine, surveyOf } from "./survey.js";

/** The state of the cycle, read from the conversation only. */
export interface Care {
  /** Undefined if only one plant is configured. */
  readonly plant: string | undefined;
  readonly exchanges: readonly Exchange[];
  readonly facts: Facts;
  readonly gate: Gate;
  readonly memory: Memory;
  readonly needs: Needs;
  /** The survey of its history: from this cycle, or the last one in the note. */
  readonly survey: Survey | undefined;
  has(tool: string): boolean;
  /** A call, with the plant if the tool has that parameter. */
  call(tool: string, args?: Arguments): Call;
}

export function careOf(conversation: readonly Message[], tools: readonly ToolInfo[]): Care {
  const named = (name: string) => tools.find((tool) => tool.name === name);
  const { plant, species } = plantInPrompt(conversation);
  const exchanges = exchangesOf(conversation);
  const facts = factsOf(exchanges);
  const memory = readMemory(facts.note ?? "");
  const needs = needsOf(species);
  const survey = surveyed(exchanges, facts, needs, surveyInLine(memory.soils.get(plantName({ plant }))));
  return {
    plant,
    exchanges,
    facts: { ...facts, soil: believed(facts.soil, survey) },
    gate: gateOf(exchanges),
    memory,
    needs,
    survey,
    has: (tool) => named(tool) !== undefined,
    call: (name, args = {}) => {
      const which = plant !== undefined && takesPlant(named(name)) ? { plant } : {};
      return { name, arguments: { ...args, ...which } };
    },
  };
}

function surveyed(
  exchanges: readonly Exchange[],
  { now }: Facts,
  { waterBelow }: Needs,
  before: Survey | undefined,
): Survey | undefined {
  const histories = historiesIn(exchanges);
  return now !== undefined && histories ? surveyOf({ now, waterBelow, ...histories }, before) : before;
}

/** A reading of a probe that its history shows to be wrong counts as none. */
function believed(soil: Soil, survey: Survey | undefined): Soil {
  if (soil.fault !== undefined || !survey || survey.trust === "trusted") return soil;
  const { reading } = soil;
  return { fault: `the probe seems ${survey.trust}`, reading, suspicion: survey.trust };
}

/** The plant's name in messages, topics and notes: one word. */
export const plantName = ({ plant }: Pick<Care, "plant">): string => plant ?? "plant";

const step = z.object({ action: z.enum(["water", "light"]), value: z.number() });

type Step = z.output<typeof step>;

/** One status and two corrections. If the runtime still refuses, a person has to look. */
const MAX_ATTEMPTS = 3;

/** The result of this cycle's plant status. */
interface Gate {
  /** The actions of the cleared status; undefined before one is cleared. */
  readonly plan: readonly Step[] | undefined;
  /** Why statuses were refused, in order. */
  readonly refusals: readonly string[];
  readonly mayTryAgain: boolean;
}

/** Reads the plan back from the call that was cleared, so that exactly this plan is carried out. */
function gateOf(exchanges: readonly Exchange[]): Gate {
  const writes = allOf(exchanges, "write_plant_status");
  const last = writes.at(-1);
  const cleared = answerOf(last, statusResult)?.proceed === true;
  return {
    plan: cleared ? (z.array(step).safeParse(last?.args.next_action_sequence).data ?? []) : undefined,
    refusals: writes.flatMap(refusal),
    mayTryAgain: !cleared && writes.length < MAX_ATTEMPTS,
  };
}

function refusal(exchange: Exchange): string[] {
  const { proceed, reason } = answerOf(exchange, statusResult) ?? {};
  if (proceed === false && reason !== undefined) return [reason];
  return exchange.error ? [exchange.error.message] : [];
}

/** What to leave out of the next status: what the last reason asks for; in the last attempt everything. */
export function objectionsIn({ refusals }: Gate): Objections {
  const reason = refusals.at(-1) ?? "";
  const everything = refusals.length >= MAX_ATTEMPTS - 1;
  return {
    water: everything || /\bwithout water\b/i.test(reason),
    light: everything || /\bwithout (?:water and )?light\b/i.test(reason),
  };
}

/** This cycle in one line: the note keeps it, and `lastCycle` reads it back. */
export function summary({ facts, exchanges, gate }: Care): string {
  const { soil } = facts;
  const done = (tool: string, argument: string) =>
    allOf(exchanges, tool).reduce((sum, { args, error }) => sum + (error ? 0 : Number(args[argument])), 0);
  const moisture = soil.fault === undefined ? `moisture ${percent(soil.reading)}` : "moisture unknown";
  const status = gate.plan ? "" : ", no cleared status";
  return `${moisture}, ${done("dispense_water", "ml")} ml, ${done("turn_on_light", "minutes")} min of light${status}`;
}

const LAST_CYCLE = /^(\S+) moisture (?:(-?\d+(?:\.\d+)?) %|unknown), (\d+) ml,/;

interface LastCycle {
  readonly at: EpochMillis;
  readonly moisture: Percent | undefined;
  readonly poured: Millilitres;
}

export function lastCycle(care: Care): LastCycle | undefined {
  const [, timestamp = "", moisture, ml] =
    LAST_CYCLE.exec(care.memory.plants.get(plantName(care)) ?? "") ?? [];
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return undefined;
  return { at, moisture: moisture === undefined ? undefined : Number(moisture), poured: Number(ml) };
}

/** Water needs a quarter of an hour from the surface to the probe, as in the runtime's rules; plus some minutes of margin. */
const SINKS_IN = minutes(20);
/** A rise larger than noise. */
const ANSWER: Percent = 1;

/** Whether the last water has not reached the probe yet. */
export function isSinkingIn(care: Care): boolean {
  const { now, soil } = care.facts;
  const last = lastCycle(care);
  if (now === undefined || !last || last.poured === 0 || now - last.at >= SINKS_IN || now < last.at)
    return false;
  const risen = (soil.reading?.percent ?? 0) - (last.moisture ?? Number.POSITIVE_INFINITY);
  return risen < ANSWER;
}

/** What the caretaker remembers between cycles, kept in the note below the text of others. */
export interface Memory {
  readonly others: string;
  readonly plants: ReadonlyMap<string, string>;
  /** One line about each plant's soil and probe, from the last survey. */
  readonly soils: ReadonlyMap<string, string>;
  /** Topics that the person was told of, and when. */
  readonly told: ReadonlyMap<string, string>;
  readonly answered: readonly string[];
}

const HEADING = "## The caretaker's own notes";
const LINE = /^- (plant|soil|told) ([^:\s]+): (.*)$/;
const ANSWERED = /^- answered: (.*)$/;
/** The person is reminded of a lasting problem after this time. */
const REMIND_AFTER = hours(24);

function readMemory(note: string): Memory {
  const { own, others } = split(note.split("\n"));
  return {
    others: others.join("\n").trim(),
    plants: new Map(linesOf(own, "plant")),
    soils: new Map(linesOf(own, "soil")),
    told: new Map(linesOf(own, "told")),
    answered:
      own
        .map((line) => ANSWERED.exec(line)?.[1])
        .find((ids) => ids !== undefined)
        ?.split(", ") ?? [],
  };
}

/** Its own lines follow the heading; the text before and after them belongs to others. */
function split(lines: readonly string[]): { own: readonly string[]; others: readonly string[] } {
  const heading = lines.indexOf(HEADING);
  if (heading < 0) return { own: [], others: lines };
  const length = lines.slice(heading + 1).findIndex((line) => !LINE.test(line) && !ANSWERED.test(line));
  const end = length < 0 ? lines.length : heading + 1 + length;
  return { own: lines.slice(heading + 1, end), others: [...lines.slice(0, heading), ...lines.slice(end)] };
}

const linesOf = (lines: readonly string[], wanted: string): [string, string][] =>
  lines.flatMap((line): [string, string][] => {
    const [, kind, key, text] = LINE.exec(line) ?? [];
    return kind === wanted && key !== undefined && text !== undefined ? [[key, text]] : [];
  });

export function writeMemory({ others, plants, soils, told, answered }: Memory): string {
  const own = [
    HEADING,
    ...[...plants].map(([plant, line]) => `- plant ${plant}: ${line}`),
    ...[...soils].map(([plant, line]) => `- soil ${plant}: ${line}`),
    ...[...told].map(([topic, timestamp]) => `- told ${topic}: ${timestamp}`),
    ...(answered.length > 0 ? [`- answered: ${answered.join(", ")}`] : []),
  ].join("\n");
  return others === "" ? own : `${others}\n\n${own}`;
}

export function shouldTell({ told }: Memory, topic: string, now: EpochMillis): boolean {
  const last = told.get(topic);
  return last === undefined || now - Date.parse(last) >= REMIND_AFTER;
}
