import type { Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { CatalogAnswer, CatalogEntity, HistoryAnswer, StatesAnswer } from "../../wire/home.js";
import { houseTimeOf } from "../../wire/house-time.js";
import { jobs, type RunJob } from "../bridge/jobs.js";
import { HOUSEHOLD } from "../household/household.js";
import { definePart, type FedText, type KnowledgeFeed } from "../module.js";
import { CATALOG, HISTORY, homeConfig, STATES } from "./declarations.js";
import { dayInWords, lastWholeDays } from "./history.js";
import type { Listed } from "./plan.js";
import { domainOf } from "./policy.js";
import { isShortId, maskText, SOURCE, shortWord } from "./strangers.js";

/** Choices: a history that failed is asked for again after an hour, then after two, four, and so on, at least once a day. */
const FIRST_PAUSE = hours(1);
const LONGEST_PAUSE = hours(24);
/** With these no entity's history can be read. */
const OF_THE_BRIDGE: ReadonlySet<string> = new Set(["BRIDGE_AWAY", "STOPPING", "JOBS_BUSY"]);

/** A choice: an answer of so many, each with as many links as it can have, is checked in 5 ms on a fast machine. */
const AT_ONCE = 40;

/** What the owner listed, and the bridge's jobs that read it. */
export interface ListedHome {
  readonly listed: Listed;
  readonly catalog: RunJob<CatalogAnswer>;
  readonly states: RunJob<StatesAnswer>;
  readonly history: RunJob<HistoryAnswer>;
  /** Real time: Home Assistant's. */
  readonly clock: Clock;
  readonly zone: string;
}

type Days = ReturnType<typeof lastWholeDays>;
type Known = Parameters<KnowledgeFeed["read"]>[1];

/** A family of the search: those that the owner named so in the contract. */
const typeOf = (id: string): string => {
  const domain = domainOf(id);
  return domain === "automation" || domain === "scene" ? domain : "entity";
};

/** What can be found of the home: the entities that the owner listed, and no others. */
export class HomeTexts {
  /** Whose history failed: how often in a row, and when it is tried again, on the monotonic clock. */
  private readonly failing = new Map<string, { readonly times: number; readonly next: number }>();
  /** Listed, and not in Home Assistant when its registry was last read. */
  private readonly absent = new Set<string>();
  /** Of entities without any history: the day until which it was read. Of the others the index has it, once it has their text. */
  private readonly emptyUntil = new Map<string, string>();

  constructor(private readonly parts: ListedHome) {}

  /** Listed entities whose history could not be read the last time. */
  get unreadHistories(): readonly string[] {
    return [...this.failing.keys()];
  }

  async *entities(): AsyncGenerator<FedText> {
    const { entities, areas } = await this.everything();
    const listed = new Set(entities.map(({ entity_id }) => entity_id));
    const namedBy = new Map<string, string[]>();
    for (const { entity_id, mentioned_by } of entities)
      for (const by of mentioned_by)
        if (listed.has(by)) namedBy.set(by, [...(namedBy.get(by) ?? []), entity_id]);
    for (const entity of entities) {
      const members = entity.members.filter((id) => listed.has(id));
      const names = [...new Set([...members, ...(namedBy.get(entity.entity_id) ?? [])])].sort();
      const by = entity.mentioned_by.filter((id) => listed.has(id));
      yield this.entityText(entity, areas, { names, by });
    }
  }

  /** Once a day for each entity, one job at a time. */
  async *histories(known: Known): AsyncGenerator<FedText | Pick<FedText, "type" | "id">> {
    const days = lastWholeDays(houseTimeOf(this.parts.zone), this.parts.clock.now());
    const last = days.at(-1)?.day;
    const before = await known("history");
    const ids = [...this.parts.listed.keys()];
    const isRead = (id: string) => [this.emptyUntil.get(id), before.get(id)?.until].includes(last);
    for (const id of ids.filter(isRead)) if (before.has(id)) yield { type: "history", id };
    // what is put off keeps its former text
    for (const id of ids.filter((each) => !isRead(each) && this.isPutOff(each)))
      if (before.has(id)) yield { type: "history", id };
    const missing = ids.filter((id) => !isRead(id) && !this.isPutOff(id) && !this.absent.has(id));
    for (let at = 0; at < missing.length; at += AT_ONCE)
      yield* this.readHistories(missing.slice(at, at + AT_ONCE), days, before);
  }

  private isPutOff(id: string): boolean {
    return (this.failing.get(id)?.next ?? 0) > this.parts.clock.monotonic();
  }

  private async *readHistories(
    ids: readonly string[],
    days: Days,
    before: Awaited<ReturnType<Known>>,
  ): AsyncGenerator<FedText | Pick<FedText, "type" | "id">> {
    const { entities } = await this.parts.catalog({ only: ids }, "read the home");
    const { states } = await this.parts.states({ entity_ids: ids }, "read the home");
    this.noteAbsent(ids, entities);
    for (const entity of entities.filter(({ entity_id }) => ids.includes(entity_id))) {
      const id = entity.entity_id;
      const state = states.find(({ entity_id }) => entity_id === id);
      try {
        const text = await this.historyText(entity, days, state?.attributes.unit_of_measurement);
        this.failing.delete(id);
        if (text) yield text;
        else this.emptyUntil.set(id, days.at(-1)?.day ?? "");
      } catch (error) {
        this.putOff(id, error);
        if (before.has(id)) yield { type: "history", id };
      }
    }
  }

  /** The others go on. Throws what concerns them too. */
  private putOff(id: string, error: unknown): void {
    if (!(error instanceof TendrilError) || OF_THE_BRIDGE.has(error.code)) throw error;
    const times = (this.failing.get(id)?.times ?? 0) + 1;
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (times - 1));
    this.failing.set(id, { times, next: this.parts.clock.monotonic() + pause });
  }

  private noteAbsent(asked: readonly string[], entities: readonly CatalogEntity[]): void {
    const there = new Set(entities.map(({ entity_id }) => entity_id));
    for (const id of asked)
      if (there.has(id)) this.absent.delete(id);
      else this.absent.add(id);
  }

  private async everything(): Promise<Pick<CatalogAnswer, "entities" | "areas">> {
    const ids = [...this.parts.listed.keys()];
    const entities: CatalogEntity[] = [];
    let areas: CatalogAnswer["areas"] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const only = ids.slice(at, at + AT_ONCE);
      const page = await this.parts.catalog({ only }, "read the home");
      this.noteAbsent(only, page.entities);
      entities.push(...page.entities.filter(({ entity_id }) => this.parts.listed.has(entity_id)));
      areas = page.areas;
    }
    return { entities, areas };
  }

  /**
   * With the owner's own name it has ids and fixed words alone, and is no stranger's. All else comes from Home Assistant: its name,
   * what areas are called, and what the author of an automation wrote.
   */
  private entityText(
    entity: CatalogEntity,
    areas: CatalogAnswer["areas"],
    { names, by }: { readonly names: readonly string[]; readonly by: readonly string[] },
  ): FedText {
    const { entity_id: id, description } = entity;
    const { name, isOwners } = this.nameOf(entity);
    const isOwn = isOwners && description === undefined;
    const area = areas.find((each) => each.id === entity.area);
    const areaWords = isOwn ? idsIn([entity.area ?? ""]) : [area?.name ?? "", ...(area?.aliases ?? [])];
    const labels = idsIn(entity.labels);
    const may = this.parts.listed.get(id)?.may ?? "see";
    const lines = [
      `${name} (${id})`,
      ...told("What its author wrote: ", [description === undefined ? "" : this.clean(description)], ""),
      ...told("Kind: ", [shortWord("device_class", entity.device_class) ?? "", domainOf(id)], " "),
      ...told(
        "Area: ",
        areaWords.map((word) => this.clean(word)),
        ", ",
      ),
      ...told("Labels: ", labels, ", "),
      ...told("It names: ", names, ", "),
      ...told("It is named by: ", by, ", "),
    ];
    return {
      ...{ type: typeOf(id), id, title: name, text: lines.join("\n"), owner: HOUSEHOLD },
      metadata: { entity_id: id, domain: domainOf(id), may },
      tainted: isOwn ? [] : [SOURCE],
    };
  }

  private async historyText(entity: CatalogEntity, days: Days, unit: unknown): Promise<FedText | undefined> {
    const { entity_id: id } = entity;
    const lines: string[] = [];
    let isFree = false;
    for (const { day, from, to } of days) {
      const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const answer = await this.parts.history({ entity_id: id, ...span }, `read the history of ${id}`);
      const told = dayInWords(answer, { from, to, unit: shortWord("unit_of_measurement", unit) ?? "" });
      if (!told) continue;
      lines.push(`${day}: ${this.clean(told.words)}`);
      isFree ||= told.isFree;
    }
    const [first, last] = [days[0], days.at(-1)];
    if (lines.length === 0 || !first || !last) return undefined;
    const { name, isOwners } = this.nameOf(entity);
    return {
      ...{ type: "history", id, title: name, owner: HOUSEHOLD, at: last.to - 1 },
      text: [`${name} (${id}), day by day:`, ...lines].join("\n"),
      metadata: { entity_id: id, since: first.day, until: last.day, zone: this.parts.zone },
      tainted: isOwners && !isFree ? [] : [SOURCE],
    };
  }

  private nameOf({ entity_id, friendly_name }: CatalogEntity): { name: string; isOwners: boolean } {
    const name = this.parts.listed.get(entity_id)?.name;
    return { name: name ?? this.clean(friendly_name), isOwners: name !== undefined };
  }

  /** Nothing of an entity that is not listed, no sign that does not show, and no line of its own. */
  private clean(text: string): string {
    const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").replaceAll(/\p{Cf}/gu, "");
    return maskText(line, (id) => this.parts.listed.has(id)).trim();
  }
}

const idsIn = (ids: readonly string[]): readonly string[] => ids.filter(isShortId);

function told(before: string, words: readonly string[], between: string): readonly string[] {
  const some = words.filter((word) => word !== "");
  return some.length === 0 ? [] : [`${before}${some.join(between)}`];
}

export const listedHome = definePart("listed home", async (house): Promise<ListedHome> => {
  const bridge = await house.use(jobs);
  return {
    listed: new Map(Object.entries(house.config(homeConfig).home?.entities ?? {})),
    ...{ catalog: bridge.open(CATALOG), states: bridge.open(STATES), history: bridge.open(HISTORY) },
    ...{ clock: house.realClock, zone: house.core.zone },
  };
});

export const homeTexts = definePart(
  "home texts",
  async (house) => new HomeTexts(await house.use(listedHome)),
);

export const homeFeeds: readonly KnowledgeFeed[] = [
  {
    types: ["entity", "automation", "scene"],
    isQuick: true,
    read: (house) => house.get(homeTexts).entities(),
  },
  { types: ["history"], isQuick: false, read: (house, known) => house.get(homeTexts).histories(known) },
];
