import { parentPort, workerData } from "node:worker_threads";
import { type Expanded, eventsIn, NoCalendar, type Span } from "./expand.js";

/** What the worker is started with, and what it says. */
export interface Task extends Span {
  readonly text: string;
}
export type Said = Expanded | { readonly isNoCalendar: true };

function said({ text, ...span }: Task): Said {
  try {
    return eventsIn(text, span);
  } catch (error) {
    if (error instanceof NoCalendar) return { isNoCalendar: true };
    throw error;
  }
}

parentPort?.postMessage(said(workerData as Task));
