import type { Adapter } from "./adapter.js";

import { calendarAdapter } from "./calendar/adapter.js";
import { homeAdapter } from "./home/adapter.js";
import { mailAdapter } from "./mail/adapter.js";
import { answersAdapter, embeddingAdapter } from "./models/adapter.js";
import { mqttAdapter } from "./mqtt/adapter.js";
import { ntfyAdapter } from "./ntfy/adapter.js";
import { searchAdapter } from "./search/adapter.js";
import { telegramAdapter } from "./telegram/adapter.js";

/** Every way to the outside. A new one is a file beside this one and a line here. */
export const ADAPTERS: readonly Adapter[] = [
  answersAdapter,
  calendarAdapter,
  embeddingAdapter,
  homeAdapter,
  mailAdapter,
  mqttAdapter,
  ntfyAdapter,
  searchAdapter,
  telegramAdapter,
];
