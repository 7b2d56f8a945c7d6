import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import tap, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { seconds } from "../../../drivers/units.js";
import { runtimeApi } from "../../../runtime/core.js";
import { type RunningServer, startServer } from "../../../runtime/server/server.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import { EN } from "../../../runtime/web/page/words.js";
import type { OpenedLink } from "../../../runtime/wire/owner-page.js";
import { type Rig, type RigOptions, rigFor } from "../../rig.js";

/** Debian's package `chromium`; another one by CHROMIUM. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Why the tests in a browser cannot run here; undefined if they can. */
const whyNoBrowser = (): string | undefined =>
  existsSync(CHROMIUM)
    ? undefined
    : `SKIPPED: there is no ${CHROMIUM}, so nothing of the page was tried in a browser (apt-get install chromium)`;

const SIZES = {
  small: { width: 320, height: 640 },
  usual: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 375, height: 812 },
  desktop: { width: 1280, height: 800 },
} as const;

/** Milliseconds for one thing to be seen. A choice: a machine that tests many things at once. */
const PATIENCE = 30_000;

/** Root has no sandbox in a container; these pages are our own. */
const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });

/** The rig's runtime on a real port, for browsers. */
export class PageRig {
  /** What went wrong in any page: errors of scripts, refusals of the content policy. */
  readonly troubles: string[] = [];

  private constructor(
    readonly rig: Rig,
    private readonly browser: Browser,
    private readonly tokens: TokenStore,
    private server: RunningServer,
  ) {}

  static async start(t: Test, rig: Rig, browser: Browser): Promise<PageRig> {
    const tokens = await TokenStore.open(join(rig.state, "tokens"), new SystemClock(), () => undefined);
    const started = new PageRig(rig, browser, tokens, await serve(rig, tokens, 0));
    t.teardown(() => started.server.close());
    return started;
  }

