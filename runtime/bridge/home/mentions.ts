import type { LiveState } from "./live-states.js";
import { HomeRefusal, type HomeSocket } from "./socket.js";

/** What the text of an automation or a script names. */
export interface Mentioned {
  /** Entity ids. */
  readonly entities: ReadonlySet<string>;
  /** Ids of devices, of registry entries, and ids or names of areas, floors and labels. */
  readonly words: ReadonlySet<string>;
  /** All entities of these domains: `states.light` in a template. */
  readonly domains: ReadonlySet<string>;
  /** A template goes through all states. */
  readonly all: boolean;
  /** What its author wrote about it. */
  readonly description?: string;
}

/** Domains whose texts Home Assistant shows to every user: `automation/config`, `script/config`. */
const WITH_TEXT = /^(automation|script)\./;
/** Requests under way at a time. A choice: a home with 200 automations does not fill Home Assistant's queue of 4,096. */
const AT_A_TIME = 20;

interface Known {
  /** The entity's last change when it was read: reloading an automation changes its state. */
  readonly changed: number;
  readonly text: Mentioned | undefined;
}

/** What the automations and scripts of one connection mention. A text is read again when its entity has changed. */
export class Mentions {
  private known = new Map<string, Known>();

  constructor(private readonly socket: HomeSocket) {}

  /** By entity id; undefined where Home Assistant does not show the text. Rejects with CutOff. */
  async read(states: ReadonlyMap<string, LiveState>): Promise<ReadonlyMap<string, Mentioned | undefined>> {
    const wanted = [...states].filter(([id]) => WITH_TEXT.test(id));
    const now = new Map<string, Known>();
    const missing: [string, LiveState][] = [];
    for (const [id, state] of wanted) {
      const known = this.known.get(id);
      if (known?.changed === state.changed) now.set(id, known);
      else missing.push([id, state]);
    }
    for (let start = 0; start < missing.length; start += AT_A_TIME)
      await Promise.all(
        missing
          .slice(start, start + AT_A_TIME)
          .map(async ([id, { changed }]) => now.set(id, { changed, text: await this.textOf(id) })),
      );
    this.known = now;
    return new Map([...now].map(([id, { text }]) => [id, text]));
  }

  /** The text itself, and what Home Assistant says is related: that also knows what a blueprint names. */
  private async textOf(entityId: string): Promise<Mentioned | undefined> {
    const [domain = ""] = entityId.split(".");
    try {
      const [text, related] = (await Promise.all([
        this.socket.ask(`${domain}/config`, { entity_id: entityId }),
        this.socket.ask("search/related", { item_type: domain, item_id: entityId }),
      ])) as [{ config?: unknown } | null, { entity?: unknown } | null];
      if (!text?.config) return undefined;
      const { description } = text.config as { description?: unknown };
      return {
        ...mentionedIn([text.config, related?.entity]),
        ...(typeof description === "string" && description.trim() !== "" && { description }),
      };
    } catch (error) {
      if (error instanceof HomeRefusal) return undefined;
      throw error;
    }
  }
}

const TARGETS: ReadonlySet<string> = new Set(["entity_id", "device_id", "area_id", "floor_id", "label_id"]);
const TEMPLATE = /\{\{|\{%/;
/** Ids of devices and of registry entries: UUIDs without dashes [homeassistant/util/uuid.py]. */
const HEX_ID = /^[0-9a-f]{32}$/;
const QUOTED = /'([^']*)'|"([^"]*)"/g;
/** `light.kitchen`, and longer chains such as `states.light.kitchen.state`. */
const DOTTED = /[a-z0-9_]+(?:\.[a-z0-9_]+)+/g;
/** `states | …`, `states[…]`: a loop over everything. */
const ALL_STATES = /\bstates\s*[|[]/;

/** What a configuration names, wherever it stands in it. */
export function mentionedIn(config: unknown): Mentioned {
  const found: Found = { entities: new Set(), words: new Set(), domains: new Set(), all: false };
  for (const [text, key] of textsIn(config)) takeText(text, TARGETS.has(key), found);
  return found;
}

/** Each text, and each key, with the key under which it stands. */
function* textsIn(value: unknown, key = ""): Generator<readonly [string, string]> {
  if (typeof value === "string") yield [value, key];
  else if (Array.isArray(value)) for (const each of value) yield* textsIn(each, key);
  else if (typeof value === "object" && value !== null)
    for (const [name, each] of Object.entries(value)) {
      yield [name, ""];
      yield* textsIn(each, name);
    }
}

type Found = { entities: Set<string>; words: Set<string>; domains: Set<string>; all: boolean };

function takeText(text: string, isTarget: boolean, found: Found): void {
  for (const [chain] of text.toLowerCase().matchAll(DOTTED)) takeChain(chain.split("."), found);
  if (isTarget || HEX_ID.test(text)) found.words.add(text);
  if (!TEMPLATE.test(text)) return;
  for (const [, single, double] of text.matchAll(QUOTED)) found.words.add(single ?? double ?? "");
  found.all ||= ALL_STATES.test(text);
}

/** Each two neighbours may be an entity id. */
function takeChain(parts: readonly string[], found: Found): void {
  for (let at = 0; at + 1 < parts.length; at += 1) found.entities.add(`${parts[at]}.${parts[at + 1]}`);
  const [first, domain = "", rest] = parts;
  if (first === "states" && rest === undefined) found.domains.add(domain);
}
