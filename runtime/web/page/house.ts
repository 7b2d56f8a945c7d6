import { PATHS } from "../../wire/names.js";
import type { Overview } from "../../wire/overview.js";
import type { OwnSession } from "../../wire/owner-page.js";
import type { PeopleList, Person } from "../../wire/people.js";
import { after, type Cancel, monotonic } from "./browser-clock.js";
import { chooseLanguage, forgetOverview, keepOverview, keptOverview, wanted } from "./kept.js";
import { fetchWords } from "./languages.js";
import { type CallOptions, Link, Refusal } from "./link.js";
import { everythingOff, type OffOutcome, switchOff } from "./off.js";
import { leaveSession, ownSession } from "./session.js";

export interface View {
  /** out: this browser has no session. */
  readonly state: "connecting" | "open" | "lost" | "out";
  readonly session?: OwnSession;
  /** It had a session, which was ended: by this person, by another, or because nobody used it. */
  readonly isEnded?: boolean;
  /** The last one that came; older than the link if that is lost. */
  readonly overview?: Overview;
  /** Of the person that this session acts as, if the configuration names one. */
  readonly language?: string;
  /** Who lives here; a person's session alone is told. */
  readonly people?: readonly Person[];
  /** Why something is not there that was asked for the view that is shown. */
  readonly refusals?: readonly Refusal[];
  /** Of the monotonic clock of this device: when the overview came. */
  readonly fetchedAt?: number;
}

/** Milliseconds between two looks while the page is seen. A choice: a person who watches a dose sees it. */
const LOOK_EVERY = 5000;

/** Refusals that are no answer of the runtime's. */
export const LOST: readonly string[] = ["NO_LINK", "NO_ANSWER"];

/** What a runtime with a family switched off leaves out of its overview. */
const NOTHING = { warnings: [], interlock: null, inputs: [], approvals: [], climate: [], channels: [] };

/** The one model of the page: the session, the link, and the overview of all plants. */
export class House {
  private view: View = { state: "connecting" };
  private readonly listeners = new Set<() => void>();
  private link: Link | undefined;
  private cancelLook: Cancel = () => undefined;
  private version: string | undefined;
  /** Until it is known whether there is a session, nothing is shown. */
  private begun: Promise<void> = Promise.resolve();
  /** By who asked: why the runtime refused to answer. */
  private readonly refusals = new Map<object, Refusal>();

  /** Begins, or begins again after a session was made. The link does not wait for the session: without one it is refused. */
  begin(): Promise<void> {
    this.link?.end();
    const url = location.origin.replace(/^http/, "ws") + PATHS.mcp;
    const link = new Link(url, {
      ready: () => void this.refresh(),
      opened: (version) => void this.opened(version),
      lost: () => void this.lost(),
      changed: () => void this.refresh(),
    });
    this.link = link;
    link.begin();
    this.begun = this.learnSession(link);
    return this.begun;
  }

  private async learnSession(link: Link): Promise<void> {
    const session = await ownSession().catch(() => this.view.session ?? "unknown");
    if (session !== undefined && session !== "unknown") return this.change({ session });
    link.end();
    if (session === undefined) this.out({ state: "out" });
    else await this.showKept();
  }

  /** The runtime does not answer: what was known last is shown, and nothing can be done but to try to switch off. */
  private async showKept(): Promise<void> {
    const overview = await keptOverview();
    if (overview) this.change({ state: "lost", overview: { ...NOTHING, ...overview } });
    after(LOOK_EVERY, () => void this.begin());
  }

  get now(): View {
    return this.view;
  }

  get isHuman(): boolean {
    return this.view.session?.role === "human";
  }