  get port(): number {
    return this.server.port;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The runtime's server ends, and begins again on the same port. */
  async stop(): Promise<void> {
    await this.server.close();
  }

  /** `pages`: the folder of another build of the page. */
  async again(pages?: string): Promise<void> {
    this.server = await serve(this.rig, this.tokens, this.port, pages);
  }

  async asPerson<T>(method: string, path: string, body?: object): Promise<T> {
    const token = (await readFile(join(this.rig.state, "tokens", "human"), "utf8")).trim();
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(this.base + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as T;
  }

  /** The name of a new token of a person. */
  async person(id: string): Promise<string> {
    await this.tokens.add("human", id);
    await new SystemClock().sleep(seconds(1.1)); // the folder of tokens is read again
    return `human.${id}`;
  }

  async link(token = "human", base = this.base): Promise<string> {
    const { code } = await this.asPerson<OpenedLink>("POST", "/sessions", { token });
    return `${base}/#open=${code}`;
  }

  /** A page in a browser of its own, without a session. */
  async page(
    t: Test,
    size: keyof typeof SIZES = "phone",
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<Page> {
    const context: BrowserContext = await this.browser.newContext({ viewport: SIZES[size], ...options });
    t.teardown(() => context.close());
    context.setDefaultTimeout(PATIENCE);
    await context.addInitScript(SLOW_HANDS);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.troubles.push(error.message));
    page.on("console", (line) => {
      if (line.type() === "error" && !EXPECTED.test(line.text())) this.troubles.push(line.text());
    });
    return page;
  }

  /** A page that has opened a link, and shows the plants. */
  async opened(
    t: Test,
    token = "human",
    size: keyof typeof SIZES = "phone",
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<Page> {
    const page = await this.page(t, size, options);
    await page.goto(await this.link(token));
    await page.waitForSelector(".plant").catch(async (error: Error) => {
      const seen = [await page.textContent("body"), ...this.troubles].join("\n");
      throw new Error(`${error.message}\nThe page showed: ${seen}`);
    });
    return page;
  }
}

/** A test clicks faster than anyone does: in the page each click comes half a second after the one before, so that none is a double tap. */
const SLOW_HANDS = `{
  const own = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp").get;
  let later = 0;
  addEventListener("pointerdown", () => { later += 500; }, true);
  Object.defineProperty(Event.prototype, "timeStamp", { configurable: true, get() { return own.call(this) + later; } });
}`;

/** What axe-core finds wrong for people who cannot see or use a pointer: rule and element. */
export async function barriers(page: Page): Promise<readonly string[]> {
  const file = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(file, "utf8"));
  const found = await page.evaluate("axe.run(document)");
  const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  const cutOff = (await page.evaluate(CUT_OFF)) as string[];
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...cutOff.map((html) => `cut off: ${html}`),
  ];
}

/**
 * Words of which nothing is seen, since a box around them cuts them off: axe-core takes them for hidden on purpose. Boxes of a
 * pixel, for screen readers, are on purpose.
 */
const CUT_OFF = `(() => {
  const found = [];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = words.nextNode(); text; text = words.nextNode()) {
    if (text.data.trim() === "") continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const seen = range.getBoundingClientRect();
    if (seen.height === 0) continue;
    for (let box = text.parentElement; box && box !== document.body; box = box.parentElement) {
      if (!["hidden", "clip"].includes(getComputedStyle(box).overflowY)) continue;
      const { top, bottom, height } = box.getBoundingClientRect();
      if (height > 1 && (seen.top >= bottom || seen.bottom <= top)) found.push(text.parentElement.outerHTML);
    }
  }
  return found;
})()`;

/** The browser itself reports each refused request and lost connection. */
const EXPECTED = /Failed to load resource|WebSocket connection to|net::ERR_/;

const serve = (rig: Rig, tokens: TokenStore, port: number, pages?: string): Promise<RunningServer> =>
  startServer({
    host: runtimeApi(rig.core),
    tokens,
    clock: new SystemClock(),
    listen: { port },
    ...(pages !== undefined && { pages }),
    log: () => undefined,
  });

/** What a person sees of the views, in English; an observer has no chat. */
export const TABS = Object.values(EN.tabs);

export const goTo = async (page: Page, tab: string): Promise<void> => {
  const link = page.getByRole("link", { name: tab, exact: true });
  await link.click();
  // the view changes after the click: what is counted before that would be of the former view
  await link.and(page.locator("[aria-current=page]")).waitFor();
  await viewLoaded(page);
};

/** The views behind the first one are fetched: until then, what is looked for is not there, and a card says so. */
export const viewLoaded = (page: Page): Promise<void> =>
  page.locator("main > .card", { hasText: /^Connecting…$/ }).waitFor({ state: "detached" });

/** `waitForFunction` needs "eval", which the page's policy forbids. Fails by the test's own patience. */
export async function becomes(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(50);
}

/** Opens a part of a view that is folded at first. */
export const unfold = (page: Page, title: string): Promise<void> =>
  page.locator("summary").filter({ hasText: title }).click();

type Run = (t: Test) => Promise<void>;

/** Tests of one file, which share one browser. `run` starts it, runs them, and closes it. */
export function browserTests() {
  const missing = whyNoBrowser();
  const cases: (readonly [title: string, run: Run])[] = [];
  let browser: Browser | undefined;
  const inBrowser = (title: string, run: Run) => void cases.push([title, run]);
  const pageRig = async (t: Test, options: RigOptions = {}): Promise<PageRig> => {
    if (!browser) throw new Error("no browser");
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", pictures: true, ...options });
    await rig.core.sample();
    return PageRig.start(t, rig, browser);
  };
  /** A page for a runtime that is no rig: a process of its own. */
  const browserPage = async (t: Test): Promise<Page> => {
    if (!browser) throw new Error("no browser");
    const context = await browser.newContext({ viewport: SIZES.desktop });
    t.teardown(() => context.close());
    context.setDefaultTimeout(PATIENCE);
    return context.newPage();
  };
  /** `timeout`: milliseconds, 0 for none; by default that of the tests. */
  const run = (title: string, { timeout }: { readonly timeout?: number } = {}) => {
    if (timeout !== undefined) tap.setTimeout(timeout);
    if (missing !== undefined) process.stderr.write(`${missing}\n`);
    const options = {
      ...(timeout !== undefined && { timeout }),
      ...(missing !== undefined && { skip: missing }),
    };
    tap.test(title, options, async (t) => {
      browser = await launch();
      t.teardown(() => browser?.close());
      for (const [name, each] of cases)
        await t.test(name, { ...(timeout !== undefined && { timeout }) }, each);
    });
  };
  return { inBrowser, pageRig, browserPage, run };
}
