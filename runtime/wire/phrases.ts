/** "1 dose", "2 doses" */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** "Monday, Tuesday and Friday" */
export const listText = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

/** "0.1" of 3 kB: rounded up, since no file has 0.0 MB. */
export const megabytes = (bytes: number): string => (Math.ceil(bytes / 1e5) / 10).toFixed(1);

/** A model's text without Markdown's marks for emphasis and headings: for the agent's log and the page. */
export const unmarked = (text: string): string => text.replaceAll(/\*\*|__|^#+ /gm, "");

/** A word as a person types it in a shell. */
export const quoted = (word: string): string =>
  /^[\w./~+:@%,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A text for each form of a value. `key` is the field that tells the forms apart. */
export const textBy = <Value extends Readonly<Record<Key, string>>, Key extends string>(
  value: Value,
  key: Key,
  texts: { readonly [Form in Value[Key]]: (of: Extract<Value, Readonly<Record<Key, Form>>>) => string },
): string => (texts[value[key]] as (of: Value) => string)(value);
