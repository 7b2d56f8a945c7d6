/** What an agent wrote down about an action, for people who read what the house knows: "plant: Basil, ml: 15". */
export const detailsInWords = (details: object): string => leavesOf(details).join(", ");

function leavesOf(value: unknown, name = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, name));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, key));
  if (value === null || isLink(value)) return [];
  const words = String(value);
  return [name === "" ? words : `${name.replaceAll("_", " ")}: ${words}`];
}

/** Of a photo, for example: it is signed, and ends after some time. */
const isLink = (value: unknown): boolean => typeof value === "string" && /^https?:\/\//.test(value);
