import { z } from "zod";
import type { Millis, Money } from "../clock.js";
import type { Usage } from "../models/model.js";

/** Limits of a model per day; missing ones do not apply. */
export interface Limits {
  readonly calls?: number | undefined;
  /** Read and written together. */
  readonly tokens?: number | undefined;
  /** Time of the model: from request to reply. */
  readonly time?: Millis | undefined;
  readonly money?: Money | undefined;
}

const amount = z.number().min(0);
/** For a million tokens. Without `cached`, cached input tokens cost as much as others. */
export const priceSchema = z.strictObject({ input: amount, output: amount, cached: amount.optional() });
export type Price = z.output<typeof priceSchema>;

export const spentSchema = z.strictObject({ calls: amount, tokens: amount, time: amount, money: amount });
export type Spent = Readonly<z.output<typeof spentSchema>>;

export const NOTHING: Spent = { calls: 0, tokens: 0, time: 0, money: 0 };

/** a + b − less; never below zero, as if the day's file is deleted between a charge and its end. */
export const plus = (a: Spent, b: Spent, less = NOTHING): Spent => ({
  calls: Math.max(0, a.calls + b.calls - less.calls),
  tokens: Math.max(0, a.tokens + b.tokens - less.tokens),
  time: Math.max(0, a.time + b.time - less.time),
  money: Math.max(0, a.money + b.money - less.money),
});

/** If a provider reports more cached tokens than input, the report is wrong: all count at the full price. */
export function priceOf({ input, output, cached = 0 }: Usage, price: Price | undefined): Money {
  if (!price) return 0;
  const fromCache = cached <= input ? cached : 0;
  const read = (input - fromCache) * price.input + fromCache * (price.cached ?? price.input);
  return (read + output * price.output) / 1_000_000;
}

const SHOWN: Readonly<Record<keyof Limits, (limit: number) => string>> = {
  calls: (limit) => `${limit} calls to the model`,
  tokens: (limit) => `${limit} tokens`,
  time: (limit) => `${Math.round(limit / 6000) / 10} minutes of the model's time`,
  money: (limit) => `${limit} in money`,
};

const KEYS = ["calls", "tokens", "time", "money"] as const;

/** The first limit that `spent` plus `more` would exceed, in words. Also a limit that `spent` has reached exactly. */
export function limitReached(limits: Limits, spent: Spent, more: Spent): string | undefined {
  const reached = KEYS.find((key) => isBeyond(limits[key], spent[key], more[key]));
  return reached && SHOWN[reached](limits[reached] ?? 0);
}

const isBeyond = (limit: number | undefined, spent: number, more: number): boolean =>
  limit !== undefined && (spent >= limit || spent + more > limit);

export const areSet = (limits: Limits): boolean => KEYS.some((key) => limits[key] !== undefined);
