import { ENTITY_DOMAINS, type StatesAnswer } from "../../wire/home.js";
import type { EntityState } from "../../wire/home-tools.js";
import { hasFreeText, isFreeText } from "./strangers.js";

type State = StatesAnswer["states"][number];

/** Entity ids within a text: what has another domain is a version or a file name. */
const IDS = new RegExp(`\\b(?:${ENTITY_DOMAINS.join("|")})\\.[a-z0-9_]+\\b`, "g");

/** What stands in place of an entity that the owner did not list. */
const HIDDEN = "(not listed)";

/** What an agent is shown of an entity: nothing in it names an entity that is not listed. */
export function shownState(
  { friendly_name, ...state }: State,
  { name, isListed }: { readonly name: string | undefined; isListed(id: string): boolean },
): EntityState {
  const { friendly_name: _, ...attributes } = state.attributes;
  const masked = mask(attributes, isListed) as EntityState["attributes"];
  return {
    ...state,
    state: maskText(state.state, isListed),
    attributes: { friendly_name: name ?? friendly_name, ...masked },
  };
}

/** Whether it has words that the owner did not see when listing it. */
export function hasStrangersWords({ state, attributes }: EntityState, isNameKnown: boolean): boolean {
  const { friendly_name: _, ...others } = attributes;
  const isStrange = Object.entries(others).some(([key, value]) => hasFreeText(key, value));
  return isStrange || !isNameKnown || isFreeText(state);
}

type IsListed = (id: string) => boolean;

function mask(value: unknown, isListed: IsListed): unknown {
  if (typeof value === "string") return maskText(value, isListed);
  if (Array.isArray(value))
    return value.map((each) => mask(each, isListed)).filter((each) => each !== HIDDEN);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [maskText(key, isListed), mask(each, isListed)]),
  );
}

/** The text without the ids of entities that are not listed. */
export const maskText = (text: string, isListed: IsListed): string =>
  text.replaceAll(IDS, (id) => (isListed(id) ? id : HIDDEN));