  subscribe(listener: () => void): Cancel {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Rejects with a Refusal. */
  call<T>(tool: string, args: object = {}, asked: CallOptions = {}): Promise<T> {
    return this.link
      ? this.link.call<T>(tool, args, asked)
      : Promise.reject(new Refusal("NO_LINK", "there is no session"));
  }

  /** Calls a tool that changes something, then shows what has become of it. */
  async act(tool: string, args: object = {}): Promise<void> {
    try {
      await this.call(tool, args);
    } finally {
      void this.refresh();
    }
  }

  /** A question was refused, or was answered after all. A connection that is lost is told as such. */
  refused(asker: object, error: unknown): void {
    const isTold = error instanceof Refusal && !LOST.includes(error.code);
    if (!isTold && error !== undefined) return;
    const before = this.refusals.get(asker);
    const now = isTold ? error : undefined;
    if (before?.message === now?.message) return;
    if (now === undefined) this.refusals.delete(asker);
    else this.refusals.set(asker, now);
    const byMessage = new Map([...this.refusals.values()].map((each) => [each.message, each]));
    this.change({ refusals: [...byMessage.values()] });
  }

  async off(): Promise<OffOutcome> {
    const outcome = await everythingOff(this.link, this.isHuman);
    void this.refresh();
    return outcome;
  }

  /** Off without a hold, as a person says it in the chat. */
  stop(): Promise<void> {
    return switchOff(this.link);
  }

  async leave(): Promise<void> {
    await leaveSession();
    this.link?.end();
    this.out({ state: "out", isEnded: true });
  }

  /** "": the language of the person or of the browser. Rejects where the browser keeps no choice, or the words cannot be fetched. */
  async speak(language: string): Promise<void> {
    chooseLanguage(language);
    await fetchWords(wanted(this.view.language));
    this.change({});
  }

  /** The device woke up, or the page is seen again. */
  look(): void {
    this.link?.look();
    void this.refresh();
  }

  async refresh(): Promise<void> {
    this.cancelLook();
    if (this.link?.ready && !document.hidden) {
      const asked = this.link.call<Overview>("get_overview").catch(() => undefined);
      const [said] = await Promise.all([asked, this.begun]);
      if (said) {
        this.change({ state: "open", overview: { ...NOTHING, ...said }, fetchedAt: monotonic() });
        void keepOverview(said);
      }
    }
    if (this.view.state === "lost") this.change({}); // says for how long
    this.cancelLook();
    this.cancelLook = after(LOOK_EVERY, () => void this.refresh());
  }

  /** Another version of the runtime serves another page. */
  private async opened(version: string): Promise<void> {
    await this.begun;
    if (this.version !== undefined && version !== this.version) location.reload();
    this.version = version;
    this.change({ state: "open" });
    if (this.isHuman) void this.learnPeople().catch(() => undefined); // then ids are names
  }

  private async learnPeople(): Promise<void> {
    const { people } = await this.call<PeopleList>("list_people", { records: false });
    const token = this.view.session?.token ?? "";
    const language = people.find(({ tokens }) => tokens.includes(token))?.language;
    await fetchWords(wanted(language)).catch(() => undefined); // then the browser's language counts
    this.change({ people, ...(language && { language }) });
  }

  /** A session that is over looks like a lost link, so the runtime is asked. */
  private async lost(): Promise<void> {
    await this.begun;
    if (!this.view.session) return;
    if (this.view.state === "open") this.change({ state: "lost" });
    const session = await ownSession().catch(() => "unknown");
    if (session !== undefined) return;
    this.link?.end();
    this.out({ state: "out", isEnded: true });
  }

  private out(view: View): void {
    void forgetOverview();
    this.set(view);
  }

  private change(change: Partial<View>): void {
    this.set({ ...this.view, ...change });
  }

  private set(view: View): void {
    this.view = view;
    for (const listener of this.listeners) listener();
  }
}

/** The argument that names a plant: with one plant the tools take none. */
export function ofPlant(house: House, plant: string): { plant?: string } {
  const { plants = [] } = house.now.overview ?? {};
  return plants.length > 1 ? { plant } : {};
}

type Input = Overview["inputs"][number];

export const inputsOf = (overview: Overview | undefined, plant: string, wanted: Input["kind"]): Input[] =>
  (overview?.inputs ?? []).filter(({ kind, plants }) => kind === wanted && plants.includes(plant));
