import { tokensIn } from "../cycle/tokens.js";

/** A part of a prompt, what can be spared first as its first item. */
export interface Section {
  readonly title: string;
  readonly items: readonly string[];
  /** May be shortened, since tools can read all of it. */
  readonly mayShorten?: boolean;
  /** Is shortened before all others. */
  readonly goesFirst?: boolean;
  /** Which items are left out first, in the notice; by default "the oldest". */
  readonly spares?: string;
}

/**
 * The sections in about `budget` tokens. While they are larger, the longest that may be shortened loses its first item, and
 * says so. The rest is never shortened, and may exceed the budget.
 */
export function fitted(given: readonly Section[], budget: number): readonly string[] {
  const sections = given.map((section) => new Shortened(section));
  while (sum(sections) > budget) {
    const next = nextToShorten(sections);
    if (!next) break;
    next.shorten();
  }
  return sections.map(String);
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

  get goesFirst(): boolean {
    return this.section.goesFirst === true;
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
    const { spares = "the oldest", items } = this.section;
    return `(${spares} ${this.leftOut} of ${items.length} are left out for want of room)`;
  }
}

const sizeOf = (line: string): number => tokensIn(`${line}\n`);

const sum = (sections: readonly Shortened[]): number => sections.reduce((total, { size }) => total + size, 0);

function nextToShorten(sections: readonly Shortened[]): Shortened | undefined {
  const able = sections.filter(({ canGive }) => canGive);
  return able.find(({ goesFirst }) => goesFirst) ?? able.toSorted((a, b) => b.size - a.size)[0];
}
