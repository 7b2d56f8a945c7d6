import { tokensIn } from "../cycle/tokens.js";
import { systemPrompt } from "./system-prompt.js";
import type { PromptValues, Template } from "./template.js";

/** A part of the history, its oldest item first. */
export interface Section {
  readonly title: string;
  readonly items: readonly string[];
  /** The tools have all of it, so that it may be shortened. Else it is always whole. */
  readonly mayShorten?: boolean;
}

export type PromptParts = Omit<PromptValues, "plant_history"> & {
  /** What the runtime says of itself to any agent. */
  readonly instructions: string;
  readonly history: readonly Section[];
};

/** What a model is told before it first replies. */
export interface Prompt {
  /** The same in every cycle, for every plant. */
  readonly system: string;
  /** The first message: this plant, this cycle. */
  readonly opening: string;
}

/**
 * The prompt in about `budget` tokens: as long as it is larger, the longest section of the history that may be shortened
 * loses its oldest item, and says so. What is always whole may go beyond the budget.
 */
export function promptOf(template: Template, parts: PromptParts, budget: number): Prompt {
  const { instructions, history, ...values } = parts;
  const system = systemPrompt(instructions);
  const before = tokensIn(system) + tokensIn(template({ ...values, plant_history: "" }));
  const sections = history.map((section) => new Shortened(section));
  while (before + sum(sections) > budget) {
    const longest = longestOf(sections);
    if (!longest) break;
    longest.shorten();
  }
  return { system, opening: template({ ...values, plant_history: sections.map(String).join("\n\n") }) };
}

class Shortened {
  size: number;
  private leftOut = 0;

  constructor(private readonly section: Section) {
    this.size = section.items.reduce((size, item) => size + sizeOf(item), sizeOf(section.title));
  }

  get canGive(): boolean {
    return this.section.mayShorten === true && this.leftOut < this.section.items.length;
  }

  shorten(): void {
    if (this.leftOut === 0) this.size += sizeOf(this.notice);
    this.size -= sizeOf(this.section.items[this.leftOut] ?? "");
    this.leftOut += 1;
  }

  toString(): string {
    const { title, items } = this.section;
    const notice = this.leftOut === 0 ? [] : [this.notice];
    return [`${title}:`, ...notice, ...items.slice(this.leftOut)].join("\n");
  }

  private get notice(): string {
    return `(the oldest ${this.leftOut} of ${this.section.items.length} are left out for want of room)`;
  }
}

const sizeOf = (line: string): number => tokensIn(`${line}\n`);

const sum = (sections: readonly Shortened[]): number => sections.reduce((total, { size }) => total + size, 0);

function longestOf(sections: readonly Shortened[]): Shortened | undefined {
  const able = sections.filter(({ canGive }) => canGive);
  return able.toSorted((a, b) => b.size - a.size)[0];
}
