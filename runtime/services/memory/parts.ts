import { join } from "node:path";
import { taintOf } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import { type Household, household, type Who } from "../household/household.js";
import { definePart, type House } from "../module.js";
import { ITEM_LOG } from "./item-log.js";
import { type MemoryActor, MemoryItems } from "./items.js";
import { memories } from "./memories.js";
import { isOpen, PROFILE_LOG, Profile, type SeesFact } from "./profile.js";
import type { Settling } from "./settle.js";
import { SharedMemories } from "./shared.js";
import { MemoryTexts } from "./texts.js";

/** The folder in the state folder that media lie in. */
export const MEDIA = "media";

const texts = definePart("memory texts", (house) => new MemoryTexts(house.store.texts));

const around = ({ clock, store, complain }: House) => ({ clock, store, complain });

export const memoryItems = definePart("memory items", async (house) => {
  const [remembered, index] = [await house.use(memories), await house.use(texts)];
  const { zoneOf } = await house.use(household);
  const shared = new SharedMemories((section) => house.keeperOf(section), zoneOf);
  return new MemoryItems(house.journal(ITEM_LOG), remembered, index, { ...around(house), shared });
});

export const profile = definePart("profile", async (house) =>
  Profile.open(house.journal(PROFILE_LOG), await house.use(texts), around(house)),
);

/** What the tools for people's memories work with. */
export class MemoryService {
  constructor(
    readonly items: MemoryItems,
    readonly profile: Profile,
    readonly household: Household,
    private readonly around: Pick<Settling, "plants" | "places" | "media">,
  ) {}

  /** Throws NOT_FOUND, FORBIDDEN. */
  actorOf(call: Call, { user_id }: Who): MemoryActor {
    const owner = this.household.ownerOf(call, user_id);
    const { identity } = call;
    const view = this.household.viewOf(call, user_id);
    return { by: identity.name, identity, owner, view, ...taintOf(call) };
  }

  settlingFor(owner: string): Settling {
    const { household, around } = this;
    return { zone: household.zoneOf(owner), people: household.people, ...around };
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
  return new MemoryService(items, known, await house.use(household), {
    plants: house.plants.all,
    places: [...house.board.climate.keys()],
    media: join(house.store.folder, MEDIA),
  });
});

export const memoryParts = [memories, texts, memoryItems, profile, memoryService];
