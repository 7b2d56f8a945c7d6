export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

const TOKEN = /<\/([a-zA-Z][\w-]*)>|<([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const ENTITY = /&(?:(amp|lt|gt|quot)|#39);|&/g;
const SIGNS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** A page as an XML parser would take it; throws at the first thing that such a parser would refuse. */
export function parseStrictly(page: string): Element {
  const text = page.replace(/^<!DOCTYPE html>\n/, "").trimEnd();
  const open: Element[] = [{ name: "", attributes: {}, children: [] }];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) take(open, nextToken(text));
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is never closed`);
  const [root, ...more] = open[0]?.children ?? [];
  if (root === undefined || typeof root === "string" || more.length > 0)
    throw new Error("not one root element");
  return root;
}

function nextToken(text: string): RegExpExecArray {
  const at = TOKEN.lastIndex;
  const token = TOKEN.exec(text);
  if (!token) throw new Error(`no tag and no text: ${text.slice(at, at + 80)}`);
  return token;
}

function take(open: Element[], [, closing, name, attributes, empty, words]: RegExpExecArray): void {
  if (closing !== undefined) close(open, closing);
  else if (words !== undefined) open.at(-1)?.children.push(unescaped(words));
  else
    begin(open, { name: name ?? "", attributes: attributesOf(attributes ?? ""), children: [] }, empty === "");
}

function begin(open: Element[], element: Element, hasChildren: boolean): void {
  open.at(-1)?.children.push(element);
  if (hasChildren) open.push(element);
}

function close(open: Element[], name: string): void {
  const last = open.pop();
  if (last?.name !== name) throw new Error(`</${name}> closes <${last?.name}>`);
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (name in found) throw new Error(`${name} is given twice`);
    found[name] = unescaped(value);
  }
  return found;
}

function unescaped(text: string): string {
  if (/(?![\t\n\r])\p{Cc}|\p{Cs}/u.test(text)) throw new Error("a control character");
  return text.replace(ENTITY, (entity, name) => {
    if (entity === "&") throw new Error(`a bare & in ${text.slice(0, 80)}`);
    return name === undefined ? "'" : (SIGNS[name] ?? "");
  });
}

/** All elements below, in the order of the page. */
export function within(element: Element): Element[] {
  const inner = element.children.filter((child) => typeof child !== "string");
  return inner.flatMap((child) => [child, ...within(child)]);
}

export const named = (element: Element, name: string): Element[] =>
  within(element).filter((inner) => inner.name === name);

/** Elements that have this class. */
export const classed = (element: Element, name: string): Element[] =>
  within(element).filter(({ attributes }) => attributes.class?.split(" ").includes(name));

/** Its words, as a reader has them: runs of blanks are one. */
export const textOf = (element: Element): string => raw(element).replace(/\s+/g, " ").trim();

const raw = ({ children }: Element): string =>
  children.map((child) => (typeof child === "string" ? child : ` ${raw(child)} `)).join("");

/** The section under a heading that begins so. */
export function section(page: Element, heading: string): Element {
  const found = named(page, "section").find((each) => textOf(each).startsWith(heading));
  if (!found) throw new Error(`no section ${heading}`);
  return found;
}
