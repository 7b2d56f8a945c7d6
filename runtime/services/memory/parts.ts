import { join } from "node:path";
import { taintOf } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import { linkKey } from "../camera/service.js";
import { HOUSEHOLD, type Household, household, type Who } from "../household/household.js";
import { type Recalls, recalls } from "../household/recalls.js";
import { definePart, type House } from "../module.js";
import type { RecordKeeper } from "../shared-records.js";
import { carryOver } from "./carried-over.js";
import { ITEM_LOG } from "./item.js";
import { type MemoryActor, MemoryItems } from "./items.js";
import { filesOf, MEDIA, Media, mediaConfig, typeOfName } from "./media.js";
import { isOpen, PROFILE_LOG, Profile, type SeesFact } from "./profile.js";
import type { Settling } from "./settle.js";
import { SharedMemories } from "./shared.js";
import { MemoryTexts } from "./texts.js";

const texts = definePart("memory texts", (house) => new MemoryTexts(house.store.texts));

/** Who keeps the records that memories of this section are; undefined if nobody does, or the module is off. */
export const keeperOf = (house: House, section: string): RecordKeeper | undefined =>
  house.modules.find(({ keeps }) => keeps?.sections.includes(section))?.keeps?.keeper(house);

const around = ({ clock, store, complain }: House) => ({ clock, store, complain });

export const memoryItems = definePart("memory items", async (house) => {
  const [index, { zoneOf }] = [await house.use(texts), await house.use(household)];
  await carryOver(house.store, house.journal(ITEM_LOG));
  const shared = new SharedMemories((section) => keeperOf(house, section), zoneOf);
  return new MemoryItems(house.journal(ITEM_LOG), index, { ...around(house), shared });
});

export const profile = definePart("profile", async (house) =>
  Profile.open(house.journal(PROFILE_LOG), await house.use(texts), around(house)),
);

export const media = definePart("media", async (house) => {
  const { store, realClock, publicUrl, log } = house;
  const { people, personOfToken } = await house.use(household);
  return new Media({
    ...{ clock: realClock, publicUrl, log },
    folder: join(store.folder, MEDIA),
    saveFile: store.saveFile.bind(store),
    mostBytes: house.config(mediaConfig).media.megabytes * 1_000_000,
    key: await linkKey(store.folder),
    named: () => namedFiles(house),
    people: people.map(({ id }) => id),
    personOf: personOfToken,
  });
});

async function namedFiles(house: House): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = new Map<string, string[]>();
  for await (const { record } of house.journal(ITEM_LOG).stored()) {
    const owner = record.item?.user_id ?? HOUSEHOLD;
    for (const file of filesOf(record.item)) named.set(file, [...(named.get(file) ?? []), owner]);
  }
  return named;
}

/** What the tools for people's memories work with. */
export class MemoryService {
  constructor(
    readonly items: MemoryItems,
    readonly profile: Profile,
    readonly household: Household,
    readonly recalls: Recalls,
    private readonly files: Media,
    private readonly around: Pick<Settling, "plants" | "places" | "media">,
  ) {}

  /** Throws NOT_FOUND, FORBIDDEN. */
  actorOf(call: Call, { user_id }: Who): MemoryActor {
    const owner = this.household.ownerOf(call, user_id);
    const { identity } = call;
    const view = this.household.viewOf(call, user_id);
    return { by: identity.name, identity, owner, view, ...taintOf(call) };
  }

  settlingFor(owner: string, call: Call): Settling {
    const { household, around } = this;
    const view = household.viewOf(call, undefined); // also of what is not the owner's
    const mayName = (file: string) => this.files.mayName(file, view);
    return { zone: household.zoneOf(owner), people: household.people, mayName, ...around };
  }

  /** It is gone for good, with its uploads. Throws NOT_FOUND, STORE_FAILED. */
  async erase(key: string, actor: MemoryActor): Promise<void> {
    const { item } = await this.items.erase(key, actor);
    await this.files.drop(filesOf(item));
  }

  /** Links to the files of a memory that the caller may see. Throws NOT_FOUND. */
  async links(key: string, call: Call): Promise<{ path: string; type: string | null; url: string }[]> {
    const item = await this.items.find(key, this.actorOf(call, {}).view);
    return filesOf(item).map((path) => ({
      path,
      type: typeOfName(path)?.type ?? null,
      url: this.files.link(path),
    }));
  }

  /** A person's private entries: that person's own token sees them, and a human token that is nobody's. Throws NOT_FOUND, FORBIDDEN. */
  seesFacts(call: Call, userId: string | undefined): SeesFact {
    const view = this.household.viewOf(call, userId);
    return (fact) =>
      view.sees(fact.owner) && (isOpen(fact) || this.household.mayReadPrivate(call, fact.owner));
  }
}

export const memoryService = definePart("memory tools", async (house) => {
  const [items, known] = [await house.use(memoryItems), await house.use(profile)];
  const [people, noted] = [await house.use(household), await house.use(recalls)];
  return new MemoryService(items, known, people, noted, await house.use(media), {
    plants: house.plants.all,
    places: [...house.board.climate.keys()],
    media: join(house.store.folder, MEDIA),
  });
});

export const memoryParts = [texts, memoryItems, profile, media, memoryService];
